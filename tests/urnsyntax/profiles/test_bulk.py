"""Judging many texts gives the same results as judging each."""

from hypothesis import given
from hypothesis import strategies as st

from tests.urnsyntax.profiles.samples import FIXTURES, profile
from urnsyntax import URN, InvalidURN, is_urn
from urnsyntax.profiles import Profiles, load_profiles

PROFILES = load_profiles(FIXTURES)
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
]


def test_each_text_is_answered_in_its_order():
    results = list(PROFILES.judge_many(TEXTS))
    assert [each.text for each in results] == TEXTS
    for result in results:
        check(result)


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
    assert result.reason == judgement.reason
    assert result.canonical == judgement.canonical


CHANGED = st.builds(
    lambda text, place, character: text[:place] + character + text[place + 1 :],
    st.sampled_from(EXAMPLES),
    st.integers(4, 40),
    st.sampled_from("0aX-:.%é "),
)


@given(CHANGED)
def test_judging_many_agrees_with_judging_one(text):
    [result] = PROFILES.judge_many([text])
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
