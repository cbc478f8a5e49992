"""request_completion: the recognised body decides that the registration is mature (6.3, step 4)."""

import pytest

from registry.accounts.models import User
from registry.actions.declarations import ConditionNotMet
from registry.cases.drafts.drafts import DraftClosed
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import StaleRound, SubmissionIncomplete, TransitionNotAllowed
from registry.mail.models import Message
from tests.cases.traces import digest_of_round, one_event, refused
from tests.cases.transitions.rounds import next_round, saved


def test_the_latest_round_goes_to_an_administrator(
    recognised: Case, registrant: User, administrator: User
) -> None:
    case = next_round(recognised)
    with one_event(
        verb="request_completion",
        by=registrant,
        case=case.pk,
        moved=("in_review", "approved"),
        text=digest_of_round(case, 2),
        details={"round": 2},
    ):
        case = functions.request_completion(case, by=registrant)
    assert case.state == State.APPROVED
    told = Message.objects.filter(name="request_completion").values_list("to", flat=True)
    assert administrator.email in told


def test_completion_does_not_depend_on_reviews(
    recognised: Case, registrant: User, expert: User, administrator: User
) -> None:
    functions.advise(recognised, by=expert, round_number=1, rationale="I advise against it.")
    functions.request_completion(recognised, by=registrant)
    assert functions.assign(recognised, by=administrator).state == State.REGISTERED


def test_the_body_must_be_recognised_first(fast_track: Case, registrant: User) -> None:
    with refused(ConditionNotMet, "has not yet recognised"):
        functions.request_completion(fast_track, by=registrant)


def test_a_stale_round_is_not_completed(recognised: Case, registrant: User) -> None:
    next_round(recognised)
    with refused(StaleRound, "round 2 is the latest"):
        functions.request_completion(recognised, by=registrant, round_number=1)


def test_completion_is_requested_once(recognised: Case, registrant: User) -> None:
    functions.request_completion(recognised, by=registrant)
    with refused(TransitionNotAllowed):
        functions.request_completion(recognised, by=registrant)
    with refused(DraftClosed):
        saved(recognised, purpose="Something else.")


def test_every_round_points_to_a_specification_so_the_completed_one_does(
    recognised: Case, registrant: User
) -> None:
    with pytest.raises(SubmissionIncomplete, match="Documentation"):
        next_round(recognised, documentation="")
    assert functions.request_completion(recognised, by=registrant).rounds.count() == 1
