"""direct: the approval body's decision, with its reference, releases the case or ends it."""

from functools import partial

import pytest

from registry.accounts.models import User
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import StaleRound, TransitionNotAllowed
from registry.core.validators import UnstorableCharacter
from tests.cases.traces import UNSTORABLE, digest_of_round, one_event, refused
from tests.cases.transitions.rounds import next_round

direct = partial(functions.direct, is_approved=True)


@pytest.mark.parametrize(("is_approved", "target"), [(True, "approved"), (False, "declined")])
def test_the_direction_releases_the_case_or_ends_it(
    is_approved: bool, target: str, reported: Case, liaison: User
) -> None:
    with one_event(
        verb="direct",
        by=liaison,
        case=reported.pk,
        moved=("awaiting_direction", target),
        reason="By consensus.",
        text=digest_of_round(reported, 1),
        details={"reference": "Minutes 7", "round": 1},
    ):
        case = functions.direct(
            reported, by=liaison, is_approved=is_approved, reference=" Minutes 7 ", reason="By consensus.\n"
        )
    assert case.state == target
    assert case.state_since > reported.state_since


def test_the_reason_may_be_empty(reported: Case, liaison: User) -> None:
    assert direct(reported, by=liaison, reference="Minutes 7", reason=" ").state == State.APPROVED


@pytest.mark.sampled(5)
@pytest.mark.parametrize("words", UNSTORABLE)
def test_an_unstorable_reason_is_rejected(words: str, reported: Case, liaison: User) -> None:
    with refused(UnstorableCharacter, "U+"):
        direct(reported, by=liaison, reference="Minutes 7", reason=words)


def test_a_stale_round_is_not_directed(reported: Case, liaison: User) -> None:
    with refused(StaleRound):
        direct(reported, by=liaison, reference="Minutes 7", round_number=2)
    assert direct(reported, by=liaison, reference="Minutes 7", round_number=1).state == State.APPROVED


def test_a_direction_is_given_once(reported: Case, liaison: User) -> None:
    direct(reported, by=liaison, reference="Minutes 7")
    with refused(TransitionNotAllowed):
        functions.direct(reported, by=liaison, is_approved=False, reference="Minutes 8")


def test_a_direction_on_an_appeal_ends_either_way(declined: Case, liaison: User) -> None:
    functions.appeal(declined, by=declined.registrant, reason="It is needed.")
    assert direct(declined, by=liaison, reference="Minutes 7").state == State.APPROVED


def test_a_directed_case_that_is_returned_is_reported_on_again(
    reported: Case, administrator: User, expert: User, liaison: User
) -> None:
    direct(reported, by=liaison, reference="Minutes 7")
    functions.return_to_registrant(reported, by=administrator, reason="The address is wrong.")
    case = next_round(reported)
    case = functions.forward_report(case, by=expert, round_number=2, report="Only the address changed.")
    assert case.state == State.AWAITING_DIRECTION
