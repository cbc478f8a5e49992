"""Restoring a database to an event of the audit log, and checks of a restored one: its events, and the triggers,
constraints, indexes and functions that `migrate` left.

The list of these is the comment on the table of migrations: every dump, backup and copy of the database has it.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from psycopg.errors import ObjectNotInPrerequisiteState

from registry.mail.models import Message

# A name can be that of several objects. Constraints of NOT NULL have entries from PostgreSQL 18 on.
OBJECTS = """
SELECT 'trigger ' || tgname || ' of ' || tgrelid::regclass
FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
WHERE NOT tgisinternal AND relnamespace = current_schema()::regnamespace
UNION
SELECT 'constraint ' || conname || ' of ' || conrelid::regclass
FROM pg_constraint WHERE conrelid <> 0 AND contype <> 'n' AND connamespace = current_schema()::regnamespace
UNION
SELECT 'index ' || indexrelid::regclass || ' of ' || indrelid::regclass
FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE relnamespace = current_schema()::regnamespace
UNION
SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
UNION
SELECT 'table ' || oid::regclass FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
"""
NOTED = "SELECT obj_description('django_migrations'::regclass, 'pg_class')"


def note_objects(*, plan: Any = (), **kwargs: Any) -> None:
    """Write the list, after migrations that changed something: another `migrate` does not accept a damaged schema."""
    if not plan and _noted() is not None:
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT array_agg(object ORDER BY object) FROM ({OBJECTS}) AS each (object)")  # nosec B608  # a constant of this module
        (objects,) = cursor.fetchone()
        cursor.execute("COMMENT ON TABLE django_migrations IS %s", [json.dumps(objects)])


def missing_objects() -> Iterator[str]:
    """Yield what the schema lacks, in words."""
    noted = _noted()
    if noted is None:
        yield "The list of triggers and constraints, the comment on the table django_migrations, is missing."
        return
    with connection.cursor() as cursor:
        cursor.execute(OBJECTS)
        existing = {row[0] for row in cursor.fetchall()}
    for each in sorted(set(noted) - existing):
        yield f"The {each} is missing."


def _noted() -> list[str] | None:
    with connection.cursor() as cursor:
        cursor.execute(NOTED)
        (text,) = cursor.fetchone()
    objects: list[str] | None = json.loads(text) if text else None
    return objects


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
