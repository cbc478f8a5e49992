import copy
import json
import pickle

import pytest
from pydantic import BaseModel, ValidationError

from urnsyntax import URN, InvalidURN, is_urn
from urnsyntax.urn import json_default

REFUSED = [
    ("", 0),
    ("urn", 3),
    ("urn:", 4),
    ("urn:example", 11),
    ("urn:example:", 12),
    ("urn:example:a\n", 13),
    ("urn:example:a\r\n", 13),
    ("\nurn:example:a", 0),
    ("urn:exämple:a", 6),
    ("urn:example:ä", 12),
    ("urn:example:٣", 12),
    ("urn:exampl\N{ARABIC-INDIC DIGIT THREE}:a", 10),
    ("\N{LATIN SMALL LETTER LONG S}rn:example:a", 0),
    ("urn:a:b", 5),
    ("urn:ab-", 7),
    ("urn:ab-:b", 6),
    ("urn:-ab:b", 4),
    ("urn:" + "a" * 33 + ":b", 36),
    ("urn:" + "a" * 32 + "-:b", 36),
    ("urn:" + "a" * 31 + "-:b", 35),
    ("urn:" + "a" * 40, 36),
    ("urn:example:/a", 12),
    ("urn:example:?+a", 12),
    ("urn:example:#", 12),
    ("urn:example:a?", 13),
    ("urn:example:a?b", 13),
    ("urn:example:a?+", 15),
    ("urn:example:a?=", 15),
    ("urn:example:a?+?=b", 15),
    ("urn:example:a?+b?=", 18),
    ("urn:example:a?+b?=#c", 18),
    ("urn:example:a?+/b", 15),
    ("urn:example:a?+?b", 15),
    ("urn:example:a?=/b", 15),
    ("urn:example:a?+b?=?c", 18),
    ("urn:example:a#b#c", 15),
    ("urn:example:a##", 14),
    ("urn:example:%", 12),
    ("urn:example:a%4", 13),
    ("urn:example:a%4g", 13),
    ("urn:example:a%٣1", 13),
    ("urn:example:a#%", 14),
    ("urn:example:a[b]", 13),
    ("urn:example:a\x00", 13),
    ("urn:example:a\ud800", 13),
]

ACCEPTED = [
    ("urn:ab:c", ("ab", "c", None, None, None)),
    ("urn:" + "a" * 32 + ":b", ("a" * 32, "b", None, None, None)),
    ("urn:1-2:c", ("1-2", "c", None, None, None)),
    ("urn:example:a/", ("example", "a/", None, None, None)),
    ("urn:example:a//b", ("example", "a//b", None, None, None)),
    ("urn:example::", ("example", ":", None, None, None)),
    ("urn:example:a#", ("example", "a", None, None, "")),
    ("urn:example:a#/?", ("example", "a", None, None, "/?")),
    ("urn:example:a?+b??=c", ("example", "a", "b?", "c", None)),
    ("urn:example:a?+b?+c", ("example", "a", "b?+c", None, None)),
    ("urn:example:a?=b?+c?=d", ("example", "a", None, "b?+c?=d", None)),
    ("urn:example:a?+b?=c?=d#e?=f", ("example", "a", "b", "c?=d", "e?=f")),
    ("urn:example:a?+%41?=%42#%43", ("example", "a", "%41", "%42", "%43")),
    ("urn:example:%00", ("example", "%00", None, None, None)),
    ("urn:example:a?+b#c", ("example", "a", "b", None, "c")),
    ("urn:example:a?=b#", ("example", "a", None, "b", "")),
]


@pytest.mark.parametrize(("text", "position"), REFUSED, ids=ascii)
def test_an_invalid_urn_is_rejected_at_its_first_invalid_character(text, position):
    assert not is_urn(text)
    with pytest.raises(InvalidURN) as caught:
        URN.parse(text)
    assert caught.value.position == position
    assert caught.value.text == text


@pytest.mark.parametrize(("text", "parts"), ACCEPTED, ids=ascii)
def test_a_urn_has_its_five_parts(text, parts):
    assert is_urn(text)
    urn = URN.parse(text)
    assert (urn.nid, urn.nss, urn.r_component, urn.q_component, urn.f_component) == parts
    assert str(urn) == text


@pytest.mark.parametrize(("text", "parts"), ACCEPTED, ids=ascii)
def test_a_urn_is_built_from_its_parts(text, parts):
    nid, nss, r, q, f = parts
    assert str(URN.build(nid, nss, r_component=r, q_component=q, f_component=f)) == text


