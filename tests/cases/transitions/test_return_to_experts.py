"""return_to_experts: the approval body sends a report back instead of directing on it."""

import pytest

from registry.accounts.models import RoleName, User
from registry.actions.declarations import ConditionNotMet
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.cases.workflow.functions.verdicts import tally_of
from registry.core.validators import TextMissing
from registry.review_desk.experts.queue import QUEUE_GROUP_BY_SLUG, next_case
from tests.cases.traces import digest_of_round, one_event, refused
from tests.support.factories import a_case_in_review, a_person

REASON = "The report does not say who assigns the names."


def report(case: Case, by: User) -> Case:
    return functions.forward_report(case, by=by, round_number=1, report="We recommend registration.")


@pytest.fixture
def standards_case(registrant: User, expert: User) -> Case:
    case = a_case_in_review(by=registrant)
    return people.anticipate_standards_action(case, by=expert, anticipated=True, reason="A draft standard.")


def test_the_experts_review_the_round_again(standards_case: Case, expert: User, liaison: User) -> None:
    case = report(standards_case, expert)
    with one_event(
        verb="return_to_experts",
        by=liaison,
        case=case.pk,
        moved=("awaiting_direction", "in_review"),
        reason=REASON,
        text=digest_of_round(case, 1),
        details={"round": 1},
    ):
        case = functions.return_to_experts(case, by=liaison, reason=REASON)
    assert case.state == State.IN_REVIEW
    resubmitted = QUEUE_GROUP_BY_SLUG["resubmitted"].cases(expert)
    assert list(resubmitted) == [case]
    assert next_case(expert, after=0) == case
    assert report(case, expert).state == State.AWAITING_DIRECTION
    assert case.rounds.get().reviews.count() == 2


def test_both_of_two_experts_report_again(standards_case: Case, expert: User, liaison: User) -> None:
    other = a_person(email="expert-2@example.org", roles=(RoleName.EXPERT,))
    case = people.require_two_experts(standards_case, by=expert, required=True, reason="It affects others.")
    case = report(report(case, expert), other)
    assert case.state == State.AWAITING_DIRECTION
    case = functions.return_to_experts(case, by=liaison, reason=REASON)
    assert tally_of(case, case.rounds.get().reviews.all()) is None
    case = report(case, expert)
    assert case.state == State.IN_REVIEW
    assert str(tally_of(case, case.rounds.get().reviews.all())).startswith("1 of 2: Forward the report")
    assert report(case, other).state == State.AWAITING_DIRECTION


def test_an_appeal_is_not_returned(
    standards_case: Case, expert: User, registrant: User, liaison: User
) -> None:
    functions.decline(standards_case, by=expert, round_number=1, reason="Not needed.")
    case = functions.appeal(standards_case, by=registrant, reason="It is.")
    with refused(ConditionNotMet, "appealed"):
        functions.return_to_experts(case, by=liaison, reason=REASON)


def test_a_reason_is_required(standards_case: Case, expert: User, liaison: User) -> None:
    case = report(standards_case, expert)
    with refused(TextMissing):
        functions.return_to_experts(case, by=liaison, reason=" ")
