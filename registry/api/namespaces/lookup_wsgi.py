"""The fast lookup of a namespace: a WSGI application in front of Django that reads one stored row.

Responses have the same octets and headers as those of Django. All other requests are passed to Django: other methods
and formats, queries, credentials, several ETags, unregistered NIDs, namespaces that have changed since their response
was stored (the view then stores it again), and all requests if the database is not available. Processes keep no
responses in memory, so none is stale.

Responses are not compressed, because that would take several times as long as the lookup. They have the same Vary header
as Django's, and a client that rejects uncompressed responses gets one from Django.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.namespaces.views import NamespaceDetailView
from registry.namespaces.lookup.reader import LookupReader
from registry.namespaces.lookup.store import release_tag
from urnsyntax.nid import NID_PATTERN

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ADDRESS = re.compile(f"/api/v1/namespaces/({NID_PATTERN})/?")
ETAG = re.compile('(?:W/)?"([0-9a-f]{32})"')
METHODS = frozenset(["GET", "HEAD"])
# Values of Accept that select JSON.
FORMATS = frozenset(["*/*", "application/*", "application/json"])
FOR_DJANGO = frozenset(
    f"HTTP_{header}"
    for header in (
        "AUTHORIZATION",
        "COOKIE",
        "IF_MATCH",
        "IF_MODIFIED_SINCE",
        "IF_UNMODIFIED_SINCE",
        "RANGE",
    )
)
MAX_HOSTS = 100

Headers = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class HeaderTemplate:
    """The headers of Django's 200 and 304 responses, without those that depend on the namespace."""

    found: Headers
    unchanged: Headers


class LookupApplication:
    """A WSGI application in front of `fallback`, which handles all other requests."""

    def __init__(self, fallback: "WSGIApplication") -> None:
        self.fallback = fallback
        self.reader = LookupReader(release_tag())
        self._templates = HeaderTemplates()

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        nid = _requested_nid(environ)
        if nid is None or (headers := self._templates.for_request(environ)) is None:
            return self.fallback(environ, start_response)
        etag = environ.get("HTTP_IF_NONE_MATCH")
        known = ETAG.fullmatch(etag.strip()) if etag else None
        found = self.reader.find(nid, known[1] if known else "")
        if found is None:
            return self.fallback(environ, start_response)
        environ["registry.route"] = "api:namespace"
        own = [
            ("ETag", f'"{found.digest.decode()}"'),
            ("Last-Modified", found.last_modified.decode()),
        ]
        if found.body is None:
            start_response("304 Not Modified", [*headers.unchanged, *own])
            return [b""]
        start_response("200 OK", [*headers.found, *own, ("Content-Length", str(len(found.body)))])
        return [found.body]


def _requested_nid(environ: "WSGIEnvironment") -> str | None:
    """The NID, in lower case, of a request that this application can answer, otherwise None."""
    address = ADDRESS.fullmatch(environ["PATH_INFO"])
    if (
        address is None
        or environ["REQUEST_METHOD"] not in METHODS
        or environ.get("QUERY_STRING")
        or environ.get("SCRIPT_NAME")
        or not environ.get("HTTP_HOST")
        or environ.get("HTTP_ACCEPT", "*/*") not in FORMATS
        or _may_refuse_identity(environ.get("HTTP_ACCEPT_ENCODING", ""))
        or not environ.keys().isdisjoint(FOR_DJANGO)
        or _is_list(environ.get("HTTP_IF_NONE_MATCH", ""))
    ):
        return None
    return address[1].lower()


def _may_refuse_identity(encodings: str) -> bool:
    return ";" in encodings and ("identity" in encodings or "*" in encodings)


def _is_list(etags: str) -> bool:
    return "," in etags or etags.strip() == "*"


class HeaderTemplates:
    """The headers that middleware and API views add to a response, taken from a sample response for each host.

    Hosts that Django rejects or redirects to HTTPS have no template; their requests are passed to Django.
    """

    def __init__(self) -> None:
        self._middleware = _TemplateHandler()
        self._seen: dict[tuple[str | None, ...], HeaderTemplate] = {}
        self._scheme_header = (settings.SECURE_PROXY_SSL_HEADER or ("",))[0]

    def for_request(self, environ: "WSGIEnvironment") -> HeaderTemplate | None:
        """The headers for requests with this host and scheme."""
        scheme = (environ["wsgi.url_scheme"], environ.get(self._scheme_header))
        place = (environ["HTTP_HOST"], *scheme)
        return self._seen.get(place) or self._look(place, environ)

    def _look(self, place: tuple[str | None, ...], environ: "WSGIEnvironment") -> HeaderTemplate | None:
        plain = {name: value for name, value in environ.items() if name != "HTTP_IF_NONE_MATCH"}
        plain["REQUEST_METHOD"] = "GET"
        found = self._middleware.answer(plain)
        unchanged = self._middleware.answer(plain | {"HTTP_IF_NONE_MATCH": "*"})
        if (found.status_code, unchanged.status_code) != (200, 304):
            return None
        if len(self._seen) >= MAX_HOSTS:
            self._seen.clear()
        self._seen[place] = sample = HeaderTemplate(
            _without(found, "ETag", "Last-Modified", "Content-Length"),
            _without(unchanged, "ETag", "Last-Modified"),
        )
        return sample


def _without(response: HttpResponseBase, *names: str) -> Headers:
    return [(name, value) for name, value in response.items() if name not in names]


class _EmptyNamespaceView(NamespaceDetailView):
    """A lookup without content, for its headers."""

    def get(self, request: Request, nid: str = "", suffix: str = "") -> Response:
        return Response({}, headers={"Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"})


class _TemplateHandler(BaseHandler):
    """Django with all its middleware, and `_EmptyNamespaceView` in place of the URL configuration."""

    def __init__(self) -> None:
        super().__init__()
        self.load_middleware()
        self._view: Any = _EmptyNamespaceView.as_view()

    def answer(self, environ: "WSGIEnvironment") -> HttpResponseBase:
        return self.get_response(WSGIRequest(environ))

    def _get_response(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = self._view(request)
        return response