@pytest.mark.parametrize(
    ("parts", "position"),
    [
        ({"nid": "a"}, 5),
        ({"nid": "ab:c"}, 6),
        ({"nid": "example\n"}, 11),
        ({"nid": "exämple"}, 6),
        ({"nid": ""}, 4),
        ({"nid": "a" * 33}, 36),
        ({"nss": ""}, 12),
        ({"nss": "a\n"}, 13),
        ({"nss": "/a"}, 12),
        ({"nss": "a?+b"}, 13),
        ({"nss": "a?=b"}, 13),
        ({"nss": "a#"}, 13),
        ({"nss": "é"}, 12),
        ({"r_component": ""}, 15),
        ({"r_component": "a?=b"}, 16),
        ({"r_component": "a#b"}, 16),
        ({"r_component": "/"}, 15),
        ({"q_component": ""}, 15),
        ({"q_component": "a#b"}, 16),
        ({"q_component": "?"}, 15),
        ({"f_component": "a#b"}, 15),
        ({"f_component": "%"}, 14),
        ({"r_component": "r", "q_component": "q", "f_component": "f\n"}, 21),
    ],
    ids=ascii,
)
def test_building_refuses_a_part_that_would_not_be_read_back(parts, position):
    with pytest.raises(InvalidURN) as caught:
        URN.build(**({"nid": "example", "nss": "a"} | parts))
    assert caught.value.position == position
    assert str(position) in str(caught.value)


@pytest.mark.parametrize(
    "value", [b"urn:example:a", bytearray(b"urn:example:a"), memoryview(b"urn:example:a")]
)
def test_bytes_are_refused_with_advice(value):
    for function in (URN.parse, is_urn):
        with pytest.raises(TypeError, match="not bytes; decode them first"):
            function(value)


@pytest.mark.parametrize("value", [None, 1, ["urn:example:a"], URN.parse("urn:example:a")])
def test_a_value_that_is_not_a_str_raises_type_error(value):
    for function in (URN.parse, is_urn):
        with pytest.raises(TypeError, match=type(value).__name__):
            function(value)
    with pytest.raises(TypeError):
        URN.build("example", value)


def test_a_urn_is_made_by_parse_and_build_only():
    with pytest.raises(TypeError, match=r"URN\.parse"):
        URN("urn:example:a")


@pytest.mark.parametrize("name", ["nid", "nss", "r_component", "q_component", "f_component", "new"])
def test_a_urn_cannot_be_changed(name):
    with pytest.raises(AttributeError):
        setattr(URN.parse("urn:example:a"), name, "b")


def test_urns_with_one_text_are_equal_and_have_one_hash():
    a, b = URN.parse("urn:example:a"), URN.parse("urn:example:a")
    assert a == b
    assert len({a, b}) == 1
    assert a != URN.parse("URN:example:a")
    assert a != "urn:example:a"


def test_a_urn_survives_pickling_and_copying():
    urn = URN.parse("urn:example:a?+b?=c#d")
    assert pickle.loads(pickle.dumps(urn)) == copy.deepcopy(urn) == copy.copy(urn) == urn


def test_a_urn_is_formatted_as_its_text():
    urn = URN.parse("urn:ab:c")
    assert (f"{urn}", f"{urn:>10}", f"{urn:.6}", f"{urn!r:>22}") == (
        "urn:ab:c",
        "  urn:ab:c",
        "urn:ab",
        "  URN.parse('urn:ab:c')"[-22:],
    )


def test_a_urn_shows_how_to_make_it():
    urn = URN.parse("urn:example:it's")
    assert repr(urn) == 'URN.parse("urn:example:it\'s")'


def test_the_text_of_a_urn_is_always_a_plain_str():
    class Text(str):
        __slots__ = ()

    assert type(str(URN.parse(Text("urn:example:a")))) is str


