"""A proposed profile as a value: what is stored, what is refused, and how two differ."""

import pytest

from registry.core.validators import MAX_TEXT_LENGTH, TextTooLong, UnstorableCharacter
from registry.namespaces.proposals.applying import as_proposed
from registry.namespaces.proposals.proposed_profile import MEMBERS, ProposedProfile, compare_proposals
from registry.registration_template.diff import Change
from tests.namespaces.proposals.samples import SERVICES, a_proposal
from tests.support.factories import a_profile
from tests.support.services import a_service


def test_nothing_is_stored_if_nothing_is_stated() -> None:
    assert not ProposedProfile()
    assert not ProposedProfile(title=" \n", examples="\r\n")
    assert ProposedProfile(title=" \n").to_json() == {}
    assert ProposedProfile(title=" Trees ").to_json() == {"title": "Trees"}


def test_it_is_read_as_it_was_stored() -> None:
    assert ProposedProfile.from_json(a_proposal().to_json()) == a_proposal()
    assert ProposedProfile(abnf="a = b\r\nb = DIGIT").abnf == "a = b\nb = DIGIT"


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.key)
def test_a_text_that_cannot_be_stored_is_refused_with_its_label(member: object) -> None:
    key, label = member.key, member.label.lower()  # type: ignore[attr-defined]
    with pytest.raises(UnstorableCharacter, match=f"the {label} "):
        ProposedProfile(**{key: "a\x00"})
    with pytest.raises(TextTooLong, match=f"the {label} "):
        ProposedProfile(**{key: "x" * (member.longest + 1)})  # type: ignore[attr-defined]
    assert member.longest >= MAX_TEXT_LENGTH  # type: ignore[attr-defined]


def test_each_member_is_compared_by_itself() -> None:
    changes = compare_proposals(a_proposal(), a_proposal(title="Oaks", examples="", services=SERVICES))
    assert {each.key: each.change for each in changes} == {
        "profile_title": Change.CHANGED,
        "profile_summary": Change.SAME,
        "profile_abnf": Change.SAME,
        "profile_examples": Change.REMOVED,
        "profile_services": Change.ADDED,
    }


def test_the_titles_of_all_members_say_that_they_are_of_the_profile() -> None:
    titles = [each.title for each in compare_proposals(a_proposal(), a_proposal())]
    labels = ["Title", "Summary", "Grammar", "Examples", "Services"]
    assert titles == [f"{label} (profile)" for label in labels]


def test_a_profile_is_shown_as_its_registrant_would_propose_it() -> None:
    proposed = as_proposed(a_profile())
    assert (proposed.title, proposed.abnf) == ("Trees of gardens", "")
    assert proposed.examples.split("\n")[0] == "urn:example-trees:12:4711"
    assert proposed.services == ""
    second, first = a_service(title="Second", priority=2), a_service(title="First, the best", priority=1)
    proposed = as_proposed(a_profile("trees", services=[second, first]))
    assert proposed.services.split("\n") == [
        "I2C https://trees.example/{nss}  First, the best",
        "I2C https://trees.example/{nss}  Second",
    ]
    assert as_proposed(None) == ProposedProfile()
