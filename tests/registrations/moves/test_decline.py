"""decline: the expert ends the case, saying why."""

from functools import partial

from registry.accounts.models import User
from registry.registrations import actions
from registry.registrations.drafts import DraftClosed
from registry.registrations.models import Registration, Review, State, Verdict
from tests.factories import a_case_in_review
from tests.registrations.moves.rounds import saved
from tests.registrations.traces import digest_of_round, one_event, refused

decline = partial(actions.decline, round_number=1)


def test_the_case_ends(in_review: Registration, expert: User) -> None:
    with one_event(
        verb="decline",
        by=expert,
        case=in_review.pk,
        moved=("in_review", "declined"),
        reason="Well said.",
        text=digest_of_round(in_review, 1),
        particulars={"round": 1},
    ):
        case = decline(in_review, by=expert, reason=" Well said.\n")
    assert case.state == State.DECLINED
    review = Review.objects.get()
    assert (review.verdict, review.expert, review.rationale) == (Verdict.DECLINE, expert, "Well said.")
    assert review.submission.round == 1


def test_a_declined_case_stays_readable_and_its_text_closed(declined: Registration) -> None:
    assert Registration.objects.public().filter(pk=declined.pk).exists()
    with refused(DraftClosed):
        saved(declined, purpose="Something else.")


def test_a_declined_nid_can_be_asked_for_again(declined: Registration, participant: User) -> None:
    assert a_case_in_review(by=participant).requested_nid == declined.requested_nid
