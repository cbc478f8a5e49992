"""The triggers, constraints, indexes and functions of the schema, as `migrate` left them, so that a restore is compared with it.

Their list is the comment on the table of migrations: every dump, backup and copy of the database has it.
"""

import json
from collections.abc import Iterator
from typing import Any

from django.db import connection

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
