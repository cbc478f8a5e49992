import pytest
from hypothesis import given
from hypothesis import strategies as st

from urnsyntax import URN, InvalidURN, equivalent
from urnsyntax.encoding import (
    IrreversibleNSS,
    UndecodableComponent,
    UnencodableName,
    decode_component,
    decode_name,
    display,
    encode_component,
    encode_name,
    parse_displayed,
    readable,
)

NAMES = [
    ("a", "a"),
    ("1/406/47452/2", "1/406/47452/2"),
    ("/a", "%2Fa"),
    ("//", "%2F/"),
    ("%", "%25"),
    ("%41", "%2541"),
    ("a?b#c[d]", "a%3Fb%23c%5Bd%5D"),
    ("a b\n", "a%20b%0A"),
    ("é", "%C3%A9"),
    ("\U0001f600", "%F0%9F%98%80"),
    ("\0", "%00"),
    ("-._~!$&'()*+,;=:@", "-._~!$&'()*+,;=:@"),
]


@pytest.mark.parametrize(("name", "nss"), NAMES, ids=ascii)
def test_a_name_is_encoded_and_decoded(name, nss):
    assert encode_name(name) == nss
    assert decode_name(nss) == name
    assert URN.build("example", nss).nss == nss


def test_delimiters_of_a_namespace_are_encoded_in_a_name():
    assert encode_name("a:b-c", delimiters=":-") == "a%3Ab%2Dc"
    assert decode_name("a%3Ab%2Dc", delimiters="-:") == "a:b-c"
    assert encode_name("]^\\", delimiters="]^\\") == "%5D%5E%5C"


@pytest.mark.parametrize(("name", "position"), [("", 0), ("a\ud800", 1), ("\udfff", 0)], ids=ascii)
def test_a_name_that_cannot_come_back_is_refused(name, position):
    with pytest.raises(UnencodableName) as caught:
        encode_name(name)
    assert caught.value.position == position
    assert str(caught.value)


@pytest.mark.parametrize(
    ("nss", "position"),
    [
        ("", 0),
        ("%41", 0),
        ("a%2C", 1),
        ("a%FF", 1),
        ("ab%C3", 2),
        ("%2", 0),
        ("a\n", 1),
        ("é", 0),
        ("/a", 0),
        ("a%2Fb", 1),
        ("a?+b", 1),
    ],
    ids=ascii,
)
def test_an_nss_that_would_not_come_back_is_refused(nss, position):
    with pytest.raises(IrreversibleNSS) as caught:
        decode_name(nss)
    assert caught.value.position == position


@given(st.text(min_size=1), st.text(alphabet=":-/,~%a2é", max_size=3))
def test_every_name_survives_a_round_trip(name, delimiters):
    nss = encode_name(name, delimiters=delimiters)
    assert decode_name(nss, delimiters=delimiters) == name
    assert URN.build("example", nss).nss == nss


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("urn:example:Gr%C3%B6%C3%9Fe", "urn:example:Größe"),
        ("urn:example:%d0%b0123", "urn:example:а123"),
        ("urn:example:%2C%25%20%00", "urn:example:%2C%25%20%00"),
        ("urn:example:%FF%C3%B6", "urn:example:%FF%C3%B6"),
        ("urn:example:a%E2%80%AEb", "urn:example:a%E2%80%AEb"),
        ("urn:example:a%C2%A0%C3%B6", "urn:example:a%C2%A0ö"),
        ("urn:example:a%E3%85%A4%EF%B8%8F", "urn:example:a%E3%85%A4%EF%B8%8F"),
        ("urn:example:a%E2%A0%80%F3%A0%84%80", "urn:example:a%E2%A0%80%F3%A0%84%80"),
        ("urn:example:e%CC%81", "urn:example:e%CC%81"),
        ("urn:example:%E0%A4%B9%E0%A4%BF%E0%A4%82", "urn:example:\u0939\u093f\u0902"),
        ("urn:example:%E0%A4%BF%E0%A4%82", "urn:example:\u093f%E0%A4%82"),
        ("urn:example:a?+%C3%B6?=%C3%B6#%C3%B6", "urn:example:a?+ö?=ö#ö"),
    ],
    ids=ascii,
)
def test_a_urn_is_displayed_with_its_characters_where_they_can_be_seen(text, shown):
    assert display(text) == shown
    assert equivalent(parse_displayed(shown), text)


