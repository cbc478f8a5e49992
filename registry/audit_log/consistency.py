"""Reads that may be a moment old, and those that have to contain an earlier write: the server that a request reads
from, the primary or the replica of `DATABASE_REPLICA_URL`.

The replica serves public pages for visitors who are not signed in. A client of the API, of files or of feeds sends
`Registry-Sequence`, the number of the last event that it wrote or heard of: it gets a response of a server that has the
event. All other requests use the primary, so that a program that knows nothing of replicas never gets something older than
what it had, such as an earlier head of the audit log, or a feed without the entry that was announced to its hub.
"""

import math
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from http import HTTPStatus
from time import monotonic
from typing import NamedTuple

from django.db import Error, connection, connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from registry.core.database.connections import REPLICA, has_replica, reading_from_replica
from registry.core.database.errors import is_unavailable

HEADER = "Registry-Sequence"
# What the replica serves: public data alone, no sign-in, and nothing that depends on the permission of a person.
SERVED = (
    "/namespaces/",
    "/cases/",
    "/audit-log/",
    "/registry/",
    "/search/",
    "/services/",
    "/statistics/",
    "/api/v1/namespaces/",
    "/api/v1/cases/",
    "/api/v1/audit-log/",
    "/api/v1/services/",
    "/api/v1/statistics/",
)
# What programs read, which compare it with what they had, or fetch it because something new was announced.
FOR_PROGRAMS = re.compile(r"/(api|registry)/.*|/audit-log/(checkpoint|heads/|proofs/|tile/).*|.*\.atom")
MAX_LAG = 5  # seconds
PAUSE = 5.0  # seconds without another attempt after the replica did not respond
# A replica that has replayed all that it received is current, if it is connected: the primary may have been idle.
STATE = """
SELECT number, coalesce(
    NOT pg_is_in_recovery()
    OR now() - pg_last_xact_replay_timestamp() <= make_interval(secs => %s)
    OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver),
    false
) FROM audit_log_chainhead
"""

Server = Callable[[], AbstractContextManager[None]]
PRIMARY: Server = nullcontext


class State(NamedTuple):
    """The last event that a replica has, and whether it is less than MAX_LAG behind."""

    sequence: int
    is_current: bool


class ReplicaMiddleware:
    """Repeats a read on the next server if one can't answer it, such as a view that writes on the replica."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._paused_until = 0.0

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not (has_replica() and may_be_a_moment_old(request)):
            return self.get_response(request)
        *others, last = self._servers(requested_sequence(request))
        for server in others:
            with server():
                response = self.get_response(request)
            if response.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
                return response
        with last():
            return self.get_response(request)

    def _servers(self, sequence: float) -> Iterator[Server]:
        """The servers that have the event, the preferred one first."""
        state = self._state_of_replica()
        if state is None or state.sequence < sequence:
            yield PRIMARY
        elif state.is_current:
            yield from (reading_from_replica, PRIMARY)
        else:
            yield from (PRIMARY, reading_from_replica)

    def _state_of_replica(self) -> State | None:
        """The state; None if the replica does not respond. Later reads on this connection see this state or a newer one."""
        if monotonic() < self._paused_until:
            return None
        try:
            return state_of_replica()
        except Error as error:
            if not is_unavailable(error):
                raise
            connections[REPLICA].close()
            self._paused_until = monotonic() + PAUSE
            return None


def state_of_replica() -> State:
    """Read the state of the replica. Raises Error."""
    with reading_from_replica(), connection.cursor() as cursor:
        cursor.execute(STATE, [MAX_LAG])
        return State(*cursor.fetchone())


def may_be_a_moment_old(request: HttpRequest) -> bool:
    """Whether this is a read of public data without credentials, outside of a transaction; by programs, if they ask."""
    return (
        request.method in ("GET", "HEAD")
        and (request.path_info == "/" or request.path_info.startswith(SERVED))
        and not request.COOKIES
        and "Authorization" not in request.headers
        and (HEADER in request.headers or not FOR_PROGRAMS.fullmatch(request.path_info))
        and not connection.in_atomic_block
    )


def requested_sequence(request: HttpRequest) -> float:
    """The number of the event that the response must contain; what is not a number is left to the primary."""
    text = request.headers.get(HEADER, "0").strip()
    return int(text) if re.fullmatch("[0-9]{1,18}", text) else math.inf
