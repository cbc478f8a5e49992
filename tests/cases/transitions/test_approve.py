"""approve: the expert finds the round fit to be registered."""

from functools import partial

from registry.accounts.models import User
from registry.cases.drafts.drafts import DraftClosed
from registry.cases.models import Case, Review, State, Verdict
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import TransitionNotAllowed
from tests.cases.traces import digest_of_round, one_event, refused
from tests.cases.transitions.rounds import next_round, saved

approve = partial(functions.approve, round_number=1)


def test_the_case_goes_on_to_an_administrator(in_review: Case, expert: User) -> None:
    with one_event(
        verb="approve",
        by=expert,
        case=in_review.pk,
        moved=("in_review", "approved"),
        reason="Well said.",
        text=digest_of_round(in_review, 1),
        details={"round": 1},
    ):
        case = approve(in_review, by=expert, rationale=" Well said.\n")
    assert case.state == State.APPROVED
    review = Review.objects.get()
    assert (review.verdict, review.expert, review.rationale) == (Verdict.APPROVE, expert, "Well said.")
    assert review.round.number == 1


def test_an_approval_takes_no_second_one(in_review: Case, expert: User, other_expert: User) -> None:
    approve(in_review, by=expert, rationale="Sound.")
    with refused(TransitionNotAllowed, "approved” since"):
        approve(in_review, by=other_expert, rationale="Sound.")


def test_the_round_that_is_approved_is_the_one_that_is_registered(
    in_review: Case, expert: User, administrator: User
) -> None:
    second = next_round(in_review, purpose="Trees and hedges.")
    saved(second, purpose="Not what was approved.")
    functions.approve(second, by=expert, round_number=2, rationale="Sound.")
    namespace = functions.assign(second, by=administrator).namespace
    assert namespace is not None
    assert namespace.purpose == "Trees and hedges."


def test_a_text_can_not_change_once_it_is_approved(approved: Case, registrant: User) -> None:
    with refused(DraftClosed):
        saved(approved, purpose="Something else.")
