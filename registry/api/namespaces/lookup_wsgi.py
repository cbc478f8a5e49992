"""The lookup of one namespace, answered before Django: one row of one table, which triggers keep right.

What is answered here, Django would answer alike, octet for octet and header for header. Whatever is not the
plain case goes on to Django: another method or format, a query, credentials, several ETags, a NID that is not
registered, a database that is away. Nothing is kept between two requests, so nothing is stale.

To answer costs less here than to count who asks, so nobody is counted, and no header says what is left to
them. Nor is anything compressed, which would cost several times the lookup; Vary is Django's all the same, and
whoever refuses a text as it is gets Django's answer.
"""

import json
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
from registry.namespaces.lookup import cached_lookup
from registry.namespaces.lookup.reader import LookupReader
from urnsyntax.nid import NID_PATTERN

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ADDRESS = re.compile(f"/api/v1/namespaces/({NID_PATTERN})/?")
METHODS = frozenset(["GET", "HEAD"])
# What clients send that take whatever there is, or want JSON and nothing else.
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
    """The headers of Django's answers, 200 and 304, but for those that differ from one namespace to the next."""

    found: Headers
    unchanged: Headers


class LookupApplication:
    """A WSGI application before another one, `fallback`, which answers what this does not."""

    def __init__(self, fallback: "WSGIApplication") -> None:
        self.fallback = fallback
        self.reader = LookupReader()
        self._templates = HeaderTemplates()
        self._origin = json.dumps(settings.PUBLIC_ORIGIN, ensure_ascii=False)[1:-1].encode()
        self._marker = cached_lookup.ORIGIN_PLACEHOLDER.encode()
        self._tag = f'-{cached_lookup.origin_tag()}"'
        self._known = re.compile(f'(?:W/)?"([0-9a-f]{{32}}){re.escape(self._tag)}').fullmatch

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        nid = _nid_asked_for(environ)
        if nid is None or (headers := self._templates.for_request(environ)) is None:
            return self.fallback(environ, start_response)
        etag = environ.get("HTTP_IF_NONE_MATCH")
        known = self._known(etag.strip()) if etag else None
        found = self.reader.find(nid, known[1] if known else "")
        if found is None:
            return self.fallback(environ, start_response)
        environ["registry.route"] = "api:namespace"
        own = [
            ("ETag", f'"{found.digest.decode()}{self._tag}'),
            ("Last-Modified", found.last_modified.decode()),
        ]
        if found.body is None:
            start_response("304 Not Modified", [*headers.unchanged, *own])
            return [b""]
        body = found.body.replace(self._marker, self._origin)
        start_response("200 OK", [*headers.found, *own, ("Content-Length", str(len(body)))])
        return [body]


def _nid_asked_for(environ: "WSGIEnvironment") -> str | None:
    """The NID, in lower case, of a request that is the plain case."""
    address = ADDRESS.fullmatch(environ["PATH_INFO"])
    if (
        address is None
        or environ["REQUEST_METHOD"] not in METHODS
        or environ.get("QUERY_STRING")
        or environ.get("SCRIPT_NAME")
        or not environ.get("HTTP_HOST")
        or environ.get("HTTP_ACCEPT", "*/*") not in FORMATS
        or _may_refuse_a_text_as_it_is(environ.get("HTTP_ACCEPT_ENCODING", ""))
        or not environ.keys().isdisjoint(FOR_DJANGO)
        or _is_list(environ.get("HTTP_IF_NONE_MATCH", ""))
    ):
        return None
    return address[1].lower()


def _may_refuse_a_text_as_it_is(encodings: str) -> bool:
    return ";" in encodings and ("identity" in encodings or "*" in encodings)


def _is_list(etags: str) -> bool:
    return "," in etags or etags.strip() == "*"


class HeaderTemplates:
    """What the middleware and the API's views add to an answer, seen in one that holds nothing.

    So the headers have no second home here, and a host that Django refuses, or a redirect to HTTPS, has no
    sample: the request goes on to Django.
    """

    def __init__(self) -> None:
        self._middleware = _TemplateHandler()
        self._seen: dict[tuple[str | None, ...], HeaderTemplate] = {}
        self._scheme_header = (settings.SECURE_PROXY_SSL_HEADER or ("",))[0]

    def for_request(self, environ: "WSGIEnvironment") -> HeaderTemplate | None:
        """The headers for requests by that host and scheme."""
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
    """The lookup without a namespace, of which only the headers are looked at. It is not counted."""

    throttle_classes = ()

    def get(self, request: Request, nid: str = "", suffix: str = "") -> Response:
        return Response({}, headers={"Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"})


class _TemplateHandler(BaseHandler):
    """Django with all its middleware, and `_EmptyNamespaceView` in place of the addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.load_middleware()
        self._view: Any = _EmptyNamespaceView.as_view()

    def answer(self, environ: "WSGIEnvironment") -> HttpResponseBase:
        return self.get_response(WSGIRequest(environ))

    def _get_response(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = self._view(request)
        return response
