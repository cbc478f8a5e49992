import pytest

from urnsyntax import InvalidURN
from urnsyntax.rfc2141 import (
    InvalidURN2141,
    UntranslatableName,
    find,
    is_urn,
    lexically_equivalent,
    parse,
    translate,
)

REFUSED = [
    ("", 0, "2"),
    ("urn:", 4, "2.1"),
    ("urn:a", 5, "2"),
    ("urn:a:", 6, "2.2"),
    ("urn:a:b\n", 7, "2.4"),
    ("urn:é:b", 4, "2.1"),
    ("urn:a:é", 6, "2.4"),
    ("urn:a:٣", 6, "2.4"),
    ("urn:" + "a" * 33 + ":b", 36, "2.1"),
    ("urn:-a:b", 4, "2.1"),
    ("urn:URN:b", 4, "2.1"),
    ("urn:urn:", 4, "2.1"),
    ("urn:a:\0", 6, "2.4"),
    ("urn:a:\x7f", 6, "2.4"),
    ("urn:a:~", 6, "2.4"),
    ("urn:a:b&c", 7, "2.4"),
    ("urn:a:%", 6, "2.3.1"),
    ("urn:a:b%4", 7, "2.3.1"),
    ("urn:a:b%4x", 7, "2.3.1"),
    ("urn:a:\ud800", 6, "2.4"),
]


@pytest.mark.parametrize(("text", "position", "section"), REFUSED, ids=ascii)
def test_an_invalid_urn_is_rejected_at_its_first_invalid_character(text, position, section):
    assert not is_urn(text)
    with pytest.raises(InvalidURN2141) as caught:
        parse(text)
    assert isinstance(caught.value, InvalidURN)
    assert (caught.value.position, caught.value.section) == (position, section)
    assert "RFC 2141" in str(caught.value)


@pytest.mark.parametrize("excluded", '\x01\x1f \\"&<>[]^`{|}~\x7f\x80\xff')
def test_every_excluded_character_is_refused(excluded):
    assert not is_urn(f"urn:a:b{excluded}")


@pytest.mark.parametrize("allowed", "()+,-.:=@;$_!*'/?#")
def test_every_other_and_reserved_character_is_accepted(allowed):
    assert parse(f"urn:a:{allowed}").nss == allowed


@pytest.mark.parametrize("nid", ["a", "a-", "1", "urna", "urn-", "a" * 32, "a" * 31 + "-"])
def test_a_nid_may_be_short_and_end_with_a_hyphen(nid):
    assert parse(f"urn:{nid}:x").nid == nid


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("urn:a:b", []),
        ("urn:a:b/c", [("2.3.2", 1)]),
        ("urn:a:?", [("2.3.2", 0)]),
        ("urn:a:b%00", [("2.4", 1)]),
        ("urn:a:%00#", [("2.3.2", 3), ("2.4", 0)]),
        ("urn:a:%41", [("2.3.1", 0)]),
        ("urn:a:%2F%7e%3a%41", [("2.3.1", 9)]),
        ("urn:a:%25%2f%3F%23%26%7E%20%C3%A9", []),
        ("urn:foo:a123%2C456", []),
    ],
)
def test_notes_remark_needless_encodings_reserved_characters_and_the_octet_0(text, notes):
    assert [(note.section, note.position) for note in parse(text).notes] == notes


def test_equivalence_reads_components_as_part_of_the_nss():
    assert not lexically_equivalent("urn:a:b#c", "urn:a:b#d")
    assert lexically_equivalent("URN:A:b%2c", "urn:a:b%2C")
    with pytest.raises(InvalidURN2141):
        lexically_equivalent("urn:a:b", "urn:a:b\n")


@pytest.mark.parametrize(
    ("name", "nss"),
    [
        ("a", "a"),
        ("a/b?c#d%", "a%2Fb%3Fc%23d%25"),
        ("~&", "%7E%26"),
        ("é\n", "%C3%A9%0A"),
        ("()+,-.:=@;$_!*'",) * 2,
    ],
)
def test_a_name_is_translated_to_its_canonical_form(name, nss):
    assert translate(name) == nss
    assert parse(f"urn:a:{nss}").notes == ()


def test_characters_with_a_special_meaning_in_the_namespace_are_translated():
    assert translate("a:b-c]^\\", designated=":-]^\\") == "a%3Ab%2Dc%5D%5E%5C"
    assert translate("a:b") == "a:b"


@pytest.mark.parametrize(("name", "position"), [("", 0), ("a\0", 1), ("ab\ud800", 2)], ids=ascii)
def test_a_name_without_canonical_form_is_refused(name, position):
    with pytest.raises(UntranslatableName) as caught:
        translate(name)
    assert caught.value.position == position


@pytest.mark.parametrize(
    ("text", "urns"),
    [
        ("", []),
        ("no URN: here", []),
        ("urn:a:b", ["urn:a:b"]),
        ("<urn:a:b>", ["urn:a:b"]),
        ('"urn:a:b" urn:c:d\nURN:e:f', ["urn:a:b", "urn:c:d", "URN:e:f"]),
        ("urn:a:bé", ["urn:a:b"]),
        ("urn:a:b~c", ["urn:a:b"]),
        ("urn:a:b%2fc%", ["urn:a:b%2fc"]),
        ("urn:a:%zz", []),
        ("blurn:a:b", []),
        ("8urn:a:b", []),
        ("urn:urn:isbn:1", ["urn:isbn:1"]),
        ("urn:-a:b urn::b urn:a: urn:a:b", ["urn:a:b"]),
        ("(urn:a:b).", ["urn:a:b)."]),
    ],
)
def test_urns_are_found_in_running_text_up_to_the_first_excluded_character(text, urns):
    found = list(find(text))
    assert [each.urn for each in found] == urns
    assert [text[each.start : each.end] for each in found] == urns
    assert all(is_urn(each.urn) for each in found)
