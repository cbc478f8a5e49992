"""A pooler of connections in front of the database, such as PgBouncer, for web processes.

It may give each transaction another connection of the server. So nothing of a web process lasts longer than a transaction:
no cursor of the server, no prepared statement, no lock and no setting. What lasts longer is in commands and in the worker,
which connect to the database itself: LISTEN, advisory locks, exported snapshots.
"""

from django.conf import settings
from django.db import connections


def is_pooled() -> bool:
    """Whether web processes connect to a pooler."""
    return bool(settings.DATABASE_POOLER)


def use_pooler() -> None:
    """Let this process connect to the pooler, from its next connection on."""
    connections.settings["default"] |= settings.DATABASE_POOLER
