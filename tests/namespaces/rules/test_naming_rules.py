"""Rules as a value: what RE2 takes of a pattern, what it says of a URN, and that rules never take names apart."""

import re
from contextlib import suppress
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.namespaces.rules.naming_rules import (
    NAMES,
    InvalidIgnoredCharacters,
    Rules,
    parse_ignored,
    parse_rules,
)
from registry.namespaces.rules.patterns import InvalidPattern, parse_pattern
from urnsyntax import URN, equivalent, is_urn
from urnsyntax.profiles.equivalence import IGNORABLE
from urnsyntax.profiles.grammar.patterns import MAX_NSS_LENGTH, MAX_PATTERN

REFUSED = [
    ("(a{1000}){1000}", "at character 10: invalid repetition size “{1000}”"),
    ("a{1001}", "at character 2: invalid repetition size"),
    ("((a{100}){100}){100}", "invalid repetition size"),
    ("(?:a?){900}(?:a?){900}", "compiles to 3,604 steps; the limit is 2,000"),
    ("(?:(?:a?){30}){30}" * 40, "steps"),
    ("(?:.?){900}" * 100, "pattern too large"),
    ("a(?=b)", "at character 2: invalid perl operator “(?=”. RE2 does not support lookahead"),
    ("(?<!a)b", "at character 1: invalid perl operator"),
    (r"(a)\1", r"at character 4: invalid escape sequence “\1”. RE2 does not support back-references"),
    ("a**", "at character 2: bad repetition operator “**”"),
    ("*a", "at character 1: no argument for repetition operator"),
    ("[a-", "at character 1: missing ]"),
    ("x[z-a]", "at character 3: invalid character class range “z-a”"),
    ("(a", "the pattern: missing )"),
    ("a)", "the pattern: unexpected )"),
    ("a\\", "trailing \\"),
    ("[0-9]+\n", "Character 7 of the pattern is U+000A"),
    ("\n", "Character 1 of the pattern is U+000A"),
    ("a b", "Character 2 of the pattern is U+0020"),
    ("é+", "Character 1 of the pattern is U+00E9"),
    ("[٠-٩]+", "Character 2 of the pattern is U+0660"),
    ("a\0", "Character 2 of the pattern is U+0000"),
    ("\ud800", "Character 1 of the pattern is U+D800"),
    ("\x7f", "Character 1 of the pattern is U+007F"),
    ("x" * (MAX_PATTERN + 1), "has 2,001 characters; the limit is 2,000"),
    ("(" * 1001, "RE2 rejects the pattern"),
]


@pytest.mark.parametrize(("pattern", "reason"), REFUSED, ids=lambda text: ascii(text)[:30])
def test_a_pattern_that_does_not_do_is_refused_by_place_and_reason(pattern: str, reason: str) -> None:
    with pytest.raises(InvalidPattern) as refusal:
        parse_pattern(pattern)
    assert reason in str(refusal.value)
    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize(
    "pattern",
    ["", "[0-9]+", "((a*)*)*b", "(x+x+)+y", "(a?){500}a{500}", "^a$", "(?i)abc", "(?P<garden>[0-9]+):.*", r"\pL+",
     "a|", "x" * 1990, "[!-~]{1,255}", "%[0-9A-F]{2}", "é".encode().hex()],
    ids=lambda text: ascii(text)[:30],
)  # fmt: skip
def test_what_re2_takes_is_taken_as_it_is(pattern: str) -> None:
    assert parse_pattern(pattern) == pattern


SIGNS = st.text("ab[](){}|*+?.\\^$0-9,:P<>=!%", max_size=60)


@given(SIGNS | st.text(st.characters(max_codepoint=0x2FF), max_size=40))
def test_any_text_is_a_pattern_or_refused(text: str) -> None:
    with suppress(InvalidPattern):
        assert parse_pattern(text) == text
        assert Rules(text).judge(URN.parse("urn:example:a")).is_conformant in {True, False}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("-a", "Character 2"), ("9", "Character 1"), ("%", "Character 1"), ("-\n", "Character 2 is U+000A"),
     (" ", "U+0020"), ("–", "U+2013"), ("-٣", "Character 2"), ("?", "Character 1"), ("#", "Character 1")],
)  # fmt: skip
def test_a_character_that_can_not_be_ignored_is_pointed_at(text: str, wrong: str) -> None:
    with pytest.raises(InvalidIgnoredCharacters, match=re.escape(wrong)):
        parse_ignored(text)


def test_ignored_characters_are_kept_once_and_in_order() -> None:
    assert parse_ignored(".-.-") == "-."
    assert set(parse_ignored(IGNORABLE)) == set(NAMES) == set(IGNORABLE)


