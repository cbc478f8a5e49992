"""Equivalence in namespaces: relations that only add to RFC 8141, Section 3, and what each function makes equal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urnsyntax import URN, equivalence_key, equivalent, is_urn
from urnsyntax.profiles.equivalence import EQUIVALENCES, IGNORABLE, equivalence_rules, parse_ignored

# Names that the functions know, with changes to some of their characters, and arbitrary ones.
KNOWN = [
    "0451450523", "0-451-45052-3", "9780451450524", "978-0-451-45052-4", "080442957X", "9790000000000",
    "0028-0836", "00280836", "1050-124X", "1050-124x", "1050124x", "imo:IMO-number:9743368", "IMO:imo-number:974",
    "imei:90420156-025763-0;vers=0", "IMEI:90420156-025763-0", "a.org:20121231:x:1A", "GDD:BIE:TradeItem",
    "Archive.org:2016-01-22z:Page:https://a", "ul:060E2B34.0101010A", "UL:060e2b34.0101010a", "de:101:1-2011", "DE:101:1-2011", "FI-fe1998", "fi-FE1998",
]  # fmt: skip
PIECES = st.sampled_from(
    ["a", "A", "-", ".", ":", "9", "0", "X", "x", "%2c", "%2C", "%2D", "ul:", "de-", "978"]
)
ANY_NSS = st.lists(PIECES, min_size=1, max_size=8).map("".join)
NSS = st.sampled_from(KNOWN) | st.builds(str.__add__, st.sampled_from(KNOWN), PIECES) | ANY_NSS
NAMES = NSS.filter(lambda nss: is_urn(f"urn:example:{nss}")).map(lambda nss: URN.parse(f"urn:example:{nss}"))
RULES = st.builds(
    lambda case, ignored, name: equivalence_rules(
        ignores_case=case, ignored_characters=ignored, equivalence=name
    ),
    st.booleans(),
    st.text(IGNORABLE, max_size=3).map(parse_ignored),
    st.sampled_from(["", *sorted(EQUIVALENCES)]),
)


def nss_of(urn):
    return str(urn.normalized()).split(":", 2)[2]


@given(st.sampled_from(sorted(EQUIVALENCES)), NAMES)
def test_a_function_leaves_its_results_alone(name, urn):
    key = EQUIVALENCES[name].key(nss_of(urn))
    assert EQUIVALENCES[name].key(key) == key


@given(RULES, NAMES)
def test_a_name_is_equivalent_to_itself(rules, urn):
    assert equivalent(urn, urn, rules)


@given(RULES, NAMES, NAMES)
def test_equivalence_is_symmetric(rules, first, second):
    assert equivalent(first, second, rules) == equivalent(second, first, rules)


@given(RULES, NAMES, NAMES, NAMES)
def test_equivalence_is_transitive(rules, first, second, third):
    if equivalent(first, second, rules) and equivalent(second, third, rules):
        assert equivalent(first, third, rules)


@given(RULES, NAMES, NAMES)
def test_rules_only_add_to_the_equivalence_of_the_rfc(rules, first, second):
    if equivalent(first, second):
        assert equivalent(first, second, rules)


@given(RULES, NAMES)
def test_the_case_of_scheme_nid_and_triplets_never_counts(rules, urn):
    other = URN.parse(f"URN:EXAMPLE:{urn.nss}".replace("%2c", "%2C"))
    assert equivalence_key(urn, rules) == equivalence_key(other, rules)


SAME = [
    ("isbn", "0451450523", "9780451450524"),
    ("isbn", "0-451-45052-3", "978-0-451-45052-4"),
    ("isbn", "080442957X", "9780804429573"),
    ("issn", "0028-0836", "00280836"),
    ("issn", "1050-124X", "1050124x"),
    ("mrn", "IMO:IMO-number:9743368", "imo:imo-number:9743368"),
    ("smpte", "ul:060E2B34.0101010A", "UL:060e2b34.0101010a"),
    ("urn-6", "fr:place:Chine", "fr:place:chine"),
    ("nbn", "DE:101:1-2011", "de:101:1-2011"),
    ("nbn", "FI-fe1998", "fi-fe1998"),
    ("first-part", "SCHEMA:Ndm", "schema:Ndm"),
    ("prefix", "DC:Terms-title", "dc:terms-title"),
    ("gsma", "IMEI:90420156-025763-0;VERS=0", "imei:90420156-025763-0"),
    ("gsma", "imei:90420156-025763-0;SVN=42;vers=0", "imei:90420156-025763-0;svn=42"),
    ("newsml", "afp.com:20121231:123:2A", "afp.com:20121231:123:2"),
    (
        "pwid",
        "Archive.org:2016-01-22t10:08:23z:PAGE:https://a",
        "archive.org:2016-01-22T10:08:23Z:page:https://a",
    ),
    ("gs1", "GDD:BIE:TradeItem", "gdd:bie:TradeItem"),
    ("gs1", "STD:epcis:2.0", "std:epcis:2.0"),
]
DIFFERENT = [
    ("isbn", "0451450520", "9780451450524"),  # a wrong check digit
    ("isbn", "9780451450524", "9790451450521"),
    ("isbn", "a-b", "ab"),
    ("issn", "0028-0836", "0028083-6"),
    ("issn", "x-X", "xX"),
    ("mrn", "imo:imo-number:abc", "imo:imo-number:ABC"),
    ("smpte", "umid:060E", "umid:060e"),
    ("urn-6", "fr:place:Chine", "fr:place:CHINE"),
    ("urn-6", "fr:place:chine", "FR:place:chine"),
    ("nbn", "fi-fe1998", "fi-FE1998"),
    ("nbn", "abc-d", "ABC-d"),
    ("first-part", "schema:Ndm", "schema:ndm"),
    ("first-part", "schema", "SCHEMA"),
    ("prefix", "marc-bd245", "marc-BD245"),
    ("gsma", "imei:90420156-025763-0;vers=1", "imei:90420156-025763-0"),
    ("gsma", "rcs;vers=0", "rcs"),
    ("newsml", "afp.com:20121231:123:2", "afp.com:20121231:123:3"),
    ("newsml", "afp.com:2012:123:2U", "afp.com:2012:123:2"),
    ("pwid", "archive.org:2016-01-22Z:page:https://a/b", "archive.org:2016-01-22Z:page:https://a/B"),
    ("gs1", "gdd:bie:TradeItem", "gdd:bie:tradeItem"),
    ("gs1", "gdd:abc:TradeItem", "GDD:abc:TradeItem"),
]


def are_same(name, first, second):
    urns = [f"urn:example:{nss}" for nss in (first, second)]
    return equivalent(*urns, equivalence_rules(equivalence=name))


@pytest.mark.parametrize(("name", "first", "second"), SAME)
def test_what_a_function_makes_equal(name, first, second):
    assert are_same(name, first, second)


@pytest.mark.parametrize(("name", "first", "second"), DIFFERENT)
def test_what_a_function_leaves_different(name, first, second):
    assert not are_same(name, first, second)


def test_every_function_is_shown():
    assert {name for name, _, _ in SAME} == {name for name, _, _ in DIFFERENT} == set(EQUIVALENCES)


def test_other_spellings_have_the_same_key():
    for name, key in (("isbn", "9780451450524"), ("isbn", "9791032305690"), ("issn", "1050-124X")):
        spellings = EQUIVALENCES[name].others(key)
        assert len(spellings) >= 2
        assert {EQUIVALENCES[name].key(each) for each in spellings} == {key}
    assert EQUIVALENCES["isbn"].others("nothing") == ()
