"""The lists of cases, compared with the table of transitions; and the requested NID, compared with the rounds."""

import pytest

from registry.accounts.models import Body, Recognition, RoleName, User
from registry.cases.drafts import drafts
from registry.cases.models import Case, CoEditor, Procedure, Recusal, State
from registry.cases.workflow import functions
from registry.cases.workflow.available import transitions_allowed_for
from registry.core.exceptions import RegistryError
from registry.core.validators import TextMissing, TextTooLong, UnstorableCharacter
from tests.support.factories import a_body, a_case_in_review, a_draft, a_template, put_in_state

# Each value with each value of the others.
SITUATIONS = [
    {"procedure": procedure, "recognition": recognition, "standards_action": standards_action}
    for procedure, recognition, standards_action in (
        (Procedure.COMMUNITY, Recognition.PENDING, False),
        (Procedure.COMMUNITY, Recognition.RECOGNISED, True),
        (Procedure.FAST_TRACK, Recognition.PENDING, True),
        (Procedure.FAST_TRACK, Recognition.RECOGNISED, False),
    )
]


@pytest.mark.sampled(4, 1)
@pytest.mark.parametrize("state", [state for state in State if state is not State.REGISTERED])
def test_a_case_waits_for_the_roles_with_a_transition(
    state: State, registrant: User, expert: User, administrator: User, liaison: User
) -> None:
    people = {RoleName.EXPERT: expert, RoleName.ADMINISTRATOR: administrator, RoleName.LIAISON: liaison}
    assert people.keys() == set(RoleName) - {RoleName.LEADER}
    case = a_case_in_review(by=registrant, body=a_body())
    for situation in SITUATIONS:
        placed = put_in_state(case, state, **situation)
        waits = {
            role: Case.objects.waiting_for(role, user).filter(pk=case.pk).exists()
            for role, user in people.items()
        }
        allowed = {role: bool(transitions_allowed_for(user, placed)) for role, user in people.items()}
        assert waits == allowed, situation


def test_no_case_waits_for_its_editors_or_recused_persons(registrant: User, expert: User) -> None:
    edited, left, other = (
        a_case_in_review(by=registrant, namespace_identifier=f"example-{n}") for n in "abc"
    )
    CoEditor.objects.create(case=edited, user=expert)
    Recusal.objects.create(case=left, user=expert)
    assert list(Case.objects.waiting_for(RoleName.EXPERT, expert)) == [other]


def test_a_case_of_a_refused_body_follows_the_community_procedure(registrant: User) -> None:
    case = a_case_in_review(by=registrant, body=a_body(recognition=Recognition.REFUSED))
    assert case.procedure == Procedure.COMMUNITY
    assert case.recognition == Recognition.REFUSED


def test_a_body_that_was_recognised_before_is_recognised_again(registrant: User) -> None:
    body = a_body(recognition=Recognition.RECOGNISED)
    body.representatives.add(registrant)
    case = a_case_in_review(by=registrant, body=body)
    assert (case.procedure, case.recognition) == (Procedure.FAST_TRACK, Recognition.RECOGNISED)


def test_the_requested_nid_changes_only_with_a_round(registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    other = a_template(namespace_identifier="example-oaks", syntax="Opaque, without r-, q- and f-components.")
    saved = drafts.save_draft(case, other, by=registrant, stamp=case.draft_stamp)
    assert saved.requested_nid == "example-trees"
    again = functions.submit(saved, by=registrant, draft_stamp=saved.draft_stamp)
    assert again.requested_nid == "example-oaks"


def test_generated_sections_are_not_editable(registrant: User) -> None:
    draft = a_draft(by=registrant, version=7, body=a_body())
    assert draft.draft_template.version == 1
    assert draft.draft_template.registrant.fast_track


@pytest.mark.parametrize("name", ["Example Body", "example body", " Example  BODY\n"])
def test_body_names_are_case_insensitive(db: None, name: str) -> None:
    known = a_body(name="Example Body")
    assert drafts.body_named(name) == known


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("", TextMissing),
        (" \n", TextMissing),
        ("\u200b", TextMissing),
        ("Example\x1bBody", UnstorableCharacter),
        ("Example\ud800Body", UnstorableCharacter),
        ("é" * 201, TextTooLong),
    ],
)
def test_an_invalid_body_name_is_rejected(db: None, name: str, refusal: type[RegistryError]) -> None:
    with pytest.raises(refusal):
        drafts.body_named(name)
    assert not Body.objects.exists()


def test_a_bodys_name_may_fill_its_column(db: None) -> None:
    assert drafts.body_named("é" * 200 + "\n").name == "é" * 200
