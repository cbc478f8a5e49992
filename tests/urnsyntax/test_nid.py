import re

import pytest

from urnsyntax import InvalidNID, classify
from urnsyntax.nid import (
    FORMAL_NID_PATTERN,
    INFORMAL_NID_PATTERN,
    NID_PATTERN,
    check_well_formed,
    is_well_formed,
)

MALFORMED = [
    ("", 0), ("a", 1), ("-ab", 0), ("ab-", 2), ("a b", 1), ("ab\n", 2), ("äb", 0), ("aé", 1), ("a٣", 1),
    ("a" * 33, 32), ("a" * 32 + "\n", 32), ("a_b", 1), ("a:b", 1), ("xn--", 3), ("-", 0), ("urn-", 3),
]  # fmt: skip
CLASSES = [
    ("isbn", "formal", "5.1"), ("ISBN", "formal", "5.1"), ("123", "formal", "5.1"), ("a1-b", "formal", "5.1"),
    ("1a-b", "formal", "5.1"), ("abc-d", "formal", "5.1"), ("a" * 32, "formal", "5.1"),
    ("urna", "formal", "5.1"),
    ("urn7", "formal", "5.1"), ("x1", "unregistrable", "5.1 (3)"), ("ab", "unregistrable", "5.1 (3)"),
    ("12", "unregistrable", "5.1 (3)"), ("de-isbn", "unregistrable", "5.1 (3)"),
    ("DE-isbn", "unregistrable", "5.1 (3)"), ("xn--a", "unregistrable", "5.1 (3)"),
    ("XN--a", "unregistrable", "5.1 (3)"), ("x-a", "unregistrable", "5.1 (4)"),
    ("X-local", "unregistrable", "5.1 (4)"), ("x--a", "unregistrable", "5.1 (4)"),
    ("urn-7", "informal", "5.2"), ("URN-7", "informal", "5.2"), ("urn-10", "informal", "5.2"),
    ("urn-" + "1" * 28, "informal", "5.2"), ("urn-0", "unregistrable", "5.1 (2)"),
    ("urn-07", "unregistrable", "5.1 (2)"), ("urn-a", "unregistrable", "5.1 (2)"),
    ("Urn-7a", "unregistrable", "5.1 (2)"), ("urn--7", "unregistrable", "5.1 (2)"),
    ("urn", "reserved", "RFC 2141, Section 2.1"), ("URN", "reserved", "RFC 2141, Section 2.1"),
    ("example", "reserved", "RFC 6963"), ("Example", "reserved", "RFC 6963"),
    ("urn-" + "1" * 29, "malformed", "2.1"), *((text, "malformed", "2.1") for text, _ in MALFORMED),
]  # fmt: skip


@pytest.mark.parametrize(("text", "position"), MALFORMED, ids=ascii)
def test_a_malformed_nid_is_refused_at_its_first_wrong_character(text, position):
    assert not is_well_formed(text)
    with pytest.raises(InvalidNID) as caught:
        check_well_formed(text)
    assert (caught.value.position, caught.value.rule, caught.value.section) == (position, "NID", "2.1")


@pytest.mark.parametrize(("text", "kind", "section"), CLASSES, ids=ascii)
def test_a_nid_is_classified_with_the_section(text, kind, section):
    status = classify(text)
    assert (status.nid, status.kind, status.section) == (text, kind, section)
    assert status.reason.endswith(".")
    assert status.is_well_formed == (kind != "malformed") == is_well_formed(text)
    assert status.is_registrable == (kind == "formal")
    assert hash(status) == hash(classify(text))


@pytest.mark.parametrize("value", [None, 7, b"isbn", ["isbn"]])
def test_only_a_str_can_be_classified(value):
    with pytest.raises(TypeError, match=r"^classify takes a str, not "):
        classify(value)


def test_a_reserved_nid_has_its_kind_by_syntax():
    assert classify("urn").by_syntax == classify("example").by_syntax == "formal"


@pytest.mark.parametrize(("text", "kind", "section"), CLASSES, ids=ascii)
def test_the_patterns_say_what_the_classes_say(text, kind, section):
    assert bool(re.fullmatch(NID_PATTERN, text)) == is_well_formed(text)
    assert bool(re.fullmatch(FORMAL_NID_PATTERN, text)) == (classify(text).by_syntax == "formal")
    assert bool(re.fullmatch(INFORMAL_NID_PATTERN, text)) == (kind == "informal")


@pytest.mark.parametrize("pattern", [NID_PATTERN, FORMAL_NID_PATTERN, INFORMAL_NID_PATTERN])
def test_the_patterns_use_nothing_that_postgresql_reads_otherwise(pattern):
    known = r"\[[A-Za-z0-9-]+\]|\{\d+,\d+\}|\(\?!|\)|-"
    assert re.sub(known, "", pattern) == ""