@pytest.mark.parametrize(
    ("text", "name", "normalized"),
    [
        ("URN:EXAMPLE:A%2f?+r", "URN:EXAMPLE:A%2f", "urn:example:A%2F"),
        ("urn:example:%aB%Ab%ab%AB", "urn:example:%aB%Ab%ab%AB", "urn:example:%AB%AB%AB%AB"),
        ("urn:example:%41#f", "urn:example:%41", "urn:example:%41"),
        ("urn:example:ab%00ab", "urn:example:ab%00ab", "urn:example:ab%00ab"),
    ],
)
def test_assigned_name_and_normal_form_leave_the_components_out(text, name, normalized):
    urn = URN.parse(text)
    assert urn.assigned_name == name
    assert str(urn.normalized()) == normalized
    assert urn.normalized().normalized() is not None
    assert urn.normalized() == urn.normalized().normalized()


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("urn:example:a", []),
        ("urn:example:a?+r", [("r-component", 0, "2.3.1")]),
        ("urn:example:a%00b", [("NSS", 1, "2.2")]),
        ("urn:example:%C3%A9", []),
        ("urn:example:x%C3%A9%E9", [("NSS", 7, "2.2")]),
        ("urn:example:%C3a%A9", [("NSS", 0, "2.2")]),
        ("urn:example:%ED%A0%80", [("NSS", 0, "2.2")]),
        ("urn:example:a?=%FF#%FE", [("q-component", 0, "2.3.2"), ("f-component", 0, "2.3.3")]),
        ("urn:example:a?+%FF", [("r-component", 0, "2.3.1"), ("r-component", 0, "2.3.1")]),
    ],
)
def test_notes_say_what_is_allowed_and_yet_unwise(text, notes):
    found = [(note.component, note.position, note.section) for note in URN.parse(text).notes]
    assert found == notes
    assert all(str(note).endswith(".") for note in URN.parse(text).notes)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, "urn:ab:c?+r?=q#f"),
        ({"nid": "de"}, "urn:de:c?+r?=q#f"),
        ({"nss": "d/e"}, "urn:ab:d/e?+r?=q#f"),
        ({"r_component": None}, "urn:ab:c?=q#f"),
        ({"q_component": "x=1", "f_component": None}, "urn:ab:c?+r?=x=1"),
        ({"f_component": ""}, "urn:ab:c?+r?=q#"),
    ],
)
def test_parts_are_replaced(parts, expected):
    urn = URN.parse("urn:ab:c?+r?=q#f")
    assert str(urn.replace(**parts)) == expected
    assert str(urn) == "urn:ab:c?+r?=q#f"


def test_what_is_not_replaced_stays_as_written():
    for text in ("URN:Ab:c%2f?+R?=q#", "uRn:de:x"):
        assert URN.parse(text).replace() == URN.parse(text)
    assert str(URN.parse("URN:Ab:c?=q").replace(q_component=None)) == "URN:Ab:c"
    with pytest.raises(InvalidURN, match='"URN:Ab:c#d" is not a URN: at position 8'):
        URN.parse("URN:Ab:c").replace(nss="c#d")


@pytest.mark.parametrize(
    "parts", [{"nss": "a#b"}, {"nid": "a"}, {"q_component": ""}, {"r_component": "a?=b"}]
)
def test_replacing_is_as_strict_as_building(parts):
    with pytest.raises(InvalidURN):
        URN.parse("urn:ab:c?+r").replace(**parts)


def test_urns_are_ordered_as_their_texts():
    texts = ["urn:ab:b", "URN:ab:c", "urn:ab:a", "urn:ab:a#f", "urn:aa:z"]
    assert [str(urn) for urn in sorted(map(URN.parse, texts))] == sorted(texts)
    first, second = URN.parse("urn:ab:a"), URN.parse("urn:ab:b")
    assert first < second
    assert first <= second
    assert second > first
    assert second >= first
    with pytest.raises(TypeError):
        _ = first < "urn:ab:b"


def test_json_writes_urns_and_nothing_else():
    assert json.dumps([URN.parse("urn:ab:c")], default=json_default) == '["urn:ab:c"]'
    with pytest.raises(TypeError, match="object"):
        json.dumps(object(), default=json_default)


def test_pydantic_reads_and_writes_urns():
    class Document(BaseModel):
        name: URN
        other: URN | None = None

    urn = URN.parse("urn:ab:c")
    assert Document(name="urn:ab:c").name == Document(name=urn).name == urn
    document = Document.model_validate_json('{"name": "urn:ab:c"}')
    assert (document.model_dump(), document.model_dump_json()) == (
        {"name": urn, "other": None},
        '{"name":"urn:ab:c","other":null}',
    )
    for wrong in ("urn:ab:", 7, None, b"urn:ab:c"):
        with pytest.raises(ValidationError):
            Document(name=wrong)
    with pytest.raises(ValidationError, match="at position 7, the NSS is empty"):
        Document(name="urn:ab:")
    schema = Document.model_json_schema()["properties"]["name"]
    assert (schema["type"], schema["format"]) == ("string", "uri")
