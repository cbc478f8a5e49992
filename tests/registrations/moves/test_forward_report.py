"""forward_report: the experts report, and the case waits for the approval body."""

from functools import partial

import pytest

from registry.accounts.models import User
from registry.registrations import actions
from registry.registrations.actions import RoundOvertaken
from registry.registrations.models import Registration, Review, State, Verdict
from registry.registrations.workflow import MoveNotOpen
from registry.words import TooManyWords, UnkeepableCharacter, WordsMissing
from tests.registrations.moves.rounds import next_round
from tests.registrations.traces import NO_WORDS, UNKEEPABLE, digest_of_round, one_event, refused

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


@pytest.mark.parametrize("words", NO_WORDS)
def test_it_must_say_something(words: str, anticipated: Registration, expert: User) -> None:
    with refused(WordsMissing):
        forward_report(anticipated, by=expert, report=words)


@pytest.mark.parametrize("words", UNKEEPABLE)
def test_what_can_not_be_kept_is_refused(words: str, anticipated: Registration, expert: User) -> None:
    with refused(UnkeepableCharacter, "U+"):
        forward_report(anticipated, by=expert, report=f"x{words}")


def test_too_many_words_are_refused(anticipated: Registration, expert: User) -> None:
    with refused(TooManyWords, "50,000"):
        forward_report(anticipated, by=expert, report="x" * 50_001)


@pytest.mark.parametrize("number", [-1, 0, 1, 3])
def test_another_round_than_the_latest_is_not_judged(
    number: int, anticipated: Registration, expert: User
) -> None:
    next_round(anticipated)
    with refused(RoundOvertaken, "round 2 is the latest"):
        actions.forward_report(anticipated, by=expert, round_number=number, report="Well said.")


def test_nothing_is_submitted_while_the_approval_body_reads(reported: Registration, registrant: User) -> None:
    with refused(MoveNotOpen):
        actions.submit(reported, by=registrant, draft_stamp=reported.draft_stamp)
