"""decline: the expert ends the case, saying why."""

from functools import partial

from registry.accounts.models import User
from registry.cases.drafts.drafts import DraftClosed
from registry.cases.models import Case, Review, State, Verdict
from registry.cases.workflow import functions
from tests.cases.traces import digest_of_round, one_event, refused
from tests.cases.transitions.rounds import saved
from tests.support.factories import a_case_in_review

decline = partial(functions.decline, round_number=1)


def test_the_case_ends(in_review: Case, expert: User) -> None:
    with one_event(
        verb="decline",
        by=expert,
        case=in_review.pk,
        moved=("in_review", "declined"),
        reason="Well said.",
        text=digest_of_round(in_review, 1),
        details={"round": 1},
    ):
        case = decline(in_review, by=expert, reason=" Well said.\n")
    assert case.state == State.DECLINED
    review = Review.objects.get()
    assert (review.verdict, review.expert, review.rationale) == (Verdict.DECLINE, expert, "Well said.")
    assert review.round.number == 1


def test_a_declined_case_stays_readable_and_its_text_closed(declined: Case) -> None:
    assert Case.objects.public().filter(pk=declined.pk).exists()
    with refused(DraftClosed):
        saved(declined, purpose="Something else.")


def test_a_declined_nid_can_be_requested_again(declined: Case, participant: User) -> None:
    assert a_case_in_review(by=participant).requested_nid == declined.requested_nid
