"""Workers recognise a restored copy of the database, and take no failover for one."""

import re
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.utils import timezone

from registry.core.models import ServedDatabase
from registry.core.processes.served_database import (
    MAX_GAP,
    hold,
    identity,
    note_end,
    reason_to_wait,
    release,
    serve,
)
from tests.observability.test_health import a_worker

pytestmark = pytest.mark.django_db
LONG = MAX_GAP + timedelta(minutes=1)
SHORT = MAX_GAP - timedelta(minutes=1)


def ago(time: timedelta) -> datetime:
    return timezone.now() - time


def on_another_timeline(seen_at: datetime) -> None:
    """As after a failover or a restore: the last worker was there at that time."""
    serve()
    ServedDatabase.objects.update(timeline="000000AB", seen_at=seen_at)


def test_a_database_that_was_never_served_can_be() -> None:
    assert reason_to_wait() == ""


def test_a_worker_that_was_away_for_long_finds_its_database_again() -> None:
    serve()
    ServedDatabase.objects.update(seen_at=ago(timedelta(days=30)))
    assert reason_to_wait() == ""


def test_the_database_of_another_server_is_a_copy_however_new() -> None:
    serve()
    ServedDatabase.objects.update(database="7000000000000000000/5")
    a_worker()
    assert reason_to_wait().startswith(
        "This database was restored or copied: workers last served the original on "
    )
    release()
    assert reason_to_wait() == ""


def test_another_timeline_after_a_gap_is_a_restore_or_a_long_failover() -> None:
    on_another_timeline(ago(LONG))
    assert re.fullmatch(
        r"The server is on timeline 1, and workers last served timeline 171, on [0-9: -]{16} UTC: "
        r"it was restored, or no worker followed a failover within 5 minutes\.",
        reason_to_wait(),
    )
    note_end()  # of a worker that ran on while the database was restored
    assert reason_to_wait()


def test_another_timeline_shortly_after_a_worker_is_a_failover() -> None:
    on_another_timeline(ago(SHORT))
    assert reason_to_wait() == ""
    on_another_timeline(ago(LONG))
    a_worker()
    assert reason_to_wait() == ""


def test_a_worker_that_ran_through_a_long_failover_goes_on_but_not_after_a_restore() -> None:
    on_another_timeline(ago(timedelta(hours=2)))
    a_worker()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'")
    assert reason_to_wait(lost_at=ago(timedelta(hours=1))) == ""
    assert reason_to_wait(lost_at=ago(timedelta(minutes=30)))


def test_workers_on_hold_wait_until_they_are_released() -> None:
    hold()
    assert reason_to_wait() == "Workers are on hold (`manage.py outbox --hold`)."
    serve()  # a worker that was about to start
    assert reason_to_wait()
    release()
    assert reason_to_wait() == ""


def test_a_worker_that_ends_notes_the_time() -> None:
    serve()
    ServedDatabase.objects.update(seen_at=ago(LONG))
    note_end()
    assert ServedDatabase.objects.get().seen_at > ago(SHORT)


def test_the_timeline_is_that_of_the_server() -> None:
    assert identity().timeline == "00000001"
