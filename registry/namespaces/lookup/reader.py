"""Fast reads of stored lookups: a prepared statement on a persistent connection.

Every read is a query outside a transaction, so it sees all commits before it. If the connection is broken, for
example by a restart of the server, the read is repeated on a new one.
"""

from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, NamedTuple

import psycopg
from django.db import connection
from psycopg.pq import ExecStatus

from registry.core.http.capacity import MAX_LOOKUPS, MAX_WAIT

# A body that the client already has is not read. `nid` is in lower case. A row without a body has no release.
LOOKUP = b"""
    SELECT digest, last_modified, CASE WHEN digest = $2 THEN NULL ELSE body END
    FROM namespaces_cachedlookup WHERE nid = $1 AND release = $3
"""
BINARY = 1  # the result format that returns `body` unescaped
# In seconds. Keepalives detect a host that is gone.
CONNECT_OPTIONS = {
    "connect_timeout": 2,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
}
STATEMENT_TIMEOUT = "2s"
RECONNECT_DELAY = 1.0  # seconds without another attempt after a failed connection


class StoredLookup(NamedTuple):
    """A row of the table. `body` is None if its digest equals the known digest."""

    digest: bytes
    last_modified: bytes
    body: bytes | None


class LookupReader:
    """Thread-safe reader with as many connections as there are concurrent reads, and at most MAX_LOOKUPS.

    Finds only responses stored by the release with the tag `release` (see `store.release_tag`).
    """

    def __init__(self, release: str) -> None:
        self._release = release.encode()
        self._free: list[psycopg.Connection[Any]] = []  # append and pop are atomic
        self._permits: SimpleQueue[None] = SimpleQueue()  # one for each read; faster than a semaphore
        for _ in range(MAX_LOOKUPS):
            self._permits.put(None)
        self._paused_until = 0.0

    def find(self, nid: str, known_digest: str = "") -> StoredLookup | None:
        """The stored lookup of `nid`; None if there is none, or the database or a connection is not available."""
        try:
            self._permits.get(timeout=MAX_WAIT)
        except Empty:
            return None
        try:
            return self._find([nid.encode(), known_digest.encode(), self._release])
        finally:
            self._permits.put(None)

    def _find(self, parameters: list[bytes]) -> StoredLookup | None:
        try:
            used = self._free.pop()
        except IndexError:
            return self._read(self._connect(), parameters)
        return self._read(used, parameters) or self._read_again(used, parameters)

    def _read_again(self, used: "psycopg.Connection[Any]", parameters: list[bytes]) -> StoredLookup | None:
        if not used.closed:
            return None  # the query succeeded and found no row
        self.close()  # the other connections are broken, too
        return self._read(self._connect(), parameters)

    def _read(self, link: "psycopg.Connection[Any] | None", parameters: list[bytes]) -> StoredLookup | None:
        if link is None:
            return None
        result = link.pgconn.exec_prepared(b"lookup", parameters, result_format=BINARY)
        if result.status != ExecStatus.TUPLES_OK:
            link.close()
            return None
        self._free.append(link)
        if not result.ntuples:
            return None
        digest, last_modified = result.get_value(0, 0), result.get_value(0, 1)
        return StoredLookup(digest or b"", last_modified or b"", result.get_value(0, 2))

    def _connect(self) -> "psycopg.Connection[Any] | None":
        if monotonic() < self._paused_until:
            return None
        try:
            # Django's connection parameters take precedence over the defaults above.
            link = psycopg.connect(**(CONNECT_OPTIONS | connection.get_connection_params()), autocommit=True)
            link.execute(f"SET statement_timeout = '{STATEMENT_TIMEOUT}'")
            link.pgconn.prepare(b"lookup", LOOKUP)
        except psycopg.OperationalError:
            self._paused_until = monotonic() + RECONNECT_DELAY
            return None
        return link

    def close(self) -> None:
        """Close the idle connections."""
        while self._free:
            self._free.pop().close()
