"""The database that workers serve, and how they recognise a restored copy of it.

A worker that runs jobs in a copy would send mail, digests, reminders and webhooks a second time, or from a place that must
not send any. See docs/decisions/0029-restored-copies.md.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import connection
from django.db.models import Max
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateWorker

from registry.core.models import ServedDatabase

# The timeline is that of the running server: the control file has a new one only after the next checkpoint.
IDENTITY = """
    SELECT system_identifier || '/' || (SELECT oid FROM pg_database WHERE datname = current_database()),
        CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END
    FROM pg_control_system()
"""
# A failover begins a timeline, as a restore does. But a worker was there shortly before.
MAX_GAP = timedelta(minutes=5)


class Identity(NamedTuple):
    """The cluster and database, and the timeline: "" on a standby."""

    database: str
    timeline: str


def identity() -> Identity:
    with connection.cursor() as cursor:
        cursor.execute(IDENTITY)
        return Identity(*cursor.fetchone())


def last_heartbeat() -> datetime | None:
    """The last time at which a worker said that it runs."""
    at: datetime | None = ProcrastinateWorker.objects.aggregate(at=Max("last_heartbeat"))["at"]
    return at


def reason_to_wait(lost_at: datetime | None = None) -> str:
    """Return why workers must wait for `release`, or "".

    `lost_at` is the time at which a running worker lost the database; a worker that starts has none.
    """
    served = ServedDatabase.objects.first()
    if served is None:
        return ""
    if served.is_held:
        return "Workers are on hold (`manage.py outbox --hold`)."
    seen_at = max(served.seen_at, last_heartbeat() or served.seen_at)
    database, timeline = identity()
    is_gap = (lost_at or timezone.now()) - seen_at > MAX_GAP
    at = f"{seen_at:%Y-%m-%d %H:%M} UTC"
    if database != served.database:
        return f"This database was restored or copied: workers last served the original on {at}."
    if timeline in {"", served.timeline} or not is_gap:
        return ""
    return (
        f"The server is on timeline {int(timeline, 16)}, and workers last served timeline {int(served.timeline, 16)}, on {at}: "
        f"it was restored, or no worker followed a failover within {MAX_GAP.total_seconds() / 60:.0f} minutes."
    )


def serve() -> None:
    """Note that workers serve this database from now on."""
    _note()


def release() -> None:
    """Let workers serve this database from now on."""
    _note(is_held=False)


def hold() -> None:
    """Have workers wait from now on when they start or connect again. One that runs goes on."""
    _note(is_held=True)


def _note(**values: bool) -> None:
    database, timeline = identity()
    now = {"database": database, "timeline": timeline, "seen_at": timezone.now()}
    ServedDatabase.objects.update_or_create(pk=1, defaults=now | values)


def note_end() -> None:
    """Note that a worker was here until now, unless this is a copy: it deletes its heartbeat when it ends."""
    database, timeline = identity()
    ServedDatabase.objects.filter(database=database, timeline=timeline).update(seen_at=timezone.now())
