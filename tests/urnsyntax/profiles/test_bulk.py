"""Judging many texts gives the same results as judging each, and as the rules of RFC 8141 and of a profile one by one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.urnsyntax.profiles.samples import PROFILES, profile
from tests.urnsyntax.vectors import vectors
from urnsyntax import URN, InvalidURN, equivalence_key, is_urn
from urnsyntax.profiles import Profiles
from urnsyntax.profiles.check_digits import check as check_digits
from urnsyntax.profiles.grammar.patterns import compiled

EXAMPLES = [
    example.urn for each in PROFILES for example in (*each.names.examples, *each.names.counterexamples)
]
TEXTS = [
    *EXAMPLES,
    "",
    "urn:isbn:",
    "urn:x-unknown:1",
    "URN:OID:1.2",
    "urn:isbn:0451450523?=a#b",
    "urn:nbn:fi-%e4",
    f"urn:oid:1.{'2' * 20_000}",
    *(each["input"] for name in ("urn-8141.jsonl", "urn-2141.jsonl") for each in vectors(name)),
    *(each[side] for each in vectors("equivalence.jsonl") for side in "ab"),
]


def test_each_text_is_answered_in_its_order():
    results = list(PROFILES.judge_many(TEXTS))
    assert [each.text for each in results] == TEXTS
    for result in results:
        check(result)


@pytest.mark.parametrize("at_once", [1, 7, 100_000])
def test_the_results_do_not_depend_on_the_number_of_texts_at_once(at_once):
    def answers(results):
        return [(each.text, each.nid, each.conformant, each.reason, each.canonical) for each in results]

    assert answers(PROFILES.judge_many(TEXTS, at_once=at_once)) == answers(PROFILES.judge_many(TEXTS))


def test_no_more_texts_are_read_than_are_judged_at_once():
    texts = iter(TEXTS)
    next(PROFILES.judge_many(texts, at_once=3))
    assert list(texts) == TEXTS[3:]


# Near labels of a list, which a judgement of one URN names, and those of many do not (`urnsyntax.profiles.bulk`).
NEAR = re.compile("; “[^”]*”(?:, “[^”]*”)* (?:is|are)(?=[.] )")


def check(result):
    text = result.text
    assert result.is_urn == is_urn(text)
    if not result.is_urn:
        assert (result.conformant, result.canonical, result.judgement) == (False, None, None)
        assert result.reason == str(InvalidURN(text))
        return
    judgement = PROFILES.judge(text)
    assert result.nid == URN.parse(text).nid
    assert (result.profile is None) == (judgement is None)
    if judgement is None:
        assert (result.conformant, result.reason, result.judgement) == (None, "", None)
        assert result.canonical == str(URN.parse(text).normalized())
        return
    assert result.conformant is judgement.conformant
    assert result.reason == NEAR.sub("", judgement.reason)
    assert result.canonical == judgement.canonical == canonical_of(text)
    if judgement.rule != "sub-namespace":  # The lists are tested in `subnamespaces`.
        assert result.conformant is conformant_of(text)


def conformant_of(text):
    """The verdict, step by step: the grammar without its quick test, then each check with its details."""
    names, nss = PROFILES.get(URN.parse(text).nid).names, URN.parse(text).normalized().nss
    if names.grammar is None or len(nss) > names.grammar.longest_nss:
        return None
    if not compiled(names.grammar.pattern).fullmatch(nss.encode()):
        return False
    parts = names.grammar.parts_of(nss, [each.part for each in names.checks if each.required and each.part])
    return all(
        check_digits(each.algorithm, nss[start:end]).is_right
        for each in names.checks
        if each.required
        for rule, start, end in ([*parts] if each.part else [("", 0, len(nss))])
        if rule == each.part
    )


def canonical_of(text):
    key = equivalence_key(text, PROFILES.get(URN.parse(text).nid).names.equivalence_rules)
    return key if is_urn(key) else str(URN.parse(text).normalized())


CHANGED = st.builds(
    lambda text, place, change, removed: text[:place] + change + text[place + removed :],
    st.sampled_from(EXAMPLES),
    st.integers(0, 40),
    st.one_of(
        st.text("0aX-:.%/?=#é \n\ud800", max_size=6),
        st.builds(str.__mul__, st.sampled_from("1a-:%"), st.integers(0, 9_000)),
    ),
    st.integers(0, 3),
)


def test_near_labels_are_named_for_one_urn_and_not_for_many():
    text = "urn:service:os.police"
    (result,) = PROFILES.judge_many([text])
    assert "; “sos.police” is. " in PROFILES.judge(text).reason
    assert "sos.police" not in result.reason
    check(result)


@given(st.lists(st.one_of(CHANGED, st.text(max_size=40)), max_size=5))
def test_judging_many_agrees_with_judging_one(texts):
    results = list(PROFILES.judge_many(texts))
    assert [each.text for each in results] == texts
    for result in results:
        check(result)


def test_check_digits_of_parts_and_of_the_whole_count():
    names = {"abnf": 'a = issn "," issn\nissn = 8DIGIT', "checks": [{"algorithm": "issn", "part": "issn"}]}
    trees = Profiles([profile(**names)])
    texts = ["urn:trees:00280836,03178471", "urn:trees:00280836,03178472", "urn:trees:00280836"]
    assert [each.conformant for each in trees.judge_many(texts)] == [True, False, False]


def test_a_canonical_form_is_a_urn():
    trees = Profiles([profile(pattern="[-/]+", ignored_characters="-")])
    for text in ("urn:trees:-/", "urn:trees:--"):
        [result] = trees.judge_many([text])
        assert result.canonical == trees.judge(text).canonical == text


def test_an_empty_source_has_no_results():
    assert list(PROFILES.judge_many([])) == []
