"""Answers to action points: written with the draft, demanded by the submission, kept with the round."""

import pytest
from django.db import IntegrityError, transaction

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.drafts.replies import (
    DraftReply,
    PointsUnanswered,
    UnknownActionPoint,
    UnknownOutcome,
    open_points_of,
    replies_in,
)
from registry.cases.models import ActionPoint, Case, Outcome, Reply, State
from registry.cases.workflow import functions
from registry.core.exceptions import RegistryError
from registry.core.validators import TextTooLong, UnstorableCharacter
from tests.cases.traces import refused
from tests.cases.transitions.rounds import next_round
from tests.support.databases import in_sql
from tests.support.factories import a_case_in_review, all_done

DONE, NOT_DONE = Outcome.DONE, Outcome.NOT_DONE


@pytest.fixture
def case(registrant: User, expert: User) -> Case:
    """Sent back with two points: on the syntax and on the purpose."""
    return sent_back(a_case_in_review(by=registrant), expert)


def sent_back(case: Case, expert: User) -> Case:
    latest = case.rounds.count()
    points = [("syntax", "Say whether zeros lead."), ("purpose", "Say who\nbenefits. " + "And why. " * 20)]
    return functions.request_changes(case, by=expert, round_number=latest, rationale="", action_points=points)


def reply(case: Case, *replies: DraftReply, by: User | None = None) -> Case:
    """Save the draft with replies to the open points, in their order."""
    said = dict(zip([point.pk for point in open_points_of(case)], replies, strict=False))
    stamp = case.draft_stamp
    return drafts.save_draft(case, case.draft_template, by=by or case.registrant, stamp=stamp, replies=said)


def submit(case: Case) -> Case:
    return functions.submit(case, by=case.registrant, draft_stamp=case.draft_stamp)


def test_a_round_keeps_the_replies_to_the_points_of_the_previous_round(case: Case) -> None:
    case = submit(
        reply(case, DraftReply(DONE, "Five digits, always."), DraftReply(NOT_DONE, "  It says so.\n"))
    )
    answers = list(Reply.objects.all())
    assert [(answer.outcome, answer.text) for answer in answers] == [
        (DONE, "Five digits, always."),
        (NOT_DONE, "It says so."),
    ]
    assert {(answer.round.number, answer.point.review.round.number) for answer in answers} == {(2, 1)}
    assert case.draft_replies == {}
    assert open_points_of(case) == []


@pytest.mark.parametrize(
    ("replies", "waiting"),
    [
        ([], ["syntax", "purpose"]),
        ([DraftReply(DONE)], ["purpose"]),
        ([DraftReply(DONE), DraftReply(text="Words, and no outcome.")], ["purpose"]),
        ([DraftReply(NOT_DONE), DraftReply(DONE)], ["syntax"]),
        ([DraftReply(NOT_DONE, " \n"), DraftReply(DONE)], ["syntax"]),
    ],
)
def test_an_unanswered_action_point_prevents_submission(
    case: Case, replies: list[DraftReply], waiting: list[str]
) -> None:
    case = reply(case, *replies)
    with refused(PointsUnanswered, "Answer each action point"):
        submit(case)
    with pytest.raises(PointsUnanswered) as refusal:
        submit(case)
    assert [point.section for point in refusal.value.points] == waiting
    assert all(point.section_title in str(refusal.value) for point in refusal.value.points)
    assert len(str(refusal.value)) < 400


def test_replies_that_are_not_sent_are_kept(case: Case) -> None:
    first, second = open_points_of(case)
    case = reply(case, DraftReply(DONE, "Yes."))
    case = drafts.save_draft(
        case,
        case.draft_template,
        by=case.registrant,
        stamp=case.draft_stamp,
        replies={second.pk: DraftReply(NOT_DONE)},
    )
    assert replies_in(case) == {first.pk: DraftReply(DONE, "Yes."), second.pk: DraftReply(NOT_DONE)}
    assert submit(all_done(case)).state == State.IN_REVIEW


def test_a_reply_can_be_withdrawn_before_the_round(case: Case) -> None:
    case = reply(reply(case, DraftReply(DONE)), DraftReply())
    assert replies_in(case) == {}


def test_a_co_editor_can_reply(case: Case, co_editor: User) -> None:
    case.co_editors.create(user=co_editor)
    case = reply(case, DraftReply(DONE), DraftReply(DONE), by=co_editor)
    assert submit(case).state == State.IN_REVIEW


def test_each_round_requires_replies_to_its_own_points(case: Case, expert: User) -> None:
    second = sent_back(submit(all_done(case)), expert)
    assert len(open_points_of(second)) == 2
    with refused(PointsUnanswered):
        submit(second)
    submit(all_done(second))
    assert Reply.objects.count() == ActionPoint.objects.count() == 4


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (DraftReply("done\n"), UnknownOutcome),
        (DraftReply("dóne"), UnknownOutcome),
        (DraftReply("not done"), UnknownOutcome),
        (DraftReply(DONE, "x\x00"), UnstorableCharacter),
        (DraftReply(DONE, "x" * 50_001), TextTooLong),
    ],
)
def test_an_unstorable_reply_is_rejected(case: Case, said: DraftReply, reason: type[RegistryError]) -> None:
    with refused(reason):
        reply(case, said)


def test_a_reply_to_a_point_of_another_case_is_refused(case: Case, expert: User, participant: User) -> None:
    other = sent_back(a_case_in_review(by=participant, namespace_identifier="example-oaks"), expert)
    strange = {open_points_of(other)[0].pk: DraftReply(DONE)}
    with refused(UnknownActionPoint):
        drafts.save_draft(
            case, case.draft_template, by=case.registrant, stamp=case.draft_stamp, replies=strange
        )


def test_a_case_without_points_requires_no_replies(registrant: User) -> None:
    case = next_round(a_case_in_review(by=registrant))
    assert case.rounds.count() == 2
    assert not Reply.objects.exists()


# What the database refuses


def insert(point: int, round_: int, outcome: str, text: str) -> None:
    in_sql(
        "INSERT INTO cases_reply (point_id, round_id, outcome, text) "
        f"VALUES ({point}, {round_}, '{outcome}', '{text}')"
    )


def test_the_database_refuses_a_second_reply(case: Case) -> None:
    point = open_points_of(case)[0]
    answered = submit(all_done(case))
    with pytest.raises(IntegrityError, match="point_id"), transaction.atomic():
        insert(point.pk, answered.rounds.get(number=2).pk, "done", "")


@pytest.mark.parametrize(("outcome", "text"), [("not_done", ""), ("done\n", ""), ("dóne", "x"), ("", "x")])
def test_the_database_refuses_unknown_outcomes_and_missing_reasons(
    case: Case, outcome: str, text: str
) -> None:
    point = open_points_of(case)[0]
    round_ = case.rounds.create(number=2, content={}, text="", digest="", submitted_by=case.registrant)
    with (
        pytest.raises(IntegrityError, match=r"reply_outcome_is_known|not_done_requires_text"),
        transaction.atomic(),
    ):
        insert(point.pk, round_.pk, outcome, text)


def test_the_database_refuses_a_reply_from_the_same_round_or_another_case(
    case: Case, participant: User
) -> None:
    other = next_round(a_case_in_review(by=participant, namespace_identifier="example-oaks"))
    point = open_points_of(case)[0]
    for round_ in (case.rounds.get(), other.rounds.get(number=2)):
        with pytest.raises(IntegrityError, match="later round of its case"), transaction.atomic():
            insert(point.pk, round_.pk, "done", "")
