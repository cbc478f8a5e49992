"""`manage.py migrate`: Django's command, which waits for locks as long as a web process does."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from psycopg.errors import LockNotAvailable

from registry.environment import read


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Apply migrations. A statement that waits makes all requests for its table wait, so it gives up soon."""
        with connections[options["database"]].cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{read('LOCK_TIMEOUT')}s"])
        try:
            super().handle(*args, **options)
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable):
                raise
            raise CommandError(
                f"A table was in use for more than LOCK_TIMEOUT ({read('LOCK_TIMEOUT')} s), so the migration was undone. Those "
                "before it were applied. Run the command again; pg_stat_activity shows long transactions."
            ) from error
