"""Reads stored lookups in the shortest way: a prepared statement on a connection that stays open.

Every read is a query outside a transaction, so it sees what was committed before. It is tried a second time, on a
new connection, if the first one was cut, as by a restart of the server.
"""

from time import monotonic
from typing import Any, NamedTuple

import psycopg
from django.db import connection
from psycopg.pq import ExecStatus

# A body that the client has is not read. `nid` is in lower case. A row without a body has no release either.
LOOKUP = b"""
    SELECT digest, last_modified, CASE WHEN digest = $2 THEN NULL ELSE body END
    FROM namespaces_cachedlookup WHERE nid = $1 AND release = $3
"""
BINARY = 1  # the format of results in which `body` arrives as it is
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
    """A row of the table. `body` is None if its digest is the one that was given."""

    digest: bytes
    last_modified: bytes
    body: bytes | None


class LookupReader:
    """Reads from any number of threads, with as many connections as are needed at once.

    Only finds what the release with the tag `release` stored (see `store.release_tag`).
    """

    def __init__(self, release: str) -> None:
        self._release = release.encode()
        self._free: list[psycopg.Connection[Any]] = []  # append and pop are atomic
        self._paused_until = 0.0

    def find(self, nid: str, known_digest: str = "") -> StoredLookup | None:
        """The stored lookup of `nid`; None if there is none, or the database cannot be reached."""
        parameters = [nid.encode(), known_digest.encode(), self._release]
        try:
            used = self._free.pop()
        except IndexError:
            return self._read(self._connect(), parameters)
        return self._read(used, parameters) or self._read_again(used, parameters)

    def _read_again(self, used: "psycopg.Connection[Any]", parameters: list[bytes]) -> StoredLookup | None:
        if not used.closed:
            return None  # the query succeeded and found no row
        self.close()  # the others are cut as well
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
            # As Django connects; time limits of the deployment take precedence.
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
