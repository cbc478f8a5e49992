"""decline: the expert ends the case, saying why."""

from functools import partial

import pytest

from registry.accounts.models import User
from registry.registrations import actions
from registry.registrations.actions import RoundOvertaken
from registry.registrations.drafts import DraftClosed
from registry.registrations.models import Registration, Review, State, Verdict
from registry.words import TooManyWords, UnkeepableCharacter, WordsMissing
from tests.factories import a_case_in_review
from tests.registrations.moves.rounds import next_round, saved
from tests.registrations.traces import NO_WORDS, UNKEEPABLE, digest_of_round, one_event, refused

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


@pytest.mark.parametrize("words", NO_WORDS)
def test_it_must_say_something(words: str, in_review: Registration, expert: User) -> None:
    with refused(WordsMissing):
        decline(in_review, by=expert, reason=words)


@pytest.mark.parametrize("words", UNKEEPABLE)
def test_what_can_not_be_kept_is_refused(words: str, in_review: Registration, expert: User) -> None:
    with refused(UnkeepableCharacter, "U+"):
        decline(in_review, by=expert, reason=f"x{words}")


def test_too_many_words_are_refused(in_review: Registration, expert: User) -> None:
    with refused(TooManyWords, "50,000"):
        decline(in_review, by=expert, reason="x" * 50_001)


@pytest.mark.parametrize("number", [-1, 0, 1, 3])
def test_another_round_than_the_latest_is_not_judged(
    number: int, in_review: Registration, expert: User
) -> None:
    next_round(in_review)
    with refused(RoundOvertaken, "round 2 is the latest"):
        actions.decline(in_review, by=expert, round_number=number, reason="Well said.")


def test_a_declined_case_stays_readable_and_its_text_closed(declined: Registration) -> None:
    assert Registration.objects.public().filter(pk=declined.pk).exists()
    with refused(DraftClosed):
        saved(declined, purpose="Something else.")


def test_a_declined_nid_can_be_asked_for_again(declined: Registration, participant: User) -> None:
    assert a_case_in_review(by=participant).requested_nid == declined.requested_nid
