"""What is done for every request, whoever answers it: it is made sound, gets an id, is counted, and is logged.

The log is one JSON object a line on standard output. It holds no client's address, no query and nothing of
addresses below /accounts/, which can hold a key to somebody's account.
"""

import json
import os
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponseBase

from registry import metrics
from registry.incoming import make_sound

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# An id that a proxy gave: short, and nothing in it that a log or a header would have to escape.
SANE_ID = re.compile("[A-Za-z0-9._-]{1,64}")
UNTOLD = "/accounts/"
# In octets, of which JSON makes six characters each at most: a line that is longer than PIPE_BUF (4,096 octets)
# could be written into the middle of another process's.
LONGEST_PATH = 500
LONGEST_METHOD = 20
STANDARD_OUTPUT = 1


class Access:
    """A WSGI application around another."""

    def __init__(self, application: "WSGIApplication") -> None:
        self.application = application

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        began = perf_counter()
        make_sound(environ)
        request_id = _id_of(environ)
        answered = "500"

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Any:
            nonlocal answered
            answered = status[:3]
            headers.append(("X-Request-ID", request_id))
            return start_response(status, headers, *error)

        try:
            return self.application(environ, start)
        finally:
            seconds = perf_counter() - began
            metrics.observe(_route(environ), environ["REQUEST_METHOD"], answered, seconds)
            _log(environ, request_id, answered, seconds)


def _id_of(environ: "WSGIEnvironment") -> str:
    given = environ.get("HTTP_X_REQUEST_ID", "")
    return given if SANE_ID.fullmatch(given) else os.urandom(16).hex()


def _route(environ: "WSGIEnvironment") -> str:
    return str(environ.get("registry.route", "none"))


def _log(environ: "WSGIEnvironment", request_id: str, status: str, seconds: float) -> None:
    path = environ["PATH_INFO"]
    line = (
        f'{{"time":"{datetime.now(UTC).isoformat(timespec="milliseconds")}","request_id":"{request_id}",'
        f'"method":{json.dumps(environ["REQUEST_METHOD"][:LONGEST_METHOD])},"path":{json.dumps(_shown(path))},'
        f'"route":"{_route(environ)}","status":{status},"ms":{seconds * 1000:.3f}}}\n'
    )
    try:
        os.write(STANDARD_OUTPUT, line.encode())
    except OSError:  # nobody reads the log any more; who asked is answered all the same
        return


def _shown(path: str) -> str:
    if path.startswith(UNTOLD):
        return f"{UNTOLD}…"
    if len(path) > LONGEST_PATH:
        return f"{_shown(path[:LONGEST_PATH])}…"
    return path if path.isascii() else path.encode("latin-1", "backslashreplace").decode(errors="replace")


class RouteMiddleware:
    """Tells `Access` which address of the URL table was asked for."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> None:
        if request.resolver_match:
            request.META["registry.route"] = request.resolver_match.view_name
