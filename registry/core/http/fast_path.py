"""Fast paths: frequent plain requests that are answered in front of Django.

A fast path is a function from the WSGI environ of a plain request to its response, made from what one prepared statement
reads. For None, Django answers. A response is remembered, if at all, by everything that it depends on, so none is stale.

Responses have the same octets and headers as those of Django. A fast path states only the headers that differ between
the responses of its view. The others are taken from Django: it answers the first request for each host and status, and
what it adds to the headers of the fast path is added to all later ones. Django also answers if its response is another
one, so that hosts which it rejects or redirects to HTTPS are always left to it.
"""

from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from django.conf import settings

from registry.core.http.capacity import BESIDE

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

METHODS = frozenset(["GET", "HEAD"])
FOR_DJANGO = frozenset(
    f"HTTP_{header}"
    for header in (
        "AUTHORIZATION",
        "COOKIE",
        "IF_MATCH",
        "IF_MODIFIED_SINCE",
        "IF_UNMODIFIED_SINCE",
        "REGISTRY_SEQUENCE",
    )
)
# A response with one of them, which its fast path does not state, tells nothing about others: it is of another moment.
NOT_SHARED = frozenset(["Content-Encoding", "Deprecation", "ETag", "Last-Modified", "Location", "Set-Cookie"])
MAX_PLACES = 400  # a host has up to five: a status of a fast path each

Headers = list[tuple[str, str]]


class FastResponse(NamedTuple):
    """A response with those of its headers that differ between the responses of one view."""

    status: str
    headers: Headers
    body: bytes = b""


FastPath = Callable[["WSGIEnvironment"], FastResponse | None]


class FastPaths:
    """A WSGI application in front of `django`. `paths` are the fast paths, by the names of their URL patterns."""

    def __init__(self, django: "WSGIApplication", paths: Mapping[str, FastPath]) -> None:
        self._django, self._paths = django, [*paths.items()]
        self._added: dict[tuple[str | None, ...], Headers] = {}
        self._host, self._is_learning = urlsplit(settings.PUBLIC_ORIGIN).netloc, Lock()
        self._scheme_header = (settings.SECURE_PROXY_SSL_HEADER or ("",))[0]

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        for name, path in self._paths if _is_plain(environ) else ():
            if response := path(environ):
                return self._send(name, response, environ, start_response)
        return self._django(environ, start_response)

    def _send(
        self,
        name: str,
        response: FastResponse,
        environ: "WSGIEnvironment",
        start_response: "StartResponse",
    ) -> Iterable[bytes]:
        scheme = (environ["wsgi.url_scheme"], environ.get(self._scheme_header))
        place = (name, response.status, environ["HTTP_HOST"], *scheme)
        added = self._added.get(place)
        if added is None:
            return self._learn(environ, self._remembering(place, response, start_response))
        environ["registry.route"] = name
        start_response(response.status, [*added, *response.headers])
        return [response.body]

    def _learn(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Leave a request to Django. Of those to the registry's own origin, one at a time does not wait for a thread."""
        if environ["HTTP_HOST"] != self._host or not self._is_learning.acquire(blocking=False):
            return self._django(environ, start_response)
        environ[BESIDE] = True
        try:
            return self._django(environ, start_response)
        finally:
            self._is_learning.release()

    def _remembering(
        self, place: tuple[str | None, ...], response: FastResponse, start_response: "StartResponse"
    ) -> "StartResponse":
        """Remember what Django adds to the headers of a response, if it sends the same one."""

        def start(status: str, headers: Headers, *error: Any) -> Any:
            added = [each for each in headers if each not in response.headers]
            is_same = status == response.status and len(added) + len(response.headers) == len(headers)
            if is_same and NOT_SHARED.isdisjoint(name for name, _ in added):
                if len(self._added) >= MAX_PLACES:
                    self._added.clear()
                self._added[place] = added
            return start_response(status, headers, *error)

        return start


def _is_plain(environ: "WSGIEnvironment") -> bool:
    """Whether the request has no credentials, conditions on dates, or other reasons for Django."""
    return (
        environ["REQUEST_METHOD"] in METHODS
        and not environ.get("SCRIPT_NAME")
        and bool(environ.get("HTTP_HOST"))
        and environ.keys().isdisjoint(FOR_DJANGO)
    )
