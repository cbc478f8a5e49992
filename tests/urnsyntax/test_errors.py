import pickle

import pytest

from urnsyntax import InvalidNID, InvalidURN
from urnsyntax.encoding import IrreversibleNSS
from urnsyntax.udi import InvalidUDI


def test_an_error_is_a_value_error_with_all_attributes():
    error = InvalidURN("urn:example:a b")
    assert isinstance(error, ValueError)
    assert (error.text, error.position, error.rule) == ("urn:example:a b", 13, "NSS")
    assert (error.section, error.document) == ("2.2", "RFC 8141")
    assert str(error) == (
        '"urn:example:a b" is not a URN: at position 13, a space is not allowed in the NSS; '
        'write it as "%20" (RFC 8141, Section 2.2, NSS).'
    )


@pytest.mark.parametrize(
    ("text", "rule", "section", "words"),
    [
        ("uri:example:a", "assigned-name", "2", 'must start with "urn:"'),
        ("urn:ex_ample:a", "NID", "2.1", '"_" is not allowed in a NID'),
        ("urn::a", "NID", "2.1", "the NID is empty"),
        ("urn:example", "assigned-name", "2", "the text ends"),
        ("urn:example:", "NSS", "2.2", "the NSS is empty"),
        ("urn:example:/", "NSS", "2.2", 'must not be "/"'),
        ("urn:example:%zz", "pct-encoded", "2.2", "two hexadecimal digits"),
        ("urn:example:a?b", "rq-components", "2", 'followed by "+" or "="'),
        ("urn:example:a?+", "r-component", "2.3.1", "is empty"),
        ("urn:example:a?=", "q-component", "2.3.2", "is empty"),
        (
            "urn:example:a#\n",
            "f-component",
            "2.3.3",
            'U+000A is not allowed in the f-component; write it as "%0A"',
        ),
        ("urn:example:é", "NSS", "2.2", 'write it as "%C3%A9"'),
        ("urn:example:\ud800", "NSS", "2.2", "leave it out"),
    ],
    ids=ascii,
)
def test_an_error_has_rule_section_and_correction(text, rule, section, words):
    error = InvalidURN(text)
    assert (error.rule, error.section) == (rule, section)
    assert words in str(error)
    assert str(error).endswith(".")
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("text", "column"),
    [("urn:example:a b", 13), ("urn:example:" + "a" * 500 + " b", 61), ("urn:", 4), ("", 0)],
)
def test_the_caret_is_below_the_first_invalid_character(text, column):
    shown, pointer = InvalidURN(text).with_caret().splitlines()
    assert pointer.index("^") == column
    assert shown[column : column + 1] == text[InvalidURN(text).position :][:1]


def test_the_text_around_a_fault_is_cut_and_made_printable():
    error = InvalidURN("urn:example:\x1b[31m" + "x" * 1_000_000)
    assert len(str(error)) < 300
    assert "\x1b" not in str(error) + error.with_caret()
    assert len(error.text) == 1_000_017


def test_an_error_survives_pickling():
    error = pickle.loads(pickle.dumps(InvalidNID("a b")))
    assert (error.text, error.position) == ("a b", 1)


def test_an_error_about_a_text_without_fault_cannot_be_read():
    with pytest.raises(TypeError, match="without fault"):
        str(InvalidURN("urn:example:a"))
    with pytest.raises(TypeError, match="without fault"):
        str(InvalidUDI("news:a"))
    with pytest.raises(TypeError, match="without fault"):
        str(IrreversibleNSS("a"))
