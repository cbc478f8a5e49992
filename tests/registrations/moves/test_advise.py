"""advise: on the fast track a review is advice, and binds nobody."""

from functools import partial

from registry.accounts.models import User
from registry.registrations import actions
from registry.registrations.models import Registration, Review, State, Verdict
from tests.registrations.traces import digest_of_round, one_event

advise = partial(actions.advise, round_number=1)


def test_the_advice_is_kept_and_the_case_stays_where_it_is(fast_track: Registration, expert: User) -> None:
    with one_event(
        verb="advise",
        by=expert,
        case=fast_track.pk,
        moved=("in_review", "in_review"),
        reason="Well said.",
        text=digest_of_round(fast_track, 1),
        particulars={"round": 1},
    ):
        case = advise(fast_track, by=expert, rationale=" Well said.\n")
    assert case.state == State.IN_REVIEW
    review = Review.objects.get()
    assert (review.verdict, review.expert, review.rationale) == (Verdict.ADVICE, expert, "Well said.")
    assert review.submission.round == 1


def test_advice_is_given_as_often_as_there_is_some(
    recognised: Registration, registrant: User, expert: User, other_expert: User
) -> None:
    for adviser in (expert, other_expert, expert):
        advise(recognised, by=adviser, rationale="Consider an example more.")
    assert Review.objects.count() == 3
    case = actions.request_completion(recognised, by=registrant)
    assert case.state == State.APPROVED


def test_advice_changes_nothing_but_the_file(fast_track: Registration, expert: User) -> None:
    before = Registration.objects.values().get(pk=fast_track.pk)
    advise(fast_track, by=expert, rationale="Don't.")
    assert Registration.objects.values().get(pk=fast_track.pk) == before
