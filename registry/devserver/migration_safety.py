"""Checks that a migration can run while the previous release serves requests: squawk judges its SQL by `.squawk.toml`.

Initial migrations create tables, which no one uses yet, so they are not judged.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader

SQUAWK = Path(sys.executable).with_name("squawk")


def later_migrations() -> Iterator[tuple[str, str, bool]]:
    """The names of the registry's migrations after the initial ones, their SQL, and whether it runs in one transaction."""
    loader = MigrationLoader(connection, replace_migrations=False)
    ours = {app.label for app in apps.get_app_configs() if app.name.startswith("registry.")}
    for (label, name), migration in sorted(loader.disk_migrations.items()):
        if label in ours and not migration.initial:
            plan = [(loader.graph.nodes[label, name], False)]
            yield f"{label}/{name}", "\n".join(loader.collect_sql(plan)), migration.atomic


def findings(name: str, sql: str, is_atomic: bool = True) -> str:
    """What squawk says about the SQL of a migration; nothing if it is safe."""
    transaction = "--assume-in-transaction" if is_atomic else "--no-assume-in-transaction"
    command = [str(SQUAWK), transaction, "--reporter", "gcc", "--stdin-filepath", name]
    done = subprocess.run(
        command, input=sql, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr
