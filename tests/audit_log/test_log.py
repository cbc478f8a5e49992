"""The record: append-only in the database itself, chained, and proven."""

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from itertools import pairwise

import pytest
import time_machine
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.audit_log import log
from registry.audit_log.models import BrokenAuditLog, ChainHead, Event
from tests.support.databases import in_sql


def three_events(by: User) -> None:
    with transaction.atomic():
        for nid in ("one", "two", "three"):
            log.append("import", by=by, nid=nid, reason="Grüße, für immer", version=1)


def test_events_count_from_1_and_each_holds_its_predecessors_digest(registrant: User) -> None:
    three_events(registrant)
    events = list(log.verified())
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert all(after.previous == before.digest for before, after in pairwise(events))
    assert ChainHead.objects.get().digest == events[-1].digest


def test_many_events_at_once_are_chained_as_one_by_one(registrant: User) -> None:
    three_events(registrant)
    before = Event.objects.count()
    with transaction.atomic():
        log.append_all(
            Event(
                verb="import",
                nid=f"example-{count}",
                actor=registrant,
                details={"größe": [count, None, "a\tb"]},
            )
            for count in range(300)
        )
        log.append("import_iana", by=None)
    events = list(log.verified())
    assert len(events) == before + 301
    assert events[before].nid == "example-0"
    assert events[before + 7].details == {"größe": [7, None, "a\tb"]}
    assert events[before].actor == registrant


def test_no_events_at_once_are_nothing(db: None) -> None:
    with transaction.atomic():
        log.append_all([])
    assert list(log.verified()) == []


def test_many_events_need_the_transaction_of_their_change(real_database: None) -> None:
    with pytest.raises(transaction.TransactionManagementError):
        log.append_all([Event(verb="import")])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_log_event SET reason = 'another' WHERE number = 1",
        "DELETE FROM audit_log_event WHERE number = 1",
        "TRUNCATE audit_log_event",
        "DELETE FROM audit_log_chainhead",
        "TRUNCATE audit_log_chainhead",
    ],
)
def test_the_database_refuses_to_change_events(statement: str, registrant: User) -> None:
    three_events(registrant)
    with pytest.raises(IntegrityError, match="refused: rows of"):
        in_sql(statement)
    assert len(list(log.verified())) == Event.objects.count()


TAMPERINGS = {
    "a reason": "UPDATE audit_log_event SET reason = 'another' WHERE number = 2",
    "a time": "UPDATE audit_log_event SET at = at - interval '1 microsecond' WHERE number = 2",
    "an actor": "UPDATE audit_log_event SET actor_id = NULL WHERE number = 2",
    "a particular": "UPDATE audit_log_event SET details = '{\"version\": 2}' WHERE number = 2",
    "a digest": "UPDATE audit_log_event SET digest = repeat('f', 64) WHERE number = 2",
    "the first event": "DELETE FROM audit_log_event WHERE number = 1",
    "an event between": "DELETE FROM audit_log_event WHERE number = 2",
    "the last event": "DELETE FROM audit_log_event WHERE number = 3",
    "all events": "DELETE FROM audit_log_event",
    "the head": "UPDATE audit_log_chainhead SET number = 2",
    "one event more": (
        "INSERT INTO audit_log_event SELECT number + 1, at, verb, case_number, nid, from_state, to_state,"
        " reason, text_digest, details, identities, digest, digest, actor_id FROM audit_log_event WHERE number = 3"
    ),
}


@pytest.mark.parametrize("statement", TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_tampering_with_the_trigger_switched_off_is_found(
    statement: str, registrant: User, tamper: Callable[[str], None]
) -> None:
    three_events(registrant)
    tamper(statement)
    with pytest.raises(BrokenAuditLog):
        list(log.verified())


def test_an_event_reads_no_more_in_a_long_log(registrant: User) -> None:
    """Also in a connection whose first events were many, as PostgreSQL keeps the plans of functions."""

    def rows_read() -> int:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'audit_log_event'"
            )
            return int(cursor.fetchone()[0])

    with transaction.atomic():
        log.append_all(Event(verb="import", nid=f"example-{number}") for number in range(5000))
        in_sql("ANALYZE audit_log_event")
        log.append("import", nid="example-0", by=None)
        before = rows_read()
        for _ in range(10):
            log.append("import", nid="example-0", by=None)
        assert rows_read() - before < 100


def test_what_is_rolled_back_leaves_no_gap(registrant: User) -> None:
    three_events(registrant)
    before = transaction.savepoint()
    log.append("import", by=registrant, nid="four")
    transaction.savepoint_rollback(before)
    assert log.append("import", by=registrant, nid="five").number == 4


def test_an_event_outside_of_a_transaction_is_refused(real_database: None) -> None:
    with pytest.raises(transaction.TransactionManagementError):
        log.append("import", by=None, nid="alone")


def verify(*arguments: str) -> tuple[int, str]:
    out, err = StringIO(), StringIO()
    try:
        call_command("verify_audit_log", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue() + err.getvalue()
    return 0, out.getvalue()


def test_the_command_reports_the_number_of_valid_events(registrant: User) -> None:
    three_events(registrant)
    assert verify() == (0, f"The audit log is valid: 3 events, head {ChainHead.objects.get().digest}.\n")
    status, answer = verify("--json")
    assert (status, json.loads(answer)["events"], json.loads(answer)["valid"]) == (0, 3, True)


def test_the_command_names_the_first_event_that_does_not_fit(
    registrant: User, tamper: Callable[[str], None]
) -> None:
    three_events(registrant)
    tamper(TAMPERINGS["a reason"])
    status, answer = verify()
    assert status == 1
    assert "Event 2 was changed after it was written." in answer
    assert "The 1 events before it are valid." in answer
    status, answer = verify("--json")
    assert (status, json.loads(answer)["valid"]) == (1, False)


def written_at(*hours: float) -> None:
    """Write an event at each of these hours from now."""
    for each in hours:
        with time_machine.travel(timezone.now() + timedelta(hours=each)), transaction.atomic():
            log.append("import", by=None, nid="isbn")


def test_a_clock_that_went_back_is_a_note_not_a_fault(db: None) -> None:
    written_at(-30, -4, -6, -5)
    status, answer = verify()
    assert status == 0
    (note,) = answer.splitlines()[1:]
    times = [
        f"{at:%Y-%m-%d %H:%M:%S} UTC" for at in Event.objects.values_list("at", flat=True).order_by("number")
    ]
    assert note == f"The clock went back: event 3 is dated {times[2]}, event 2 {times[1]}."
    assert json.loads(verify("--json")[1])["notes"] == [note]


def test_of_many_steps_back_the_first_are_named_and_the_others_counted(db: None) -> None:
    written_at(*(-100 - hour for hour in range(14)), 24)
    status, answer = verify()
    assert status == 0
    *named, more, ahead = answer.splitlines()[1:]
    assert len(named) == 10
    assert all(each.startswith("The clock went back: ") for each in named)
    assert more == "3 more steps back."
    assert ahead.startswith("Times in the future: 1, the first that of event 15 (")


def test_times_in_the_future_are_noted(db: None) -> None:
    written_at(-1, 24, 25)
    status, answer = verify()
    assert status == 0
    (note,) = answer.splitlines()[1:]
    at = Event.objects.get(number=2).at
    assert note == f"Times in the future: 2, the first that of event 2 ({at:%Y-%m-%d %H:%M:%S} UTC)."


def test_clocks_that_differ_by_seconds_are_not_noted(db: None) -> None:
    written_at(-1, -1 - 50 / 3600, 50 / 3600)
    assert json.loads(verify("--json")[1])["notes"] == []


def test_an_empty_log_is_valid(db: None) -> None:
    assert verify()[0] == 0


@pytest.fixture
def tamper(db: None) -> Callable[[str], None]:
    def switched_off(statement: str) -> None:
        for table in ("event", "chainhead"):
            in_sql(f"ALTER TABLE audit_log_{table} DISABLE TRIGGER USER")
        in_sql(statement)

    return switched_off
