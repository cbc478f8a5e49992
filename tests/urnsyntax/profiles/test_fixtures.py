"""The profiles of the fixtures behave as they say, and so does the function that verifies them."""

import re
import tomllib
from dataclasses import fields

import pytest

from tests.urnsyntax.profiles.samples import FIXTURES, GRAMMAR, profile
from urnsyntax import URN
from urnsyntax.profiles import DatedSource, Names, Profile, Service
from urnsyntax.profiles.collection import profile_files
from urnsyntax.profiles.examples import Verification, failures_of, verify_directory

RESULTS = list(verify_directory(FIXTURES))


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.nid)
def test_every_example_and_counterexample_behaves_as_it_says(result):
    assert result.failures == ()
    assert result.profile


def test_every_file_is_verified():
    assert [each.nid for each in RESULTS] == [path.stem for path in profile_files(FIXTURES)]
    assert {"isbn", "issn", "uuid", "oid", "lei", "ietf", "nbn", "example"} <= {each.nid for each in RESULTS}


def test_a_grammar_shows_where_a_counterexample_goes_wrong():
    """Also where the grammar is large: the pattern for beginnings is small enough."""
    for result in RESULTS:
        names = result.profile.names
        for counterexample in names.counterexamples if names.abnf else ():
            assert result.profile.judge(counterexample.urn).position is not None, counterexample.urn


def test_components_and_the_case_of_the_nid_do_not_count():
    for result in RESULTS:
        for example in result.profile.names.examples:
            _, nid, nss = str(URN.parse(example.urn).assigned_name).split(":", 2)
            judged = [result.profile.judge(f"{start}:{nss}{end}") for start, end in (
                (f"urn:{nid}", ""), (f"URN:{nid.upper()}", ""), (f"urn:{nid}", "?+r?=q=1#f"), (f"urn:{nid}", "#f"),
            )]  # fmt: skip
            assert len({(each.conformant, each.canonical) for each in judged}) == 1, example.urn


def test_the_canonical_form_of_an_example_is_conformant_and_canonical():
    for result in RESULTS:
        for example in result.profile.names.examples:
            judgement = result.profile.judge(example.urn)
            canonical = result.profile.judge(judgement.canonical)
            assert canonical.canonical == judgement.canonical
            assert canonical.conformant == judgement.conformant, (example.urn, judgement.canonical)


def examples(*nss):
    return [{"urn": f"urn:trees:{each}"} for each in nss]


def counterexamples(*nss):
    return [{"urn": f"urn:trees:{each}", "reason": "It is wrong."} for each in nss]


GOOD, BAD = ("1:2", "1:0", "10:20/a"), ("1", "1:", "1:02")


def failures(**names):
    return list(failures_of(profile(**names)))


def test_a_profile_without_fault_has_no_failure():
    assert failures(abnf=GRAMMAR, examples=examples(*GOOD), counterexamples=counterexamples(*BAD)) == []
    assert failures(unstated="None is stated.", examples=examples("x")) == []


def test_an_example_that_breaks_the_rules_is_a_failure():
    found = failures(abnf=GRAMMAR, examples=examples(*GOOD, "1:x"), counterexamples=counterexamples(*BAD))
    assert found == ["urn:trees:1:x is an example, but: “x” stands where a digit is expected."]


def test_a_counterexample_that_follows_the_rules_is_a_failure():
    found = failures(abnf=GRAMMAR, examples=examples(*GOOD), counterexamples=counterexamples(*BAD, "1:1"))
    assert found == ["urn:trees:1:1 is a counterexample, but the rules allow it."]


def test_a_counterexample_needs_a_grammar():
    found = failures(unstated="None.", examples=examples("a"), counterexamples=counterexamples("b"))
    assert found == ["urn:trees:b is a counterexample, but the rules allow it."]


def test_missing_examples_are_failures():
    assert failures(unstated="None is stated.") == ["The profile has no example; it needs at least one."]
    assert failures(abnf=GRAMMAR, examples=examples("1:2")) == [
        "The profile has 1 example; it needs at least 3.",
        "The profile has 0 counterexamples; it needs at least 3.",
    ]


def test_an_invalid_file_is_a_failure(tmp_path):
    (tmp_path / "trees.toml").write_text("nid = 'trees'")
    [found] = verify_directory(tmp_path)
    assert found == Verification("trees", None, ("trees.toml: title: The key is missing. Add it.",))
    assert set(found.columns.values()) == {""}


def test_the_profile_in_the_documentation_uses_every_key_and_has_no_failure():
    page = (FIXTURES.parents[1] / "docs" / "profiles.md").read_text("utf-8")
    shown = Profile.from_dict(tomllib.loads(re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1]))
    assert list(failures_of(shown)) == []
    assert {each.name for each in fields(Profile)} == set(shown.to_dict())
    [service] = shown.to_dict()["services"]
    assert {each.name for each in fields(Service)} == set(service)
    assert {each.name for each in fields(DatedSource)} == set(service["source"])
    unused = {each.name for each in fields(Names)} - set(shown.to_dict()["names"])
    assert unused == {"pattern", "unstated", "equivalence"}
    assert all(f"`{name}`" in page for name in unused)
