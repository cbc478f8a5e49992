"""`manage.py lint_migrations`: whether migrations can run while requests are served."""

from typing import Any

from registry.core.management.base import RegistryCommand
from registry.devserver.migration_safety import findings, later_migrations

EPILOG = """\
examples:
  manage.py lint_migrations     report what blocks requests or breaks the previous release

It judges the SQL of each migration that is not an initial one with squawk, a requirement of the tests. The rules are in
.squawk.toml; docs/deployment/upgrades.md describes how to write a migration.

exit status: 0 all migrations are safe; 1 one is not.
"""


class Command(RegistryCommand):
    help = "Report migrations that block requests or break the previous release."
    epilog = EPILOG

    def handle(self, *args: Any, **options: Any) -> None:
        found = [text for each in later_migrations() if (text := findings(*each))]
        self.stdout.write("\n".join(found) or "All migrations can run while requests are served.")
        if found:
            raise SystemExit(1)
