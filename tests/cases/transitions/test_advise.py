"""advise: on the fast track, a review is advice and does not decide the case."""

from functools import partial

from registry.accounts.models import User
from registry.cases.models import Case, Review, State, Verdict
from registry.cases.workflow import functions
from tests.cases.traces import digest_of_round, one_event

advise = partial(functions.advise, round_number=1)


def test_the_advice_is_kept_and_the_case_stays_where_it_is(fast_track: Case, expert: User) -> None:
    with one_event(
        verb="advise",
        by=expert,
        case=fast_track.pk,
        moved=("in_review", "in_review"),
        reason="Well said.",
        text=digest_of_round(fast_track, 1),
        details={"round": 1},
    ):
        case = advise(fast_track, by=expert, rationale=" Well said.\n")
    assert case.state == State.IN_REVIEW
    review = Review.objects.get()
    assert (review.verdict, review.expert, review.rationale) == (Verdict.ADVICE, expert, "Well said.")
    assert review.round.number == 1


def test_advice_is_given_as_often_as_there_is_some(
    recognised: Case, registrant: User, expert: User, other_expert: User
) -> None:
    for adviser in (expert, other_expert, expert):
        advise(recognised, by=adviser, rationale="Consider an example more.")
    assert Review.objects.count() == 3
    case = functions.request_completion(recognised, by=registrant)
    assert case.state == State.APPROVED


def test_advice_changes_no_state(fast_track: Case, expert: User) -> None:
    before = Case.objects.values().get(pk=fast_track.pk)
    del before["changed_at"]
    advise(fast_track, by=expert, rationale="Don't.")
    assert before.items() <= Case.objects.values().get(pk=fast_track.pk).items()
