"""recognise: the approval body recognises the body that asks for the fast track (6.3)."""

import pytest

from registry.accounts.models import Body, Recognition, User
from registry.registrations import actions, discussion
from registry.registrations.models import Procedure, Registration
from registry.registrations.workflow import ConditionNotMet, moves_open_to
from tests.factories import a_case_in_review
from tests.registrations.moves.rounds import next_round
from tests.registrations.traces import digest_of_round, one_event, refused


def test_the_body_is_recognised_for_this_case_alone(
    fast_track: Registration, liaison: User, body: Body
) -> None:
    with one_event(
        verb="recognise",
        by=liaison,
        case=fast_track.pk,
        moved=("in_review", "in_review"),
        text=digest_of_round(fast_track, 1),
        particulars={"reference": "Minutes 7", "for_later_cases": False},
    ):
        case = actions.recognise(fast_track, by=liaison, reference=" Minutes 7 ")
    assert case.recognition == Recognition.RECOGNISED
    assert case.state_since == fast_track.state_since
    body.refresh_from_db()
    assert (body.recognition, body.recognition_reference) == (Recognition.PENDING, "")
    later = a_case_in_review(by=case.registrant, body=body, namespace_identifier="example-later")
    assert later.recognition == Recognition.PENDING


def test_the_body_is_recognised_for_later_cases_too(
    fast_track: Registration, liaison: User, body: Body
) -> None:
    with one_event(
        verb="recognise",
        by=liaison,
        case=fast_track.pk,
        moved=("in_review", "in_review"),
        text=digest_of_round(fast_track, 1),
        particulars={"reference": "Minutes 7", "for_later_cases": True},
    ):
        actions.recognise(fast_track, by=liaison, reference="Minutes 7", for_later_cases=True)
    body.refresh_from_db()
    assert (body.recognition, body.recognition_reference) == (Recognition.RECOGNISED, "Minutes 7")
    later = a_case_in_review(by=fast_track.registrant, body=body, namespace_identifier="example-later")
    assert later.recognition == Recognition.RECOGNISED
    assert "request_completion" in {move.name for move in moves_open_to(later.registrant, later)}


@pytest.mark.parametrize("part", ["speaks for it", "edits a case of it"])
def test_a_liaison_with_a_part_in_the_body_recognises_it_for_this_case_alone(
    fast_track: Registration, liaison: User, body: Body, part: str
) -> None:
    if part == "speaks for it":
        body.representatives.add(liaison)
    else:
        a_case_in_review(by=liaison, body=body, namespace_identifier="example-other")
    with refused(ConditionNotMet, "for another liaison to record"):
        actions.recognise(fast_track, by=liaison, reference="Minutes 7", for_later_cases=True)
    case = actions.recognise(fast_track, by=liaison, reference="Minutes 7")
    assert case.recognition == Recognition.RECOGNISED
    body.refresh_from_db()
    assert body.recognition == Recognition.PENDING


def test_a_case_that_was_in_review_already_is_recognised_with_its_next_round(
    fast_track: Registration, liaison: User, body: Body
) -> None:
    other = a_case_in_review(by=fast_track.registrant, body=body, namespace_identifier="example-other")
    actions.recognise(fast_track, by=liaison, reference="Minutes 7", for_later_cases=True)
    case = next_round(other, namespace_identifier="example-other")
    assert case.recognition == Recognition.RECOGNISED


def test_recognition_is_decided_once(recognised: Registration, liaison: User) -> None:
    for decide in (actions.recognise, actions.refuse_recognition):
        with refused(ConditionNotMet, "decided already"):
            decide(recognised, by=liaison, reference="Minutes 8")


def test_a_recognised_case_keeps_its_recognition_through_every_round(
    recognised: Registration, participant: User
) -> None:
    discussion.comment(recognised, by=participant, round_number=1, text="Consider hedges.")
    case = next_round(recognised)
    assert (case.recognition, case.procedure) == (Recognition.RECOGNISED, Procedure.FAST_TRACK)


def test_naming_a_recognised_body_does_not_make_a_stranger_its_representative(
    fast_track: Registration, liaison: User, participant: User
) -> None:
    case = actions.recognise(fast_track, by=liaison, reference="Minutes 7", for_later_cases=True)
    theirs = a_case_in_review(by=participant, body=case.body, namespace_identifier="example-hedges")
    assert theirs.recognition == Recognition.PENDING
    with pytest.raises(ConditionNotMet, match="not recognised yet"):
        actions.request_completion(theirs, by=participant)
