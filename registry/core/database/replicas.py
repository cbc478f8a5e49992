"""The replica of `DATABASE_REPLICA_URL`, which serves a request instead of the primary.

A request reads everything from one server, so that a page shows one state of the database: inside the block, the
replica takes the place of Django's default connection in this thread. It refuses writes. The few writes of requests that
read, such as the counts of rate limits, say `on_primary`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

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
