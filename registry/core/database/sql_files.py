"""SQL files beside migrations."""

from pathlib import Path

from django.db.migrations import RunSQL


def run_sql_file(migration: str, name: str) -> RunSQL:
    """Return the operation that runs the file `name`.sql in the folder of `migration`, a `__file__`."""
    return RunSQL(Path(migration).with_name(f"{name}.sql").read_text(encoding="utf-8"))
