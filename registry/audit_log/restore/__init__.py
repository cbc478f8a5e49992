"""Restoring a database to an event of the audit log, and checks of a database that was restored."""

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from psycopg.errors import ObjectNotInPrerequisiteState

from registry.audit_log.restore.schema_objects import missing_objects
from registry.mail.models import Message

COMMITTED_AT = "SELECT pg_xact_commit_timestamp(xmin) FROM audit_log_event WHERE number = %s"
# What a restore can leave without effect, although the rows are right: by name, in the schema of the registry.
DISABLED = """
SELECT 'trigger ' || tgname || ' of ' || tgrelid::regclass || ' is disabled'
FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
WHERE tgenabled IN ('D', 'R') AND relnamespace = current_schema()::regnamespace
UNION ALL
SELECT 'constraint ' || conname || ' of ' || conrelid::regclass || ' was not validated'
FROM pg_constraint WHERE NOT convalidated AND connamespace = current_schema()::regnamespace
UNION ALL
SELECT 'index ' || indexrelid::regclass || ' is not valid'
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
WHERE NOT indisvalid AND relnamespace = current_schema()::regnamespace
ORDER BY 1
"""


class TargetUnknown(Exception):
    """The time at which an event was committed can't be told."""


class Surroundings(NamedTuple):
    """What matters beside the log: whether the server is still in recovery, and mails that a worker would send."""

    is_in_recovery: bool
    unsent_mails: int


def recovery_target(number: int) -> datetime:
    """The `recovery_target_time` that restores the database to the state after an event. Raises TargetUnknown.

    Events are committed in their order, because each writer holds the lock of the chain until its commit. So the time
    of the commit is a target that includes the event and its change, and no later event.
    """
    with connection.cursor() as cursor:
        try:
            cursor.execute(COMMITTED_AT, [number])
        except OperationalError as error:
            if not isinstance(error.__cause__, ObjectNotInPrerequisiteState):
                raise
            raise TargetUnknown(
                "PostgreSQL does not record the times of commits. Set track_commit_timestamp = on and restart it; the "
                "times of later events are then known."
            ) from error
        row = cursor.fetchone()
    if row is None:
        raise TargetUnknown(f"The audit log has no event {number}.")
    if row[0] is None:
        raise TargetUnknown(
            f"PostgreSQL has no time of the commit of event {number}: it was written before "
            "track_commit_timestamp was set, or copied from another database."
        )
    time: datetime = row[0]
    return time


def faults_of_the_schema() -> Iterator[str]:
    """Yield what differs from the schema of this version: migrations, triggers, constraints and indexes."""
    executor = MigrationExecutor(connection)
    for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes()):
        yield f"Migration {migration} was not applied."
    yield from missing_objects()
    with connection.cursor() as cursor:
        cursor.execute(DISABLED)
        for (fault,) in cursor.fetchall():
            yield f"The {fault}."


def surroundings() -> Surroundings:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_is_in_recovery()")
        return Surroundings(cursor.fetchone()[0], Message.objects.filter(sent_at=None).count())