@given(st.text(min_size=1), st.text())
def test_what_is_displayed_can_be_read_again(name, fragment):
    nss = encode_name(name)
    urn = URN.build("example", nss, f_component=encode_name(fragment or "x"))
    assert parse_displayed(display(urn)) == urn


@pytest.mark.parametrize("text", ["", "urn:example:", "urn:example:a\n", "urn:example:a\ud800", "urn:é:a"])
def test_an_invalid_urn_is_neither_displayed_nor_parsed(text):
    with pytest.raises(InvalidURN):
        display(text)
    with pytest.raises(InvalidURN):
        parse_displayed(text)


COMPONENTS = [
    ("a/b?c", "r-component", "a/b%3Fc"), ("a/b?c", "q-component", "a/b?c"), ("a/b?c", "f-component", "a/b?c"),
    ("/a", "r-component", "%2Fa"), ("?a", "r-component", "%3Fa"), ("/a", "q-component", "%2Fa"),
    ("?a", "q-component", "%3Fa"), ("/a", "f-component", "/a"), ("?a", "f-component", "?a"),
    ("a?=b", "r-component", "a%3F=b"), ("a?=b", "q-component", "a?=b"), ("", "f-component", ""),
    ("é #%", "r-component", "%C3%A9%20%23%25"), ("\0\n", "q-component", "%00%0A"), ("🙂", "f-component", "%F0%9F%99%82"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "component", "encoded"), COMPONENTS, ids=ascii)
def test_a_text_is_encoded_as_a_component_and_decoded(text, component, encoded):
    assert encode_component(text, component) == encoded
    assert decode_component(encoded, component) == text
    urn = URN.build("example", "a", **{component.replace("-", "_"): encoded})
    assert URN.parse(str(urn)) == urn


@given(
    st.text(min_size=1),
    st.sampled_from(["r-component", "q-component", "f-component"]),
    st.text("&=;/?", max_size=3),
)
def test_every_text_comes_back_from_a_component(text, component, delimiters):
    encoded = encode_component(text, component, delimiters=delimiters)
    assert decode_component(encoded, component) == text
    assert not set(encoded) & set(delimiters)


@pytest.mark.parametrize(("component", "section"), [("r-component", "2.3.1"), ("q-component", "2.3.2")])
def test_an_empty_component_is_refused(component, section):
    with pytest.raises(UnencodableName) as caught:
        encode_component("", component)
    assert (caught.value.rule, caught.value.section) == (component, section)
    with pytest.raises(UndecodableComponent):
        decode_component("", component)


@pytest.mark.parametrize(
    ("part", "position"), [("a%FF", 1), ("a#", 1), ("a%4", 1), ("é", 0), ("a?=b", 1)], ids=ascii
)
def test_a_text_that_is_not_an_r_component_in_utf8_is_not_decoded(part, position):
    with pytest.raises(UndecodableComponent) as caught:
        decode_component(part, "r-component")
    assert caught.value.position == position
    with pytest.raises(UnencodableName) as surrogate:
        encode_component("a\udcff", "r-component")
    assert surrogate.value.position == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("%", "%"),
        ("a%20b%25", "a b%"),
        ("%C3%A9%c3%a9", "éé"),
        ("%E9t%C3%A9", "%E9té"),
        ("%C3%A9%FF%C3%A9", "é%FFé"),
        ("%0A%00%1B[31m", "%0A%00%1B[31m"),
        ("a%E2%80%AEb%C2%A0", "a%E2%80%AEb%C2%A0"),
        ("%ED%A0%80", "%ED%A0%80"),
        ("a%E1%85%A0%E2%9D%A4%EF%B8%8F", "a%E1%85%A0❤%EF%B8%8F"),
    ],
    ids=ascii,
)
def test_any_text_can_be_made_readable(text, shown):
    assert readable(text) == shown


def test_a_long_text_is_made_readable_in_linear_time():
    assert readable("%FF%C3%A9" * 300_000) == "%FFé" * 300_000
