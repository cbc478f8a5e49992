"""Privileges of the group roles in PostgreSQL, granted after each `migrate`."""

import sys
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from registry.core.database.connections import GROUP_ROLES

PRIVILEGES = Path(__file__).with_name("privileges.sql")
CREATE_ROLE = (
    "DO $$ BEGIN CREATE ROLE {role} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN END $$"
)
ADVICE = """\
The database roles {roles} do not exist, and the role that migrates may not create them. The registry works without
them. But a process that connects as the owner of the tables can then rewrite the audit log. As a superuser, run

{statements}

and then `manage.py migrate` again. docs/deployment.md describes the roles.
"""


def grant_privileges(**kwargs: Any) -> None:
    """Create the group roles if this role may, and grant their privileges; otherwise print the SQL to run."""
    if missing := _missing_roles():
        if not _may_create_roles():
            statements = "\n".join(f"    CREATE ROLE {role} NOLOGIN;" for role in missing)
            sys.stderr.write(ADVICE.format(roles=" and ".join(missing), statements=statements))
            return
        with connection.cursor() as cursor:
            for role in missing:
                cursor.execute(CREATE_ROLE.format(role=role))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(PRIVILEGES.read_text(encoding="utf-8"))


def _missing_roles() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolname FROM pg_roles WHERE rolname = ANY (%s)", [list(GROUP_ROLES)])
        known = {name for (name,) in cursor.fetchall()}
    return [role for role in GROUP_ROLES if role not in known]


def _may_create_roles() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user")
        (may,) = cursor.fetchone()
    return bool(may)
