"""The profile that a proposal makes: of nothing, or of the current one, whose other keys stay."""

import pytest

from registry.namespaces.models import Kind, Namespace
from registry.namespaces.proposals.applying import (
    NO_GRAMMAR,
    ProposalOrigin,
    apply_proposal,
    as_proposed,
    example_lines,
    with_number,
)
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from tests.namespaces.proposals.samples import ABNF, a_proposal
from tests.support.factories import a_profile
from urnsyntax.profiles import InvalidProfile, Profile

NID = "example-trees"


def test_a_new_profile_states_the_registration_as_its_source() -> None:
    profile = apply_proposal(a_proposal(), None, nid=NID, subjects=("science",))
    assert (profile.nid, profile.title, profile.names.abnf) == (NID, "Trees of botanical gardens", ABNF)
    assert [(each.urn, each.description) for each in profile.names.examples] == [
        ("urn:example-trees:12:4711", "An oak"),
        ("urn:example-trees:1:1", ""),
        ("urn:example-trees:99:4", ""),
    ]
    assert [(each.kind, set(each.facts)) for each in profile.sources] == [
        ("registration", {"title", "summary", "grammar", "examples"}),
        ("curated", {"subjects"}),
    ]


ORIGIN = ProposalOrigin(12, 2, a_proposal())


def sources_of(profile: Profile) -> list[tuple[str, str, set[str]]]:
    return [(each.kind, each.document, set(each.facts)) for each in profile.sources]


def test_the_sources_name_the_round_and_what_was_changed_at_the_confirmation() -> None:
    confirmed = a_proposal(title="Trees", examples="")
    profile = apply_proposal(confirmed, None, nid=NID, subjects=("science",), origin=ORIGIN)
    document = "Registration of urn:example-trees, case 12, round 2"
    assert sources_of(profile) == [
        ("registration", document, {"summary", "grammar"}),
        ("curated", document, {"title", "subjects"}),
    ]


def test_a_grammar_that_is_not_confirmed_is_the_decision_of_the_registry() -> None:
    profile = apply_proposal(a_proposal(abnf=""), None, nid=NID, subjects=("science",), origin=ORIGIN)
    assert profile.names.unstated == "The grammar that the registrant proposed is not confirmed."
    assert [facts for kind, _, facts in sources_of(profile) if kind == "curated"] == [{"grammar", "subjects"}]


def test_subjects_replace_those_of_the_current_profile() -> None:
    current = a_profile()
    assert apply_proposal(ProposedProfile(), current, nid=NID, subjects=current.subjects) == current
    profile = apply_proposal(ProposedProfile(), current, nid=NID, subjects=("law",), origin=ORIGIN)
    assert profile.subjects == ("law",)
    assert sources_of(profile)[-1][2] == {"subjects"}


def test_check_digits_that_a_new_grammar_lacks_need_no_source() -> None:
    checks = [{"algorithm": "luhn", "part": "garden"}]
    current = a_profile(pattern="(?P<garden>[0-9]+):[0-9]+", checks=checks)
    assert "checks" in current.facts
    profile = apply_proposal(ProposedProfile(abnf="tree = 1*DIGIT"), current, nid=NID)
    assert not profile.names.checks


def test_a_new_profile_without_a_grammar_says_so() -> None:
    profile = apply_proposal(a_proposal(abnf=""), None, nid=NID, subjects=("science",))
    assert (profile.names.unstated, profile.names.abnf) == (NO_GRAMMAR, "")
    assert "grammar" in profile.sources[0].facts


def test_a_new_profile_needs_a_subject() -> None:
    with pytest.raises(InvalidProfile) as caught:
        apply_proposal(a_proposal(), None, nid=NID)
    assert caught.value.key == "subjects"


def test_what_a_proposal_leaves_out_stays() -> None:
    current = a_profile(organisation="Example Gardens", homepage="https://gardens.example/")
    profile = apply_proposal(ProposedProfile(title="Oaks"), current, nid=NID)
    assert profile.title == "Oaks"
    before, after = current.to_dict(), profile.to_dict()
    assert {key for key in before if before[key] != after[key]} == {"title", "sources"}
    assert [(each.kind, each.facts) for each in profile.sources][-1] == ("registration", ("title",))
    assert "title" not in profile.sources[0].facts


def test_an_unchanged_proposal_makes_the_current_profile() -> None:
    current = apply_proposal(a_proposal(), None, nid=NID, subjects=("science", "law"))
    assert apply_proposal(as_proposed(current), current, nid=NID) == current


def test_a_grammar_replaces_the_pattern_of_the_current_profile() -> None:
    profile = apply_proposal(ProposedProfile(abnf=ABNF), a_profile(), nid=NID)
    assert (profile.names.abnf, profile.names.pattern) == (ABNF, "")
    assert profile.names.counterexamples == a_profile().names.counterexamples


def test_lines_of_examples_have_numbers() -> None:
    assert list(example_lines("\nurn:a:b\n\n  urn:a:c   A  leaf \n")) == [
        (2, {"urn": "urn:a:b"}),
        (4, {"urn": "urn:a:c", "description": "A  leaf"}),
    ]


def test_an_informal_namespace_gets_its_number_in_all_texts() -> None:
    proposed = a_proposal(
        title="Trails of urn-N",
        abnf='urn-n = "urn-nx" / urn-number\nurn-number = DIGIT',
        examples="urn:urn-N:1 A trail\nURN:URN-N:2",
    )
    numbered = with_number(proposed, Namespace(nid="urn-7", kind=Kind.INFORMAL))
    assert numbered.title == "Trails of urn-7"
    assert numbered.abnf == proposed.abnf
    assert numbered.examples == "urn:urn-7:1 A trail\nURN:urn-7:2"
    assert with_number(proposed, Namespace(nid="example", kind=Kind.FORMAL)) == proposed
