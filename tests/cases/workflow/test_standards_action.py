"""A standards action (6.2, step 4): the experts report, the case waits, the body's direction ends the waiting."""

import pytest

from registry.accounts.models import User
from registry.actions.declarations import ConditionNotMet
from registry.cases.drafts import drafts
from registry.cases.drafts.drafts import DraftClosed
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.available import transitions_allowed_for
from registry.cases.workflow.exceptions import TransitionNotAllowed
from registry.cases.workflow.functions import people
from registry.core.validators import TextMissing, UnstorableCharacter
from tests.cases.traces import NO_WORDS, one_event, refused
from tests.cases.transitions.rounds import next_round
from tests.support.factories import a_body, a_case_in_review, a_draft


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


def anticipate(case: Case, by: User, *, anticipated: bool = True) -> Case:
    return people.anticipate_standards_action(case, by=by, anticipated=anticipated, reason="It is a draft.")


def names(person: User, case: Case) -> list[str]:
    return [transition.name for transition in transitions_allowed_for(person, case)]


def test_the_registrant_sets_the_standards_action_before_the_first_round(
    registrant: User, expert: User
) -> None:
    draft = a_draft(by=registrant)
    draft = drafts.save_draft(draft, draft.draft_template, by=registrant, stamp=0, standards_action=True)
    case = functions.submit(draft, by=registrant, draft_stamp=1)
    assert case.standards_action
    assert names(expert, case) == ["request_changes", "forward_report", "decline"]


def test_experts_set_the_standards_action_after_the_first_round(case: Case, registrant: User) -> None:
    with refused(DraftClosed, "only the designated experts"):
        drafts.save_draft(
            case, case.draft_template, by=registrant, stamp=case.draft_stamp, standards_action=True
        )


@pytest.mark.parametrize("anticipated", [True, False])
def test_the_experts_decision_is_an_event(anticipated: bool, case: Case, expert: User) -> None:
    with one_event(
        verb="anticipate_standards_action",
        by=expert,
        case=case.pk,
        moved=("", ""),
        reason="It is a draft.",
        text="",
        details={"anticipated": anticipated},
    ):
        decided = anticipate(case, expert, anticipated=anticipated)
    assert decided.standards_action is anticipated
    assert decided.state == State.IN_REVIEW


def test_it_can_be_called_off_again(case: Case, expert: User) -> None:
    anticipate(case, expert)
    with refused(ConditionNotMet, "report to the approval body"):
        functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    anticipate(case, expert, anticipated=False)
    with refused(ConditionNotMet, "no report is needed"):
        functions.forward_report(case, by=expert, round_number=1, report="We support it.")
    assert functions.approve(case, by=expert, round_number=1, rationale="Sound.").state == State.APPROVED


def test_no_case_is_registered_before_the_direction(
    case: Case, expert: User, administrator: User, liaison: User
) -> None:
    anticipate(case, expert)
    functions.forward_report(case, by=expert, round_number=1, report="We support it.")
    with refused(TransitionNotAllowed):
        functions.assign(case, by=administrator)
    with refused(TransitionNotAllowed):
        anticipate(case, expert, anticipated=False)
    functions.direct(case, by=liaison, is_approved=True, reference="Minutes 7")
    assert functions.assign(case, by=administrator).state == State.REGISTERED


def test_it_stays_anticipated_through_the_rounds(case: Case, expert: User) -> None:
    anticipate(case, expert)
    functions.request_changes(
        case, by=expert, round_number=1, rationale="", action_points=[("purpose", "Say who benefits.")]
    )
    assert names(expert, next_round(case)) == ["request_changes", "forward_report", "decline"]


def test_on_the_fast_track_there_is_no_such_decision(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant, body=a_body())
    with refused(ConditionNotMet):
        anticipate(case, expert)


@pytest.mark.parametrize("words", NO_WORDS)
def test_a_reason_is_required(words: str, case: Case, expert: User) -> None:
    with refused(TextMissing):
        people.anticipate_standards_action(case, by=expert, anticipated=True, reason=words)


def test_an_unstorable_reason_is_rejected(case: Case, expert: User) -> None:
    with refused(UnstorableCharacter):
        people.anticipate_standards_action(case, by=expert, anticipated=True, reason="x\x00")
