"""Answers to action points: written with the draft, demanded by the submission, kept with the round."""

import pytest
from django.db import IntegrityError, transaction

from registry.accounts.models import User
from registry.errors import RegistryError
from registry.registrations import actions, drafts
from registry.registrations.answers import (
    PointsUnanswered,
    Reply,
    UnknownActionPoint,
    UnknownOutcome,
    open_points_of,
    replies_in,
)
from registry.registrations.models import ActionPoint, Answer, Outcome, Registration, State
from registry.words import TooManyWords, UnkeepableCharacter
from tests.databases import in_sql
from tests.factories import a_case_in_review, all_done
from tests.registrations.moves.rounds import next_round
from tests.registrations.traces import refused

DONE, NOT_DONE = Outcome.DONE, Outcome.NOT_DONE


@pytest.fixture
def case(registrant: User, expert: User) -> Registration:
    """Sent back with two points: on the syntax and on the purpose."""
    return sent_back(a_case_in_review(by=registrant), expert)


def sent_back(case: Registration, expert: User) -> Registration:
    latest = case.submissions.count()
    points = [("syntax", "Say whether zeros lead."), ("purpose", "Say who\nbenefits. " + "And why. " * 20)]
    return actions.request_changes(case, by=expert, round_number=latest, rationale="", action_points=points)


def reply(case: Registration, *replies: Reply, by: User | None = None) -> Registration:
    """Save the draft with replies to the open points, in their order."""
    said = dict(zip([point.pk for point in open_points_of(case)], replies, strict=False))
    stamp = case.draft_stamp
    return drafts.save_draft(case, case.content, by=by or case.registrant, stamp=stamp, replies=said)


def submit(case: Registration) -> Registration:
    return actions.submit(case, by=case.registrant, draft_stamp=case.draft_stamp)


def test_a_round_keeps_the_answers_to_the_points_of_the_round_before(case: Registration) -> None:
    case = submit(reply(case, Reply(DONE, "Five digits, always."), Reply(NOT_DONE, "  It says so.\n")))
    answers = list(Answer.objects.all())
    assert [(answer.outcome, answer.text) for answer in answers] == [
        (DONE, "Five digits, always."),
        (NOT_DONE, "It says so."),
    ]
    assert {(answer.submission.round, answer.point.review.submission.round) for answer in answers} == {(2, 1)}
    assert case.draft_answers == {}
    assert open_points_of(case) == []


@pytest.mark.parametrize(
    ("replies", "waiting"),
    [
        ([], ["syntax", "purpose"]),
        ([Reply(DONE)], ["purpose"]),
        ([Reply(DONE), Reply(text="Words, and no outcome.")], ["purpose"]),
        ([Reply(NOT_DONE), Reply(DONE)], ["syntax"]),
        ([Reply(NOT_DONE, " \n"), Reply(DONE)], ["syntax"]),
    ],
)
def test_nothing_is_submitted_while_a_point_has_no_answer(
    case: Registration, replies: list[Reply], waiting: list[str]
) -> None:
    case = reply(case, *replies)
    with refused(PointsUnanswered, "Answer each action point"):
        submit(case)
    with pytest.raises(PointsUnanswered) as refusal:
        submit(case)
    assert [point.section for point in refusal.value.points] == waiting
    assert all(point.section_title in str(refusal.value) for point in refusal.value.points)
    assert len(str(refusal.value)) < 400


def test_an_answer_that_is_not_named_stays_as_it_was(case: Registration) -> None:
    first, second = open_points_of(case)
    case = reply(case, Reply(DONE, "Yes."))
    case = drafts.save_draft(
        case, case.content, by=case.registrant, stamp=case.draft_stamp, replies={second.pk: Reply(NOT_DONE)}
    )
    assert replies_in(case) == {first.pk: Reply(DONE, "Yes."), second.pk: Reply(NOT_DONE)}
    assert submit(all_done(case)).state == State.IN_REVIEW


def test_an_answer_can_be_taken_back_before_the_round(case: Registration) -> None:
    case = reply(reply(case, Reply(DONE)), Reply())
    assert replies_in(case) == {}


def test_a_co_editor_answers_too(case: Registration, co_editor: User) -> None:
    case.co_editors.create(user=co_editor)
    case = reply(case, Reply(DONE), Reply(DONE), by=co_editor)
    assert submit(case).state == State.IN_REVIEW


def test_each_round_asks_for_answers_to_its_own_points(case: Registration, expert: User) -> None:
    second = sent_back(submit(all_done(case)), expert)
    assert len(open_points_of(second)) == 2
    with refused(PointsUnanswered):
        submit(second)
    submit(all_done(second))
    assert Answer.objects.count() == ActionPoint.objects.count() == 4


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (Reply("done\n"), UnknownOutcome),
        (Reply("dóne"), UnknownOutcome),
        (Reply("not done"), UnknownOutcome),
        (Reply(DONE, "x\x00"), UnkeepableCharacter),
        (Reply(DONE, "x" * 50_001), TooManyWords),
    ],
)
def test_what_can_not_be_kept_is_refused_and_changes_nothing(
    case: Registration, said: Reply, reason: type[RegistryError]
) -> None:
    with refused(reason):
        reply(case, said)


def test_a_point_of_another_case_is_not_answered(case: Registration, expert: User, participant: User) -> None:
    other = sent_back(a_case_in_review(by=participant, namespace_identifier="example-oaks"), expert)
    strange = {open_points_of(other)[0].pk: Reply(DONE)}
    with refused(UnknownActionPoint):
        drafts.save_draft(case, case.content, by=case.registrant, stamp=case.draft_stamp, replies=strange)


def test_a_case_without_points_asks_for_no_answers(registrant: User) -> None:
    case = next_round(a_case_in_review(by=registrant))
    assert case.submissions.count() == 2
    assert not Answer.objects.exists()


# What the database refuses


def insert(point: int, submission: int, outcome: str, text: str) -> None:
    in_sql(
        "INSERT INTO registrations_answer (point_id, submission_id, outcome, text) "
        f"VALUES ({point}, {submission}, '{outcome}', '{text}')"
    )


def test_the_database_refuses_a_second_answer(case: Registration) -> None:
    point = open_points_of(case)[0]
    answered = submit(all_done(case))
    with pytest.raises(IntegrityError, match="point_id"), transaction.atomic():
        insert(point.pk, answered.submissions.get(round=2).pk, "done", "")


@pytest.mark.parametrize(("outcome", "text"), [("not_done", ""), ("done\n", ""), ("dóne", "x"), ("", "x")])
def test_the_database_knows_which_answers_there_are(case: Registration, outcome: str, text: str) -> None:
    point = open_points_of(case)[0]
    submission = case.submissions.create(
        round=2, content={}, text="", digest="", submitted_by=case.registrant
    )
    with pytest.raises(IntegrityError, match=r"outcome_is_known|says_why"), transaction.atomic():
        insert(point.pk, submission.pk, outcome, text)


def test_the_database_refuses_an_answer_from_the_same_round_or_another_case(
    case: Registration, participant: User
) -> None:
    other = next_round(a_case_in_review(by=participant, namespace_identifier="example-oaks"))
    point = open_points_of(case)[0]
    for submission in (case.submissions.get(), other.submissions.get(round=2)):
        with pytest.raises(IntegrityError, match="later round of its own case"), transaction.atomic():
            insert(point.pk, submission.pk, "done", "")
