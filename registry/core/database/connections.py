"""Connections to the database: its pooler and its replicas, roles, timeouts, snapshots, settings of one transaction.

A pooler may give each transaction another connection of the server. So nothing of a web process lasts longer than a transaction:
no cursor of the server, no prepared statement, no lock and no setting. What lasts longer is in commands and in the worker,
which connect to the database itself: LISTEN, advisory locks, exported snapshots.

A request reads everything from one server, so that a page shows one state of the database: inside the block, the
replica takes the place of Django's default connection in this thread. It refuses writes. The few writes of requests that
read, such as the counts of rate limits, say `on_primary`.

Timeouts are options of the connection, not `SET`: behind a pooler, a setting would stay for the next client.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from registry.environment import read


def is_pooled() -> bool:
    """Whether web processes connect to a pooler."""
    return bool(settings.DATABASE_POOLER)


def use_pooler() -> None:
    """Let this process connect to the pooler, from its next connection on."""
    connections.settings["default"] |= settings.DATABASE_POOLER


REPLICA = "replica"
# The connection to the primary, if the replica has taken its place.
_primary: ContextVar[Any] = ContextVar("primary", default=None)


def has_replica() -> bool:
    return REPLICA in connections.settings


@contextmanager
def reading_from_replica() -> Iterator[None]:
    """Use the replica inside the block, which must not begin in a transaction."""
    before = _primary.set(connections[DEFAULT_DB_ALIAS])
    try:
        with _in_place_of_default(connections[REPLICA]):
            yield
    finally:
        _primary.reset(before)


@contextmanager
def on_primary() -> Iterator[None]:
    """Use the primary inside the block, whichever server the request reads from."""
    with _in_place_of_default(_primary.get() or connections[DEFAULT_DB_ALIAS]):
        yield


@contextmanager
def _in_place_of_default(link: Any) -> Iterator[None]:
    before = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = link
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = before


# For the web and worker processes: reads and writes rows, but changes no immutable row and no table.
APPLICATION_ROLE = "urn_registry_application"
# For reports and verification: reads the data of the registry, without secrets.
READ_ONLY_ROLE = "urn_registry_read_only"
GROUP_ROLES = (APPLICATION_ROLE, READ_ONLY_ROLE)

# The libpq environment of a process that acts as the application, independently of the role it connects as.
AS_APPLICATION = {"PGOPTIONS": f"-c role={APPLICATION_ROLE}"}


def limit_statements() -> None:
    """Limit the statements of this process. A statement that takes longer is ended, and its transaction undone."""
    lock, statement = read("LOCK_TIMEOUT"), read("STATEMENT_TIMEOUT")
    for of_connection in connections.settings.values():
        parameters = of_connection.setdefault("OPTIONS", {})
        parameters |= with_options(parameters, lock_timeout=f"{lock}s", statement_timeout=f"{statement}s")


def with_options(parameters: dict[str, Any], **options: str) -> dict[str, Any]:
    """The parameters of a connection with options of the server, beside those of DATABASE_URL or the environment.

    Without them, libpq takes PGOPTIONS from the environment; with them, it does not.
    """
    present = parameters.get("options") or os.environ.get("PGOPTIONS", "")
    added = [f"-c {name}={value}" for name, value in options.items()]
    return parameters | {"options": " ".join([*filter(None, [present]), *added])}


@contextmanager
def database_snapshot(of: str = "") -> Iterator[None]:
    """Read from one state of the database inside the block, regardless of concurrent writes.

    An enclosing transaction provides its own state. `of` is the ID of a snapshot that another process still holds
    (see `export_database_snapshot`); it requires that there is no enclosing transaction.
    """
    if connection.in_atomic_block and not of:
        yield
        return
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            if of:
                cursor.execute("SET TRANSACTION SNAPSHOT %s", [of])
            # Optimize for the first rows, because results are streamed.
            cursor.execute("SET LOCAL cursor_tuple_fraction = 0.0001")
        yield


def export_database_snapshot() -> str:
    """Return the ID of the current snapshot, for other processes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_export_snapshot()")
        (name,) = cursor.fetchone()
    return str(name)


@contextmanager
def without_sorting() -> Iterator[None]:
    """Let PostgreSQL read in the order of an index what a query inside asks for in that order.

    A plan depends on statistics. After many rows were taken back, or before they are counted, PostgreSQL expects a few, and would
    rather read and sort all of them for each of many ranges.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_sort = off")
        yield
        cursor.execute("SET LOCAL enable_sort TO DEFAULT")
