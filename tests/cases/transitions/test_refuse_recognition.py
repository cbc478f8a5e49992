"""refuse_recognition: refused, the case goes on under the community procedure, and nothing is lost (6.3)."""

from registry.accounts.models import Body, Recognition, User
from registry.actions.declarations import ConditionNotMet
from registry.audit_log.models import Event
from registry.cases import comments
from registry.cases.models import Case, Procedure, State
from registry.cases.workflow import functions
from registry.cases.workflow.available import transitions_allowed_for
from tests.cases.traces import digest_of_round, one_event, refused
from tests.cases.transitions.rounds import next_round
from tests.support.factories import a_case_in_review


def test_the_case_goes_on_under_the_community_procedure(fast_track: Case, liaison: User, body: Body) -> None:
    with one_event(
        verb="refuse_recognition",
        by=liaison,
        case=fast_track.pk,
        moved=("in_review", "in_review"),
        text=digest_of_round(fast_track, 1),
        details={"reference": "Minutes 7"},
    ):
        case = functions.refuse_recognition(fast_track, by=liaison, reference="Minutes 7")
    assert (case.recognition, case.procedure) == (Recognition.REFUSED, Procedure.COMMUNITY)
    assert (case.state, case.state_since) == (State.IN_REVIEW, fast_track.state_since)
    body.refresh_from_db()
    assert body.recognition == Recognition.PENDING


def test_nothing_is_lost(fast_track: Case, liaison: User, expert: User, participant: User) -> None:
    functions.advise(fast_track, by=expert, round_number=1, rationale="Consider hedges.")
    comments.comment(fast_track, by=participant, round_number=1, section="purpose", text="And shrubs.")
    second = next_round(fast_track)
    rounds = list(second.rounds.order_by("pk").values())
    events = list(Event.objects.order_by("pk").values())
    case = functions.refuse_recognition(second, by=liaison, reference="Minutes 7")
    assert list(case.rounds.order_by("pk").values()) == rounds
    assert list(Event.objects.order_by("pk").values())[:-1] == events
    assert case.body == fast_track.body
    assert case.rounds.get(number=1).reviews.get().rationale == "Consider hedges."
    assert case.rounds.get(number=1).comments.get().text == "And shrubs."
    assert (case.draft, case.requested_nid) == (second.draft, "example-trees")


def test_the_experts_decide_from_now_on(
    fast_track: Case, liaison: User, expert: User, registrant: User
) -> None:
    case = functions.refuse_recognition(fast_track, by=liaison, reference="Minutes 7")
    assert [transition.name for transition in transitions_allowed_for(expert, case)] == [
        "request_changes",
        "approve",
        "decline",
    ]
    with refused(ConditionNotMet, "community procedure"):
        functions.request_completion(case, by=registrant)
    with refused(ConditionNotMet, "community procedure"):
        functions.advise(case, by=expert, round_number=1, rationale="Consider hedges.")
    assert functions.approve(case, by=expert, round_number=1, rationale="Sound.").state == State.APPROVED


def test_the_next_round_does_not_request_the_fast_track(fast_track: Case, liaison: User) -> None:
    assert fast_track.rounds.get().template.registrant.fast_track
    case = next_round(functions.refuse_recognition(fast_track, by=liaison, reference="Minutes 7"))
    assert not case.rounds.get(number=2).template.registrant.fast_track


def test_a_refusal_is_for_this_case_and_the_body_may_ask_again(
    fast_track: Case, liaison: User, body: Body
) -> None:
    functions.refuse_recognition(fast_track, by=liaison, reference="Minutes 7")
    later = a_case_in_review(by=fast_track.registrant, body=body, namespace_identifier="example-later")
    assert (later.recognition, later.procedure) == (Recognition.PENDING, Procedure.FAST_TRACK)
