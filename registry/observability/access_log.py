"""The access log, and the log of what administrators read at /admin/: one line of JSON on standard output for each
request.

The access log contains no client addresses, no paths below
/accounts/, which can contain secret keys, and of a query only the names of its parameters.

The log of reads names the account, and the request ID joins the two. The audit log is public, so it does not contain these
lines.

During a request only a `RequestRecord` is queued; a thread writes the log.
"""

import json
import os
import re
from collections import deque
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import lru_cache
from itertools import count
from multiprocessing.util import Finalize
from select import PIPE_BUF
from threading import Event, Lock, Thread
from time import perf_counter, sleep, time
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_plus

from django.http import HttpRequest, HttpResponseBase

from registry.core.http.request_validation import sanitize_request
from registry.observability import logs, metrics
from registry.observability.logs import loggable_path

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def log_admin_read(request: HttpRequest) -> None:
    """Log one request of a signed-in administrator, before it is answered."""
    line = {
        "time": timestamp(time()),
        "event": "admin_read",
        "request_id": request.META.get("registry.request_id", ""),
        "account": request.user.pk,
        "method": str(request.method),
        "path": loggable_path(request.path),
        "query": parameter_names(request.META.get("QUERY_STRING", "")),
    }
    write_out([f"{to_json(line)}\n".encode()])


# A request id from a proxy is accepted if it is short and needs no escaping in logs or headers.
VALID_REQUEST_ID = re.compile("[A-Za-z0-9._-]{1,64}")
MAX_METHOD_LENGTH = 20
# Of a query, at most so many octets are read, and so many names of parameters are logged, each cut to a length.
MAX_QUERY_LENGTH = 2_000
MAX_NAMES = 10
MAX_NAME_LENGTH = 40
NOT_IN_NAMES = re.compile("[^A-Za-z0-9_.-]")
STANDARD_OUTPUT = 1
to_json = json.JSONEncoder().encode
MAX_QUEUED = 50_000
# granian names itself in a response without this header.
NO_SERVER_NAME = ("Server", "")
PAUSE = 0.01  # seconds to wait for further requests before a batch is written


class RequestRecord(NamedTuple):
    """The data of one request for the log and the metrics."""

    at: float
    request_id: str
    method: str
    path: str
    query: str
    route: str
    status: str
    seconds: float

    def line(self) -> str:
        """Return the line for the log."""
        return (
            f'{{"time":"{timestamp(self.at)}","request_id":"{self.request_id}",'
            f'"method":{to_json(self.method[:MAX_METHOD_LENGTH])},"path":{to_json(loggable_path(self.path))},'
            f'"query":{to_json(parameter_names(self.query))},"route":"{self.route}",'
            f'"status":{self.status},"ms":{self.seconds * 1000:.3f}}}\n'
        )


def timestamp(at: float) -> str:
    """Return the time with milliseconds."""
    second, milliseconds = divmod(int(at * 1000), 1000)
    return f"{_to_the_second(second)}.{milliseconds:03}+00:00"


@lru_cache(maxsize=2)
def _to_the_second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


class LogWriter:
    """Counts and logs requests in a separate thread, in batches.

    Batches are several times faster than single requests, because of processor caches and because each write
    causes a thread switch.
    """

    def __init__(self) -> None:
        # `append` and `popleft` are atomic. If the log is not read, the oldest records are dropped.
        self._queue: deque[tuple[Any, ...]] = deque(maxlen=MAX_QUEUED)
        self._has_queued = Event()
        self._lock = Lock()
        self._is_started = False

    def add(self, *fields: Any) -> None:
        """Queue the fields of a `RequestRecord`."""
        self._queue.append(fields)
        if not self._has_queued.is_set():
            self._has_queued.set()
        if not self._is_started:
            self._start()

    def _start(self) -> None:
        """Start the thread at the first request, so that it runs in the worker process after a fork."""
        with self._lock:
            if self._is_started:
                return
            self._is_started = True
        Finalize(None, self.flush, exitpriority=0)  # unlike atexit, also runs in worker processes
        Thread(target=self._run, name="access-log", daemon=True).start()

    def _run(self) -> None:
        while True:
            self._has_queued.wait()
            sleep(PAUSE)
            self._has_queued.clear()
            self.flush()

    def flush(self) -> None:
        """Log and count all queued requests."""
        with self._lock:
            several = [RequestRecord(*self._queue.popleft()) for _ in range(len(self._queue))]
            write_out(each.line().encode() for each in several)
            for each in several:
                metrics.observe(each.route, each.method, each.status, each.seconds)


def write_out(lines: Iterable[bytes]) -> None:
    """Write complete lines in blocks that a pipe takes atomically, because other processes write to it too."""
    several = b""
    for line in lines:
        if len(several) + len(line) > PIPE_BUF:
            _write(several)
            several = b""
        several += line
    if several:
        _write(several)


def _write(octets: bytes) -> None:
    try:
        os.write(STANDARD_OUTPUT, octets)
    except OSError:  # standard output is closed; requests are still answered
        return


class AccessLog:
    """A WSGI application that wraps another."""

    def __init__(self, application: "WSGIApplication") -> None:
        self.application = application
        self.writer = LogWriter()
        self._process, self._count = os.urandom(10).hex(), count(1)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        began = perf_counter()
        sanitize_request(environ)
        given = environ.get("HTTP_X_REQUEST_ID")
        if given is not None and VALID_REQUEST_ID.fullmatch(given):
            request_id = given
        else:
            request_id = f"{self._process}{next(self._count):012x}"
        environ["registry.request_id"] = request_id
        logs.request_id.set(request_id)
        status_code = "500"

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            nonlocal status_code
            status_code = status[:3]
            headers += ("X-Request-ID", request_id), NO_SERVER_NAME
            return start_response(status, headers, *error)

        try:
            return self.application(environ, start)
        finally:
            route = environ.get("registry.route", "none")
            method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
            query = environ.get("QUERY_STRING", "")[:MAX_QUERY_LENGTH]
            seconds = perf_counter() - began
            self.writer.add(time(), request_id, method, path, query, route, status_code, seconds)


def parameter_names(query: str) -> list[str]:
    """Return the names of the first parameters of a query, without their values."""
    parameters = query[:MAX_QUERY_LENGTH].split("&") if query else []
    names = [_name_of(each) for each in parameters[:MAX_NAMES]]
    return [*names, "…"] if len(parameters) > MAX_NAMES else names


def _name_of(parameter: str) -> str:
    """Return the name; … for a parameter without "=", which may be a value."""
    name, equals, _ = parameter.partition("=")
    return NOT_IN_NAMES.sub("?", unquote_plus(name))[:MAX_NAME_LENGTH] if equals else "…"


class RouteMiddleware:
    """Passes the name of the matched URL pattern to `AccessLog`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> None:
        if request.resolver_match:
            request.META["registry.route"] = request.resolver_match.view_name
