"""leave_fast_track: the fast track is an option of the body (6.3), so its registrant can leave it."""

import pytest

from registry.accounts.models import Body, Recognition, User
from registry.actions.declarations import ConditionNotMet
from registry.cases.models import Case, Procedure, State
from registry.cases.workflow import functions
from registry.cases.workflow.available import transitions_allowed_for
from tests.cases.traces import digest_of_round, one_event, refused
from tests.cases.transitions.rounds import next_round
from tests.support.browser import fill_in, page, signed_in


def test_the_case_continues_under_the_community_procedure(fast_track: Case, registrant: User) -> None:
    with one_event(
        verb="leave_fast_track",
        by=registrant,
        case=fast_track.pk,
        moved=("in_review", "in_review"),
        reason="It takes too long.",
        text=digest_of_round(fast_track, 1),
        details={},
    ):
        case = functions.leave_fast_track(fast_track, by=registrant, reason=" It takes too long.")
    assert (case.procedure, case.state) == (Procedure.COMMUNITY, State.IN_REVIEW)
    assert case.state_since == fast_track.state_since
    assert case.body == fast_track.body


@pytest.mark.parametrize("before", ["fast_track", "recognised"])
def test_the_experts_decide_from_now_on(
    before: str, request: pytest.FixtureRequest, registrant: User, expert: User, liaison: User
) -> None:
    case = functions.leave_fast_track(request.getfixturevalue(before), by=registrant)
    names = [transition.name for transition in transitions_allowed_for(expert, case)]
    assert names == ["request_changes", "approve", "decline"]
    for refused_action in (functions.request_completion, functions.leave_fast_track):
        with refused(ConditionNotMet, "community procedure"):
            refused_action(case, by=registrant)
    assert not Case.objects.waiting_for("liaison", liaison).filter(pk=case.pk).exists()
    assert functions.approve(case, by=expert, round_number=1, rationale="Sound.").state == State.APPROVED


def test_the_next_round_does_not_request_the_fast_track_again(
    fast_track: Case, registrant: User, body: Body
) -> None:
    assert fast_track.rounds.get().template.registrant.fast_track
    case = functions.leave_fast_track(fast_track, by=registrant)
    body.recognition, body.recognition_reference = Recognition.RECOGNISED, "Minutes 7"
    body.save()
    body.representatives.add(registrant)
    case = next_round(case)
    assert not case.rounds.get(number=2).template.registrant.fast_track
    assert (case.procedure, case.recognition) == (Procedure.COMMUNITY, Recognition.PENDING)


def test_the_registrant_leaves_it_on_the_page(fast_track: Case, registrant: User) -> None:
    client = signed_in(registrant)
    assert "Leave the fast track" in client.get(fast_track.get_absolute_url()).text
    answer = fill_in(client, page("transition", fast_track.pk, "leave-fast-track"))
    assert "Left the fast track" in answer.text
    assert "not yet decided" not in answer.text