def test_all_punctuation_that_an_nss_may_contain_can_be_ignored() -> None:
    signs = {chr(code) for code in range(128) if not chr(code).isalnum() and chr(code) != "%"}
    texts = {sign: f"urn:example:a{sign}b" for sign in signs}
    own = {sign for sign, text in texts.items() if is_urn(text) and sign in URN.parse(text).nss}
    assert own == set(IGNORABLE)


TREES = parse_rules(nss_pattern="[1-9][0-9]*:[1-9][0-9]*")


@pytest.mark.parametrize(
    ("rules", "urn", "fits"),
    [
        (TREES, "urn:example-trees:12:4711", True),
        (TREES, "URN:Example-Trees:12:4711?+r?=q#f", True),
        (TREES, "urn:example-trees:12:4711x", False),
        (TREES, "urn:example-trees:x12:4711", False),
        (TREES, "urn:example-trees:12", False),
        (parse_rules(nss_pattern="a|b"), "urn:example:ab", False),
        (parse_rules(nss_pattern="%2C"), "urn:example:%2c", True),
        (parse_rules(nss_pattern="%2c"), "urn:example:%2C", False),
        (parse_rules(nss_pattern="[a-z]"), "urn:example:A", False),
        (parse_rules(nss_pattern="(?i)[a-z]"), "urn:example:A", True),
        (parse_rules(ignores_case=True), "urn:example:anything", True),
        (Rules(), "urn:example:anything", True),
    ],
)
def test_the_whole_nss_is_matched_as_section_3_leaves_it(rules: Rules, urn: str, fits: bool) -> None:
    fault = rules.fault_in(URN.parse(urn))
    assert (fault is None) == fits
    assert rules.judge(URN.parse(urn)).is_conformant is fits
    if fault:
        assert rules.nss_pattern in fault


@pytest.mark.parametrize(
    "pattern", ["(a?){500}a{500}", "((a*)*)*b", "(x+x+)+y", "[ab]*a[ab]{500}", "(.*)*(.*)*c"]
)
def test_a_hostile_name_is_judged_all_the_same(pattern: str) -> None:
    rules = parse_rules(nss_pattern=pattern)
    assert rules.judge(URN.parse(f"urn:example:{'ax' * (MAX_NSS_LENGTH // 2)}")).is_conformant is False


def test_a_name_that_is_too_long_is_not_judged() -> None:
    rules = parse_rules(nss_pattern="b+", ignored_characters="-")
    longest, longer = (
        URN.parse(f"urn:example:{'b' * length}") for length in (MAX_NSS_LENGTH, MAX_NSS_LENGTH + 1)
    )
    assert rules.judge(longest).is_conformant is True
    assert (rules.judge(longer).is_conformant, rules.fault_in(longer)) == (None, None)
    assert Rules(ignores_case=True).judge(longer).is_conformant is True


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (Rules(), ""),
        (Rules("[0-9]+"), ""),
        (Rules(ignores_case=True), "Ignored when names are compared: letter case."),
        (Rules(ignored_characters="-"), "Ignored when names are compared: hyphens."),
        (Rules("", True, "-"), "Ignored when names are compared: letter case and hyphens."),
        (Rules("", True, "-."), "Ignored when names are compared: letter case, hyphens and full stops."),
    ],
)  # fmt: skip
def test_ignored_differences_are_described(rules: Rules, sentence: str) -> None:
    assert rules.equivalence_in_words == sentence


RULES = st.builds(Rules, st.just(""), st.booleans(), st.text(IGNORABLE, max_size=4).map(parse_ignored))
NSS = st.lists(
    st.sampled_from(["a", "A", "-", ".", ":", "2", "%2c", "%2C", "%2D", "%61"]), min_size=1, max_size=6
)
URNS = NSS.map("".join).filter(lambda nss: is_urn(f"urn:example:{nss}")).map("urn:example:{}".format)


@given(RULES, URNS, URNS)
def test_rules_make_more_names_one_and_never_fewer(rules: Rules, first: str, second: str) -> None:
    if equivalent(first, second):
        assert equivalent(first, second, rules.equivalence)
    one, other = URN.parse(first), URN.parse(second)
    assert (rules.key_of(one) == rules.key_of(other)) == equivalent(first, second, rules.equivalence)


@given(RULES, URNS, URNS)
def test_what_is_percent_encoded_stays_a_difference(rules: Rules, first: str, second: str) -> None:
    triplets = [[part.upper()[:2] for part in text.split("%")[1:]] for text in (first, second)]
    if triplets[0] != triplets[1]:
        assert not equivalent(first, second, rules.equivalence)


def test_names_of_two_namespaces_are_never_one() -> None:
    rules = parse_rules(ignores_case=True, ignored_characters=IGNORABLE)
    for first, second in product(
        ("urn:example:a-b", "urn:example:AB"), ("urn:examples:ab", "urn:exam-ple:ab")
    ):
        assert not equivalent(first, second, rules.equivalence)
