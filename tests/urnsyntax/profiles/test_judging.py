"""Judging URNs by profiles: verdicts, places, parts, canonical forms and repairs."""

import pytest

from tests.urnsyntax.profiles.samples import GRAMMAR, PROFILES, profile
from urnsyntax import URN, InvalidURN, equivalent
from urnsyntax.profiles import OtherNamespace
from urnsyntax.profiles.grammar.patterns import MAX_NSS_LENGTH


def judge(urn):
    return PROFILES.judge(urn)


@pytest.mark.parametrize(
    "urn",
    [
        "urn:isbn:978-0-451-45052-4",
        "urn:ISBN:0451450523",
        "urn:isbn:9780451450524",
        "urn:issn:0028-0836",
        "urn:oid:1.3.6.1",
        "urn:lei:7LTWFZYICNSX8D621K86",
        "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "urn:isbn:0451450523?+resolve?=format=pdf#page=2",
    ],
)
def test_a_right_name_is_conformant(urn):
    judgement = judge(urn)
    assert (judgement.conformant, judgement.reason, judgement.position) == (True, "", None)
    assert (judgement.rule, judgement.expected, judgement.repair) == ("", "", None)


WRONG = [
    ("urn:isbn:9780451450523", 21, "isbn", "The check digit is wrong; it would be 4.", "urn:isbn:9780451450524"),
    ("urn:ISBN:0-451-45052-X", 21, "isbn", "The check digit is wrong; it would be 3.", "urn:isbn:0-451-45052-3"),
    ("urn:isbn:080442957x", 18, "check-digit-10", "“x” stands where a digit, “-” or “X” is expected (check digit).",
     "urn:isbn:080442957X"),
    ("urn:isbn:97804514505241", 22, "grammar", "“1” stands where the name must end.", None),
    ("urn:isbn:978", 12, "grammar", "The name ends where a digit is expected.", None),
    ("urn:isbn:9770451450524", 11, "gs1-element", "“7” stands where “8” or “9” is expected (GS1 element).", None),
    ("urn:issn:0028-0837", 17, "issn", "The check digit is wrong; it would be 6.", "urn:issn:0028-0836"),
    ("urn:uuid:zzz", 9, "grammar", "“z” stands where a hexadecimal digit is expected.", None),
    ("urn:uuid:f81d4fae7dec11d0a76500a0c91e6bf6", 17, "grammar", "“7” stands where “-” is expected.",
     "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"),
    ("urn:lei:7LTWFZYICNSX8D621K87", 26, "lei", "The check digits are wrong; they would be 86.",
     "urn:lei:7LTWFZYICNSX8D621K86"),
    ("urn:oid:1..3", 10, "number", "The number is missing before “.”.", "urn:oid:1.3"),
    ("urn:oid:1.3.", 12, "number", "The number is missing at the end.", "urn:oid:1.3"),
    ("urn:oid:1.03", 10, "number", "“0” stands where “1” to “9” is expected (number).", None),
    ("urn:cdx:f08a6ccd-4dce-4759-bd84-c626675d60a7", 44, "grammar",
     "“/” and the version of the BOM are missing at the end.", None),
    ("urn:mpeg::schema:2001", 9, "standard", "The standard is missing before “:”.", None),
    ("urn:iptc:std:NewsML:1.1:schema:DTD:1", 24, "group",
     "“schema” stands where “doc”, “spec” or “xmlns” is expected (group of resources).", None),
    ("urn:eurosystem:xsd/reda", 18, "grammar", "“/” is not allowed here.", None),
    ("urn:wmo:md:de-dwd:icon%C3%A9eps", 22, "local-id", "“%C3” is not allowed here (local identifier).", None),
    ("urn:schac:userStatus:", 21, "token", "The token is missing at the end.", None),
    ("urn:isbn:978--0451450524", 13, "grammar", "“-” stands twice.", "urn:isbn:978-0451450524"),
    ("urn:epc:sgtin:0614141.107346.2017", 8, "grammar",
     "“sgtin” stands where “class:”, “id:”, “idpat:”, “pat:”, “raw:” or “tag:” is expected.", None),
    ("urn:ietf:rfc2648", 12, "grammar", "“2” stands where “:” is expected.", None),
    ("urn:gvat:12345:abc", 14, "grammar", "“:” stands where “/” is expected.", "urn:gvat:12345/abc"),
    ("urn:dev:mac:00-24-be-ff-fe-80-4f-f1", 14, "eui-64",
     "“-” stands where a hexadecimal digit is expected (EUI-64).", "urn:dev:mac:0024befffe804ff1"),
    ("urn:lex:br:federal:lei:2019-13-05;13869", 29, "dates", "“3” stands where “0” to “2” is expected (date).", None),
    ("urn:isan:0000-0000-0B4D-0000-G-0000-0000-Q", 29, "isan", "The check digit is wrong; it would be B.",
     "urn:isan:0000-0000-0B4D-0000-B-0000-0000-4"),
    ("urn:nbn:deu:101-1", 10, "grammar", "“u” stands where “-” or “:” is expected.", None),
    ("urn:ietf:rfc:2648.txt", 17, "number", "“.” stands where a digit or the end is expected (number).", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("urn", "position", "rule", "reason", "repair"), WRONG, ids=[each[0] for each in WRONG]
)
def test_a_wrong_name_is_pointed_at(urn, position, rule, reason, repair):
    judgement = judge(urn)
    assert judgement.conformant is False
    assert (judgement.position, judgement.rule, judgement.reason) == (position, rule, reason)
    assert judgement.repair == repair
    if repair:
        assert judge(repair).conformant is True


def test_the_forms_of_one_book_are_equivalent():
    forms = ["urn:isbn:978-0-451-45052-4", "urn:ISBN:0451450523", "urn:isbn:9780451450524"]
    assert {judge(each).canonical for each in forms} == {"urn:isbn:9780451450524"}
    judgement = judge(forms[0])
    assert judgement.equivalents == (
        "urn:isbn:9780451450524",
        "urn:isbn:0-451-45052-3",
        "urn:isbn:0451450523",
    )
    rules = judgement.profile.names.equivalence_rules
    assert all(equivalent(forms[0], each, rules) for each in judgement.equivalents)
    assert judge("urn:isbn:9780451450523").equivalents == ()


def test_what_does_not_count_is_taken_out_of_the_canonical_form():
    assert judge("URN:UUID:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6?=q#f").canonical == (
        "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
    )
    assert judge("URN:Example:a%2cB").canonical == "urn:example:a%2CB"
    only_hyphens = profile(pattern="-+", ignored_characters="-")
    assert only_hyphens.judge("urn:trees:--").canonical == "urn:trees:--"


def test_parts_have_labels_and_places_in_the_urn():
    judgement = judge("URN:NBN:de:101:x-1?=q")
    assert [(each.label, each.text, each.start) for each in judgement.parts] == [
        ("country", "de", 8), ("subnamespace", "101", 11), ("subnamespace", "x", 15), ("number", "1", 17),
    ]  # fmt: skip
    assert all(str(judgement.urn)[each.start : each.end] == each.text for each in judgement.parts)
    assert judge("urn:oid:1..3").parts == ()


def test_a_name_with_a_wrong_check_digit_has_parts():
    assert [each.text for each in judge("urn:isbn:9780451450523").parts] == ["978", "3"]


def test_all_check_digits_are_reported():
    names = {"abnf": 'a = issn "," issn\nissn = 8DIGIT', "checks": [{"algorithm": "issn", "part": "issn"}]}
    urn = "urn:trees:00280836,03178472"
    results = profile(**names).judge(urn).check_digits
    assert [urn[each.start : each.end] for each in results] == [each.text for each in results]
    assert [(each.label, each.is_right, each.expected) for each in results] == [
        ("ISSN", True, ""), ("ISSN", False, "1"),
    ]  # fmt: skip
    assert judge("urn:oid:1.3").check_digits == ()
    for wrong in ("urn:isbn:978", "urn:example:1", f"urn:isbn:{'1' * (MAX_NSS_LENGTH + 1)}"):
        assert judge(wrong).check_digits == ()


def test_a_namespace_without_grammar_is_not_judged():
    judgement = judge("urn:example:anything")
    assert (judgement.conformant, judgement.position, judgement.repair) == (None, None, None)
    assert judgement.reason == judgement.profile.names.unstated
    assert judgement.parts == ()


def test_a_name_that_is_too_long_is_not_judged():
    trees = profile(abnf="a = 1*DIGIT")
    longest, longer = ("1" * length for length in (MAX_NSS_LENGTH, MAX_NSS_LENGTH + 1))
    assert trees.judge(f"urn:trees:{longest}").conformant is True
    judgement = trees.judge(f"urn:trees:{longer}")
    assert judgement.conformant is None
    assert judgement.reason == "The NSS has 8,193 characters; rules are checked for up to 8,192."


def test_the_names_of_a_large_grammar_can_be_less_long():
    trees = profile(abnf="a = 1*900( DIGIT %x61-66 ALPHA ) *DIGIT")
    longest = trees.names.grammar.longest_nss
    assert longest < MAX_NSS_LENGTH
    assert trees.judge("urn:trees:" + "1aa" * 800 + "1" * (longest - 2_400)).conformant is True
    assert trees.judge("urn:trees:" + "1aa" * 800 + "1" * (longest - 2_399)).conformant is None


def test_percent_encodings_are_compared_in_upper_case():
    trees = profile(abnf='a = 1*( ALPHA / %s"%2F" )')
    assert trees.judge("urn:trees:a%2fb").conformant is True
    judgement = trees.judge("urn:trees:a%2db")
    assert (judgement.conformant, judgement.position) == (False, 11)
    assert judgement.reason == "“%2D” is not allowed here."


def test_a_pattern_is_named_without_a_place():
    trees = profile(pattern="[0-9]+:(?P<tree>[0-9]+)", parts={"tree": "tree"}, ignores_case=True)
    judgement = trees.judge("urn:trees:1")
    assert (judgement.conformant, judgement.position, judgement.rule) == (False, None, "pattern")
    assert judgement.reason == "“1” does not match the pattern “[0-9]+:(?P<tree>[0-9]+)”."
    assert [each.text for each in trees.judge("urn:trees:1:22").parts] == ["22"]


def test_check_digits_of_parts_are_judged_each():
    trees = profile(
        abnf='a = issn *( "," issn )\nissn = 4DIGIT "-" 4DIGIT',
        checks=[{"algorithm": "issn", "part": "issn"}],
    )
    assert trees.judge("urn:trees:0028-0836,0317-8471").conformant is True
    judgement = trees.judge("urn:trees:0028-0836,0317-8472,0028-0835")
    assert (judgement.conformant, judgement.position, judgement.expected) == (False, 28, "1")
    assert judgement.repair is None  # one correction is not enough
    assert trees.judge("urn:trees:0028-0836,0317-8472").repair == "urn:trees:0028-0836,0317-8471"


def test_a_part_that_is_absent_has_no_check_digit():
    either = profile(
        abnf="a = issn / name\nissn = 8DIGIT\nname = 1*ALPHA", checks=[{"algorithm": "issn", "part": "issn"}]
    )
    assert either.judge("urn:trees:oak").conformant is True
    assert either.judge("urn:trees:00280837").conformant is False


def test_a_profile_judges_its_own_namespace_alone():
    trees = profile(abnf=GRAMMAR)
    assert trees.judge(URN.parse("URN:Trees:1:2")).conformant is True
    with pytest.raises(OtherNamespace):
        trees.judge("urn:gardens:1:2")
    with pytest.raises(InvalidURN):
        trees.judge("urn:trees:")
    assert judge("urn:x-unknown:1") is None


HOSTILE = [
    "500[ DIGIT ] 500DIGIT",
    "*( *DIGIT *ALPHA )",
    '*VCHAR *VCHAR *VCHAR %s"!"',
    '*( DIGIT / 2DIGIT ) %s"!"',
]


@pytest.mark.parametrize("grammar", HOSTILE)
def test_a_hostile_name_is_judged_with_all_its_details(grammar):
    """`python3 run.py benchmark profiles` measures how long this takes."""
    trees = profile(abnf=f"a = b\nb = {grammar}", parts={"b": "all"})
    longest = trees.names.grammar.longest_nss
    judgement = trees.judge("urn:trees:" + "1" * (longest - 1) + "*")
    assert judgement.conformant is False
    assert judgement.reason
    assert judgement.repair is None


def test_names_of_a_million_characters_are_answered():
    for beginning in ("urn:isbn:", "urn:oid:1.", "urn:example:", "urn:nbn:se:uu-"):
        judgement = judge(beginning + "1" * 1_000_000)
        assert judgement.conformant is None
        assert len(judgement.canonical) == 1_000_000 + len(beginning)
        assert (judgement.parts, judgement.repair) == ((), None)
