"""Fast reads: prepared statements on persistent connections, beside those of Django. Through a pooler, nothing is
prepared.

Every read is a query outside a transaction, so it sees all commits before it. If the connection is broken, for
example by a restart of the server, the read is repeated on a new one. If DATABASE_URL names several servers and none
accepts writes, as during a failover, a standby is read until one does.
"""

import logging
from collections.abc import Callable, Iterator
from functools import cache, wraps
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, NamedTuple

import psycopg
from django.db import connection
from django.db.models import QuerySet
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult

from registry.core.database.connections import is_pooled, with_options
from registry.core.http.capacity import MAX_LOOKUPS, MAX_WAIT

PLACEHOLDER = 2**31 - 3  # fits each integer column, and is no number in a query
Prepared = Callable[[int], tuple[str, list[Any]]]


def prepared(build: Callable[[int], QuerySet[Any, Any]]) -> Prepared:
    """Decorate a function that builds a queryset for a key, to return its SQL and parameters for `Manager.raw`.

    It is called once, with a placeholder, so it must use nothing else that changes, such as settings or the time.
    """

    @cache
    def compiled() -> tuple[str, tuple[Any, ...]]:
        sql, parameters = build(PLACEHOLDER).query.sql_with_params()
        return sql, parameters

    @wraps(build)
    def for_key(key: int) -> tuple[str, list[Any]]:
        sql, parameters = compiled()
        return sql, [key if each == PLACEHOLDER else each for each in parameters]

    return for_key


logger = logging.getLogger(__name__)

TEXT, BINARY = 0, 1  # formats of results
STATEMENT_TIMEOUT = "2s"
RECONNECT_DELAY = (
    1.0  # seconds without another attempt after a failed connection, and of reads from a standby
)


class Statement(NamedTuple):
    """A statement that each connection prepares."""

    name: bytes
    sql: bytes
    result_format: int = TEXT


class PreparedReader:
    """Thread-safe reader with as many connections as there are concurrent reads, and at most MAX_LOOKUPS."""

    def __init__(self, *statements: Statement) -> None:
        self._statements = statements
        self._is_pooled = is_pooled()  # then nothing lasts longer than a statement
        self._free: list[psycopg.Connection[Any]] = []  # append and pop are atomic
        self._permits: SimpleQueue[None] = SimpleQueue()  # one for each read; faster than a semaphore
        for _ in range(MAX_LOOKUPS):
            self._permits.put(None)
        self._paused_until = self._standby_until = 0.0

    def read(self, statement: Statement, parameters: list[bytes]) -> PGresult | None:
        """The result; None if it has no rows, or if the database or a connection is not available."""
        try:
            self._permits.get(timeout=MAX_WAIT)
        except Empty:
            return None
        try:
            return self._read(statement, parameters)
        finally:
            self._permits.put(None)

    def _read(self, statement: Statement, parameters: list[bytes]) -> PGresult | None:
        try:
            used = self._free.pop()
        except IndexError:
            return self._read_on(self._connect(), statement, parameters)
        if monotonic() > self._standby_until and _is_standby(used):
            used.close()
            self.close()
            return self._read_on(self._connect(), statement, parameters)
        found = self._read_on(used, statement, parameters)
        if found is not None or not used.closed:
            return found
        self.close()  # the other connections are broken, too
        return self._read_on(self._connect(), statement, parameters)

    def _read_on(
        self, link: "psycopg.Connection[Any] | None", statement: Statement, parameters: list[bytes]
    ) -> PGresult | None:
        """The result on a connection, which is kept unless it is broken. An error of a statement is not a broken one."""
        if link is None:
            return None
        try:
            result = self._execute(link.pgconn, statement, parameters)
        except psycopg.OperationalError:
            link.close()
            return None
        if not _is_healthy(link) or _ended_connection(result):
            link.close()
            return None
        self._free.append(link)
        return result if result.status == ExecStatus.TUPLES_OK and result.ntuples else None

    def _execute(self, server: PGconn, statement: Statement, parameters: list[bytes]) -> PGresult:
        if self._is_pooled:
            return server.exec_params(statement.sql, parameters, result_format=statement.result_format)
        return server.exec_prepared(statement.name, parameters, result_format=statement.result_format)

    def _connect(self) -> "psycopg.Connection[Any] | None":
        if monotonic() < self._paused_until:
            return None
        for parameters in _servers(is_pooled=self._is_pooled):
            try:
                link = psycopg.connect(**parameters, autocommit=True)
            except psycopg.OperationalError:
                continue
            if _is_standby(link):
                self._standby_until = monotonic() + RECONNECT_DELAY
            return self._prepared(link)
        self._paused_until = monotonic() + RECONNECT_DELAY
        return None

    def _prepared(self, link: "psycopg.Connection[Any]") -> "psycopg.Connection[Any]":
        for statement in () if self._is_pooled else self._statements:
            self._prepare(link, statement)
        return link

    def _prepare(self, link: "psycopg.Connection[Any]", statement: Statement) -> None:
        """Prepare a statement. Without it, its reads have no result, and those of the other statements work."""
        result = link.pgconn.prepare(statement.name, statement.sql)
        if result.status != ExecStatus.COMMAND_OK:
            logger.error("Statement %s: %s", statement.name.decode(), result.error_message.decode().strip())

    def close(self) -> None:
        """Close the idle connections."""
        while self._free:
            self._free.pop().close()


def _servers(*, is_pooled: bool) -> Iterator[dict[str, Any]]:
    """The parameters of connections, in the order in which they are tried."""
    parameters: dict[str, Any] = connection.get_connection_params()
    if not is_pooled:
        parameters = with_options(parameters, statement_timeout=STATEMENT_TIMEOUT)
    yield parameters
    if "target_session_attrs" in parameters:
        yield parameters | {"target_session_attrs": "any"}


def _is_standby(link: "psycopg.Connection[Any]") -> bool:
    """Whether the server was a standby when it last responded; it reports its promotion."""
    return link.info.parameter_status("in_hot_standby") == "on"


def _ended_connection(result: PGresult) -> bool:
    """Whether the server ended the connection, which libpq may notice only at the next statement."""
    if result.status != ExecStatus.FATAL_ERROR:
        return False
    state = result.error_field(DiagnosticField.SQLSTATE)
    return state is None or state.startswith((b"08", b"57P"))


def _is_healthy(link: "psycopg.Connection[Any]") -> bool:
    state = link.pgconn
    return state.status == ConnStatus.OK and state.transaction_status == TransactionStatus.IDLE
