"""forward_report: the experts report, and the case waits for the approval body."""

from functools import partial

from registry.accounts.models import User
from registry.registrations import actions
from registry.registrations.models import Registration, Review, State, Verdict
from registry.registrations.workflow import MoveNotOpen
from tests.registrations.traces import digest_of_round, one_event, refused

forward_report = partial(actions.forward_report, round_number=1)


def test_the_case_waits_for_the_approval_body(anticipated: Registration, expert: User) -> None:
    with one_event(
        verb="forward_report",
        by=expert,
        case=anticipated.pk,
        moved=("in_review", "awaiting_direction"),
        reason="Well said.",
        text=digest_of_round(anticipated, 1),
        particulars={"round": 1},
    ):
        case = forward_report(anticipated, by=expert, report=" Well said.\n")
    assert case.state == State.AWAITING_DIRECTION
    review = Review.objects.get()
    assert (review.verdict, review.expert, review.rationale) == (Verdict.REPORT, expert, "Well said.")
    assert review.submission.round == 1


def test_nothing_is_submitted_while_the_approval_body_reads(reported: Registration, registrant: User) -> None:
    with refused(MoveNotOpen):
        actions.submit(reported, by=registrant, draft_stamp=reported.draft_stamp)
