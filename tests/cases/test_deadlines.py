"""How long a case has been where it is, and whose time that was. The clock stands still in these tests."""

from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
import time_machine

from registry.accounts.models import Recognition, User
from registry.audit_log.models import Event
from registry.cases.deadlines import (
    Deadline,
    TimeSpent,
    deadline_of,
    format_duration,
    overdue,
    time_spent,
)
from registry.cases.models import OPEN_STATES, WITH_BODY, Case, State
from registry.cases.workflow import functions
from registry.review_desk.reminders import due_reminders
from registry.statistics import queries
from tests.support.factories import a_body, a_case_in_review, put_in_state

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def case(registrant: User) -> Case:
    with time_machine.travel(NOON, tick=False):
        return a_case_in_review(by=registrant)


@pytest.mark.parametrize(
    ("later", "words"),
    [
        (timedelta(0), "with the designated experts for less than an hour, due in 14 days"),
        (6 * DAY, "with the designated experts for 6 days, due in 8 days"),
        (13 * DAY, "with the designated experts for 13 days, due in 24 hours"),
        (14 * DAY, "with the designated experts for 14 days, due in less than an hour"),
        (15 * DAY, "with the designated experts for 15 days, overdue by 24 hours"),
        (20 * DAY, "with the designated experts for 20 days, overdue by 6 days"),
    ],
)
def test_a_deadline_is_described_in_text(case: Case, later: timedelta, words: str) -> None:
    assert str(deadline_of(case, NOON + later)) == words


def test_the_days_for_each_state_are_a_setting(case: Case, settings: Any) -> None:
    settings.DAYS_TO_ACT = {"in_review": 3}
    assert str(deadline_of(case, NOON + DAY)).endswith("due in 2 days")
    settings.DAYS_TO_ACT = {}
    assert str(deadline_of(case, NOON + DAY)) == "with the designated experts for 24 hours"


@pytest.mark.parametrize("state", [State.WITHDRAWN, State.DECLINED])
def test_a_closed_case_has_no_deadline(case: Case, state: State) -> None:
    assert deadline_of(put_in_state(case, state)) is None


def found(**how: Any) -> list[int]:
    return list(Case.objects.filter(overdue(**how)).values_list("pk", flat=True))


def test_the_overdue_filter_agrees_with_deadlines(case: Case) -> None:
    for later, late in ((14 * DAY, False), (14 * DAY + HOUR, True)):
        deadline = deadline_of(case, NOON + later)
        assert deadline is not None
        assert deadline.is_overdue is late
        assert (found(now=NOON + later) == [case.pk]) is late


def test_a_recognised_body_has_no_deadline(registrant: User, liaison: User) -> None:
    """The length of time is strictly under its control (RFC 8141, Section 6.3, step 3)."""
    with time_machine.travel(NOON, tick=False):
        case = a_case_in_review(by=registrant, body=a_body())
        assert deadline_of(case, NOON) == Deadline("The approval body", NOON, NOON + 14 * DAY, NOON)
        functions.recognise(case, by=liaison, reference="Letter 1")
    case.refresh_from_db()
    much_later = NOON + 400 * DAY
    assert deadline_of(case, much_later) == Deadline("The requesting body", NOON, None, much_later)
    assert found(now=much_later) == []
    assert list(due_reminders(much_later)) == []
    assert {row.label: row.values for row in queries.overdue_cases().rows}["in review"] == (0, 0)


def test_a_case_is_with_the_body_by_one_rule(registrant: User) -> None:
    case = a_case_in_review(by=registrant, body=a_body())
    for recognition, state in product(Recognition, [*OPEN_STATES, State.WITHDRAWN, State.DECLINED]):
        Case.objects.filter(pk=case.pk).update(recognition=recognition)
        case = put_in_state(case, state)
        case.recognition = recognition
        assert Case.objects.filter(WITH_BODY, pk=case.pk).exists() is case.is_with_body


def test_the_overdue_filter_takes_an_offset(case: Case) -> None:
    assert found(now=NOON + 12 * DAY, by=-3 * DAY) == [case.pk]
    assert found(now=NOON + 10 * DAY, by=-3 * DAY) == []
    assert found(now=NOON + 20 * DAY, by=7 * DAY) == []
    assert found(now=NOON + 22 * DAY, by=7 * DAY) == [case.pk]


def a_transition(days: float, source: str, target: str, verb: str = "moved", **details: Any) -> Event:
    return Event(at=NOON + days * DAY, verb=verb, from_state=source, to_state=target, details=details)


STORY = [
    a_transition(-3, "", "draft"),
    a_transition(0, "draft", "in_review"),
    a_transition(1, "", ""),  # a recusal moves nothing
    a_transition(4, "in_review", "changes_requested"),
    a_transition(14, "changes_requested", "in_review"),
    a_transition(15, "in_review", "in_review"),
]


def test_the_time_with_the_registrant_is_counted_separately() -> None:
    shares = time_spent(STORY, NOON + 20 * DAY)
    assert (shares.with_registry, shares.with_registrant) == (10 * DAY, 10 * DAY)


def test_a_closed_case_counts_no_further() -> None:
    shares = time_spent([*STORY, a_transition(16, "in_review", "declined")], NOON + 90 * DAY)
    assert (shares.with_registry, shares.with_registrant) == (6 * DAY, 10 * DAY)


def test_the_time_before_an_appeal_is_the_registrants() -> None:
    appealed = [
        *STORY,
        a_transition(16, "in_review", "declined"),
        a_transition(21, "declined", "awaiting_direction"),
    ]
    shares = time_spent(appealed, NOON + 22 * DAY)
    assert (shares.with_registry, shares.with_registrant) == (7 * DAY, 15 * DAY)


@pytest.mark.parametrize(
    "recognition",
    [
        a_transition(3, "in_review", "in_review", "recognise"),
        a_transition(3, "in_review", "in_review", "submit", recognised=True),
    ],
    ids=["in the case", "before"],
)
def test_the_time_after_its_recognition_is_the_bodys(recognition: Event) -> None:
    story = [
        a_transition(0, "draft", "in_review", "submit"),
        recognition,
        a_transition(10, "in_review", "approved", "request_completion"),
        a_transition(12, "approved", "changes_requested"),
        a_transition(17, "changes_requested", "in_review", "submit"),
        a_transition(20, "in_review", "in_review", "leave_fast_track"),
    ]
    shares = time_spent(story, NOON + 24 * DAY)
    assert shares == TimeSpent(with_registry=9 * DAY, with_body=15 * DAY)
    assert shares.description == (
        "9 days with the registry, less than an hour with the registrant, 15 days with the requesting body"
    )


def test_a_case_without_events_has_no_duration() -> None:
    shares = time_spent([], NOON)
    assert (shares.with_registry, shares.with_registrant) == (timedelta(0), timedelta(0))


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (-DAY, "less than an hour"),
        (timedelta(minutes=59), "less than an hour"),
        (HOUR, "1 hour"),
        (47 * HOUR, "47 hours"),
        (48 * HOUR, "2 days"),
        (729 * DAY, "729 days"),
        (731 * DAY, "2 years"),
    ],
)
def test_durations_are_described_in_text(span: timedelta, words: str) -> None:
    assert format_duration(span) == words
