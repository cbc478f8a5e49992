"""recognise: the approval body recognises the body that asks for the fast track (6.3)."""

import pytest

from registry.accounts.models import Body, Recognition, User
from registry.actions.declarations import ConditionNotMet
from registry.audit_log.models import Event
from registry.cases import comments
from registry.cases.models import Case, Procedure
from registry.cases.workflow import functions
from registry.cases.workflow.available import transitions_allowed_for
from registry.core.exceptions import NotPermitted
from tests.cases.traces import digest_of_round, one_event, refused
from tests.cases.transitions.rounds import next_round
from tests.support.factories import a_case_in_review


def test_the_body_is_recognised_for_this_case_alone(fast_track: Case, liaison: User, body: Body) -> None:
    with one_event(
        verb="recognise",
        by=liaison,
        case=fast_track.pk,
        moved=("in_review", "in_review"),
        text=digest_of_round(fast_track, 1),
        details={"reference": "Minutes 7", "for_later_cases": False},
    ):
        case = functions.recognise(fast_track, by=liaison, reference=" Minutes 7 ")
    assert case.recognition == Recognition.RECOGNISED
    assert case.state_since == fast_track.state_since
    body.refresh_from_db()
    assert (body.recognition, body.recognition_reference) == (Recognition.PENDING, "")
    later = a_case_in_review(by=case.registrant, body=body, namespace_identifier="example-later")
    assert later.recognition == Recognition.PENDING


def test_the_body_is_recognised_for_later_cases_too(fast_track: Case, liaison: User, body: Body) -> None:
    with one_event(
        verb="recognise",
        by=liaison,
        case=fast_track.pk,
        moved=("in_review", "in_review"),
        text=digest_of_round(fast_track, 1),
        details={"reference": "Minutes 7", "for_later_cases": True, "body": body.pk},
    ):
        functions.recognise(fast_track, by=liaison, reference="Minutes 7", for_later_cases=True)
    body.refresh_from_db()
    assert (body.recognition, body.recognition_reference) == (Recognition.RECOGNISED, "Minutes 7")
    later = a_case_in_review(by=fast_track.registrant, body=body, namespace_identifier="example-later")
    assert later.recognition == Recognition.RECOGNISED
    assert "request_completion" in {
        transition.name for transition in transitions_allowed_for(later.registrant, later)
    }


@pytest.mark.parametrize("part", ["speaks for it", "edits a case of it"])
def test_a_liaison_with_a_part_in_the_body_does_not_recognise_it(
    fast_track: Case, liaison: User, body: Body, part: str
) -> None:
    if part == "speaks for it":
        body.representatives.add(liaison)
    else:
        a_case_in_review(by=liaison, body=body, namespace_identifier="example-other")
    for for_later_cases in (True, False):
        with refused(NotPermitted):
            functions.recognise(
                fast_track, by=liaison, reference="Minutes 7", for_later_cases=for_later_cases
            )
    with refused(NotPermitted):
        functions.refuse_recognition(fast_track, by=liaison, reference="Minutes 7")


def test_a_case_that_was_in_review_already_is_recognised_with_its_next_round(
    fast_track: Case, liaison: User, body: Body
) -> None:
    other = a_case_in_review(by=fast_track.registrant, body=body, namespace_identifier="example-other")
    functions.recognise(fast_track, by=liaison, reference="Minutes 7", for_later_cases=True)
    case = next_round(other, namespace_identifier="example-other")
    assert case.recognition == Recognition.RECOGNISED
    case = next_round(case, namespace_identifier="example-third")
    recognising = Event.objects.of_case(case.pk).filter(details__recognised=True)
    assert [event.details["round"] for event in recognising] == [2]


def test_recognition_is_decided_once(recognised: Case, liaison: User) -> None:
    for decide in (functions.recognise, functions.refuse_recognition):
        with refused(ConditionNotMet, "already decided"):
            decide(recognised, by=liaison, reference="Minutes 8")


def test_a_recognised_case_keeps_its_recognition_through_every_round(
    recognised: Case, participant: User
) -> None:
    comments.comment(recognised, by=participant, round_number=1, text="Consider hedges.")
    case = next_round(recognised)
    assert (case.recognition, case.procedure) == (Recognition.RECOGNISED, Procedure.FAST_TRACK)


def test_naming_a_recognised_body_does_not_make_a_stranger_its_representative(
    fast_track: Case, liaison: User, participant: User
) -> None:
    case = functions.recognise(fast_track, by=liaison, reference="Minutes 7", for_later_cases=True)
    theirs = a_case_in_review(by=participant, body=case.body, namespace_identifier="example-hedges")
    assert theirs.recognition == Recognition.PENDING
    with pytest.raises(ConditionNotMet, match="has not yet recognised"):
        functions.request_completion(theirs, by=participant)
