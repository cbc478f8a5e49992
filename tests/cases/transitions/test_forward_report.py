"""forward_report: the experts report, and the case waits for the approval body."""

from functools import partial

from registry.accounts.models import User
from registry.cases.models import Case, Review, State, Verdict
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import PlaceholderLeft, TransitionNotAllowed
from registry.cases.workflow.functions.verdicts import RECOMMENDATION
from tests.cases.traces import digest_of_round, one_event, refused

forward_report = partial(functions.forward_report, round_number=1)


def test_the_case_waits_for_the_approval_body(anticipated: Case, expert: User) -> None:
    with one_event(
        verb="forward_report",
        by=expert,
        case=anticipated.pk,
        moved=("in_review", "awaiting_direction"),
        reason="Well said.",
        text=digest_of_round(anticipated, 1),
        details={"round": 1},
    ):
        case = forward_report(anticipated, by=expert, report=" Well said.\n")
    assert case.state == State.AWAITING_DIRECTION
    review = Review.objects.get()
    assert (review.verdict, review.expert, review.rationale) == (Verdict.REPORT, expert, "Well said.")
    assert review.round.number == 1


def test_no_round_is_submitted_during_direction(reported: Case, registrant: User) -> None:
    with refused(TransitionNotAllowed):
        functions.submit(reported, by=registrant, draft_stamp=reported.draft_stamp)


def test_a_report_with_an_unfilled_place_is_refused(anticipated: Case, expert: User) -> None:
    with refused(PlaceholderLeft):
        forward_report(
            anticipated, by=expert, report=f"Recommendation: {RECOMMENDATION}\n\nRound 1 was read."
        )


def test_a_report_may_quote_what_looks_like_one(anticipated: Case, expert: User) -> None:
    report = "Purpose: [replace this by yours]\n\nWe recommend to decline."
    assert forward_report(anticipated, by=expert, report=report).state == State.AWAITING_DIRECTION
