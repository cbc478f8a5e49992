"""`manage.py migrate` gives up soon if a table is in use, and leaves everything as it was."""

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor

from tests.support.databases import in_sql


def test_a_migration_does_not_wait_for_long(real_database: None, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate = MigrationExecutor.migrate

    def alter(*arguments: Any, **options: Any) -> Any:
        in_sql("ALTER TABLE cases_case ADD COLUMN IF NOT EXISTS x int")
        return migrate(*arguments, **options)

    monkeypatch.setattr(MigrationExecutor, "migrate", alter)
    monkeypatch.setenv("LOCK_TIMEOUT", "1")
    reader = connections.create_connection("default")
    reader.set_autocommit(False)
    with reader.cursor() as cursor:
        cursor.execute("LOCK TABLE cases_case IN ACCESS SHARE MODE")
    with pytest.raises(CommandError, match=r"LOCK_TIMEOUT \(1 s\).*Run the command again"):
        call_command("migrate", verbosity=0)
    reader.close()
    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT x FROM cases_case")
