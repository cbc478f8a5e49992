"""Limits on what one web process does at once, however many requests the server lets in.

Django runs in MAX_REQUESTS threads, each with its own database connection; the threads of the server only wait for
them. A request that waits longer than MAX_WAIT gets 503, without any use of the database. Static files, which do not use
it, do not wait. The request from which a fast path learns its headers has a thread of its own (`fast_path`), so the fast
paths of a new process start while all other requests wait for a lock.

The body of a request is received before Django starts, in one of MAX_BODIES threads. If it does not arrive within
BODY_TIMEOUT, the connection is closed. A body that its view does not accept is not received. A request with a body of
more than BodySize.SMALL takes tens of megabytes of memory, so only one such request runs at a time.
"""

import gc
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from io import BytesIO
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeVar

from django.core.handlers.wsgi import get_path_info
from django.db import connections
from django.http import HttpResponse
from django.http.response import HttpResponseBase

from registry.core.http.middleware import ErrorPages
from registry.core.http.request_limits import BodyTooLong, check_body
from registry.core.http.request_validation import WholeBody
from registry.core.validators import BodySize

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MAX_REQUESTS = 8
MAX_LOOKUPS = 4  # connections of the fast paths (registry.core.database.prepared_reader)
MAX_BODIES = 32
# The key in the environ of a request that runs beside the others. One at a time does.
BESIDE = "registry.runs_beside"
# In seconds.
MAX_WAIT = 2.0
BODY_TIMEOUT = 10.0
TIME_TO_SEND = 0.2
# A longer body is kept in a temporary file.
MAX_BYTES_IN_MEMORY = int(BodySize.SMALL)
BLOCK = 64 * 1024

T = TypeVar("T")


class Busy(Exception):
    """No thread became free within MAX_WAIT."""


class SlowBody(Exception):
    """The body of the request did not arrive within BODY_TIMEOUT."""


class Threads:
    """A fixed number of threads, which callers share."""

    def __init__(self, name: str, count: int) -> None:
        self._executor = ThreadPoolExecutor(count, name)  # starts its threads when they are first needed

    def run(self, call: Callable[..., T], *arguments: Any, timeout: float | None = None) -> T:
        """Return the result of the call. Raises Busy, or TimeoutError if the call takes longer than `timeout`."""
        job = self._executor.submit(copy_context().run, call, *arguments)
        with suppress(TimeoutError):
            return job.result(MAX_WAIT)
        if job.cancel():  # it has not started
            raise Busy
        return job.result(timeout)


class BoundedApplication:
    """A WSGI application that runs Django within the limits of this module, but not for the paths of `static_files`."""

    def __init__(self, django: "WSGIApplication", static_files: Collection[str] = ()) -> None:
        self._django, self._static_files = django, static_files
        self._requests = Threads("django", MAX_REQUESTS)
        self._beside = Threads("beside", 1)
        self._bodies = Threads("body", MAX_BODIES)
        self._large_body = Lock()
        self._error_pages = ErrorPages()

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        try:
            self._receive_body(environ)
            if environ["PATH_INFO"] in self._static_files:
                return self._respond(environ, start_response)
            if environ.get(BESIDE):
                return self._beside.run(self._respond_and_disconnect, environ, start_response)
            with self._turn(environ):
                return self._requests.run(self._respond, environ, start_response)
        except Busy:
            refusal = self._error_pages.response(environ, 503)  # with the text in the body
            _close(environ.get("wsgi.input"))
            return _send(refusal, start_response)
        except SlowBody:
            return _send_and_close(self._error_pages.response(environ, 408), start_response)

    def _receive_body(self, environ: "WSGIEnvironment") -> None:
        """Replace the body by a file that can be read without waiting for the client."""
        body, length = environ.get("wsgi.input"), environ.get("CONTENT_LENGTH")
        if not isinstance(body, WholeBody) or not body.left:
            return
        try:
            check_body(environ, get_path_info(environ))
        except BodyTooLong as refusal:
            environ["wsgi.input"] = RefusedBody(refusal)
            return
        # From here on, only the thread that receives the body reads from the server.
        environ["wsgi.input"], environ["CONTENT_LENGTH"] = BytesIO(), "0"
        try:
            environ["wsgi.input"] = self._bodies.run(_receive, body, timeout=BODY_TIMEOUT)
        except TimeoutError:
            raise SlowBody from None
        except OSError:
            environ["wsgi.input"] = body  # truncated; raises the same error in Django
        environ["CONTENT_LENGTH"] = length

    @contextmanager
    def _turn(self, environ: "WSGIEnvironment") -> Iterator[None]:
        """Wait until no other large body is processed. Raises Busy."""
        body = environ.get("wsgi.input")
        if (
            not isinstance(body, SpooledTemporaryFile)
            or int(environ["CONTENT_LENGTH"]) <= MAX_BYTES_IN_MEMORY
        ):
            yield
            return
        if not self._large_body.acquire(timeout=MAX_WAIT):
            raise Busy
        try:
            yield
        finally:
            gc.collect()  # errors and their tracebacks refer to each other, and with them to parts of the body
            self._large_body.release()

    def _respond(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Run Django in a thread that has a database connection.

        Streamed responses are read outside of it, at the pace of the client; none of them uses the database.
        """
        body = environ.get("wsgi.input")
        response = self._django(environ, start_response)
        _close(body)
        if not isinstance(response, HttpResponse):
            return response
        content = response.content
        response.close()  # ends the request in the thread of its database connection
        return [content]

    def _respond_and_disconnect(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        """The same in a thread that keeps no connection: it is needed once for each host."""
        try:
            return self._respond(environ, start_response)
        finally:
            connections.close_all()


class RefusedBody:
    """A body that was not received. RequestLimitsMiddleware refuses the request before anything reads it."""

    def __init__(self, refusal: BodyTooLong) -> None:
        self._refusal = refusal

    def read(self, size: int = -1) -> NoReturn:
        raise self._refusal

    readline = read


def _close(body: object) -> None:
    if isinstance(body, SpooledTemporaryFile):
        body.close()


def _receive(body: WholeBody) -> IO[bytes]:
    received = SpooledTemporaryFile(max_size=MAX_BYTES_IN_MEMORY)  # noqa: SIM115 (closed after the response)
    try:
        while block := body.read(BLOCK):
            received.write(block)
    except OSError:
        received.close()
        raise
    received.seek(0)
    return received


def _send(response: HttpResponseBase, start_response: "StartResponse") -> Iterable[bytes]:
    start_response(f"{response.status_code} {response.reason_phrase}", list(response.items()))
    return [response.content] if isinstance(response, HttpResponse) else response


def _send_and_close(response: HttpResponseBase, start_response: "StartResponse") -> Iterator[bytes]:
    """Send the response, and have the server close the connection at once.

    The server would wait for the rest of the request, and with it the thread that receives the body. It has to close
    the connection if a response ends before its Content-Length.
    """
    content = response.content if isinstance(response, HttpResponse) else b""
    response["Content-Length"] = str(len(content) + 1)
    response["Connection"] = "close"
    _send(response, start_response)
    return _pause_after(content)


def _pause_after(content: bytes) -> Iterator[bytes]:
    yield content
    time.sleep(TIME_TO_SEND)
