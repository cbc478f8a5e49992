"""Reads the answers to lookups in the shortest way: a prepared statement on a connection that stays open.

Every question is asked of the database, outside of any transaction: what was committed before is seen. Only
reading is tried a second time, on a new connection, when the server was restarted meanwhile.
"""

from time import monotonic
from typing import Any, NamedTuple

import psycopg
from django.db import connection
from psycopg.pq import ExecStatus

# An unchanged text is not even read. `nid` is given in lower case.
LOOKUP = b"""
    SELECT digest, last_modified, CASE WHEN digest = $2 THEN NULL ELSE body END
    FROM namespaces_cachedlookup WHERE nid = $1
"""
# In seconds; a host that has gone is noticed by its silence.
CONNECT_OPTIONS = {
    "connect_timeout": 2,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
}
STATEMENT_TIMEOUT = "2s"
RECONNECT_DELAY = 1.0  # seconds in which no connection is tried after one could not be had


class StoredLookup(NamedTuple):
    """A row of the table. `body` is None when the reader has that digest."""

    digest: bytes
    last_modified: bytes
    body: bytes | None


class LookupReader:
    """Reads from any number of threads, with as many connections as are needed at once."""

    def __init__(self) -> None:
        self._free: list[psycopg.Connection[Any]] = []  # append and pop are atomic
        self._paused_until = 0.0

    def find(self, nid: str, known_digest: str = "") -> StoredLookup | None:
        """The answer to `nid`; None if there is none, or no database to ask."""
        question = [nid.encode(), known_digest.encode()]
        try:
            used = self._free.pop()
        except IndexError:
            return self._ask(self._connect(), question)
        return self._ask(used, question) or self._ask_anew(used, question)

    def _ask_anew(self, used: "psycopg.Connection[Any]", question: list[bytes]) -> StoredLookup | None:
        if not used.closed:
            return None  # it was asked, and there is none
        self.close()  # the others have gone the same way
        return self._ask(self._connect(), question)

    def _ask(self, link: "psycopg.Connection[Any] | None", question: list[bytes]) -> StoredLookup | None:
        if link is None:
            return None
        result = link.pgconn.exec_prepared(b"lookup", question)
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
            # Where Django connects, and as whom; what the deployment says of time limits comes first.
            link = psycopg.connect(**(CONNECT_OPTIONS | connection.get_connection_params()), autocommit=True)
            link.execute(f"SET statement_timeout = '{STATEMENT_TIMEOUT}'")
            link.pgconn.prepare(b"lookup", LOOKUP)
        except psycopg.OperationalError:
            self._paused_until = monotonic() + RECONNECT_DELAY
            return None
        return link

    def close(self) -> None:
        """Close the connections that nobody uses."""
        while self._free:
            self._free.pop().close()
