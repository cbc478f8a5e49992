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
from typing import TYPE_CHECKING

from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.namespaces.views import NamespaceDetailView
from registry.core.http.fast_path import GetResponse, Headers, HeaderTemplates, headers_without, is_plain
from registry.core.http.negotiation import CODINGS
from registry.namespaces.lookup import LookupReader, release_tag
from urnsyntax.nid import NID_PATTERN

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ADDRESS = re.compile(f"/api/v1/namespaces/({NID_PATTERN})/?")
ETAG = re.compile('(?:W/)?"([0-9a-f]{32})"')
CODED = re.compile(f'-({"|".join(CODINGS)})"')
# Values of Accept that select JSON.
FORMATS = frozenset(["*/*", "application/*", "application/json"])


@dataclass(frozen=True, slots=True)
class HeaderTemplate:
    """The headers of Django's 200 and 304 responses, without those that depend on the namespace."""

    found: Headers
    unchanged: Headers


class LookupApplication:
    """A WSGI application in front of `fallback`, which handles all other requests."""

    def __init__(self, fallback: "WSGIApplication", reader: LookupReader | None = None) -> None:
        self.fallback = fallback
        self.reader = reader or LookupReader(release_tag())
        self._templates = HeaderTemplates(_EmptyNamespaceView.as_view(), sample_headers)

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
    """The NID, in lower case, of a request that this application can handle, otherwise None."""
    address = ADDRESS.fullmatch(environ["PATH_INFO"])
    if (
        address is None
        or environ.get("QUERY_STRING")
        or not is_plain_json(environ)
        or _may_refuse_identity(environ.get("HTTP_ACCEPT_ENCODING", ""))
        # The ETag of a compressed response, which only Django sends.
        or CODED.search(environ.get("HTTP_IF_NONE_MATCH", ""))
    ):
        return None
    return address[1].lower()


def is_plain_json(environ: "WSGIEnvironment") -> bool:
    """Whether a plain request asks for JSON, and has one ETag at most."""
    return (
        is_plain(environ)
        and environ.get("HTTP_ACCEPT", "*/*") in FORMATS
        and not _is_list(environ.get("HTTP_IF_NONE_MATCH", ""))
    )


def _may_refuse_identity(encodings: str) -> bool:
    return ";" in encodings and ("identity" in encodings or "*" in encodings)


def _is_list(etags: str) -> bool:
    return "," in etags or etags.strip() == "*"


def sample_headers(get_response: GetResponse, environ: "WSGIEnvironment") -> HeaderTemplate | None:
    """The headers of the responses to a request, as for `HeaderTemplates`."""
    found, unchanged = get_response(environ), get_response(environ | {"HTTP_IF_NONE_MATCH": "*"})
    if (found.status_code, unchanged.status_code) != (200, 304):
        return None
    return HeaderTemplate(
        headers_without(found, "ETag", "Last-Modified", "Content-Length"),
        headers_without(unchanged, "ETag", "Last-Modified"),
    )


class _EmptyNamespaceView(NamespaceDetailView):
    """A lookup without content, for its headers."""

    def get(self, request: Request, nid: str = "", suffix: str = "") -> Response:
        return Response({}, headers={"Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"})
