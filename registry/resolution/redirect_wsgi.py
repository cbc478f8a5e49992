"""The fast redirect of a URN: a WSGI application in front of Django that reads one row.

It decides with `resolve`, like Django's view, and its responses have the same octets and headers. All requests that do
not end in a redirect are passed to Django, and so are those for a profile that this process has not parsed yet, and all
requests if the database is not available. Nothing but parsed profiles is kept, so no redirect is stale.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse

from registry.core.database.prepared_reader import PreparedReader
from registry.core.http.fast_path import GetResponse, Headers, HeaderTemplates, headers_without, is_plain
from registry.resolution.formats import Format, preferred_format
from registry.resolution.namespace_data import OF_ONE_NID, NamespaceData, parsed_namespace_data
from registry.resolution.request_target import plain_urn_in_path
from registry.resolution.resolving import ResolvedURN, resolve
from registry.resolution.responses import empty_redirect, headers_of
from urnsyntax import URN, InvalidURN

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MAX_ACCEPT = 200  # characters of an Accept header whose meaning is remembered


class RedirectApplication:
    """A WSGI application in front of `fallback`, which handles all other requests."""

    def __init__(self, fallback: "WSGIApplication", reader: PreparedReader | None = None) -> None:
        self.fallback = fallback
        self.reader = reader or PreparedReader(OF_ONE_NID)
        self._templates = HeaderTemplates(_sample_view, _sample)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        urn = _requested_urn(environ)
        if urn is None or (headers := self._templates.for_request(environ)) is None:
            return self.fallback(environ, start_response)
        resolved = self._resolve(urn)
        if resolved is None or resolved.address is None:
            return self.fallback(environ, start_response)
        environ["registry.route"] = "resolution:resolve"
        body = f"{resolved.address}\n".encode("ascii")
        own = [("Location", resolved.address), ("Content-Length", str(len(body)))]
        start_response("303 See Other", [*headers, *own, *headers_of(resolved)])
        return [body]

    def _resolve(self, urn: URN) -> ResolvedURN | None:
        """The resolution of a URN; None if Django has to resolve it."""
        namespace_data = self._namespace_data_of(urn.nid.lower())
        return resolve(urn, namespace_data) if namespace_data else None

    def _namespace_data_of(self, nid: str) -> NamespaceData | None:
        result = self.reader.read(OF_ONE_NID, [nid.encode("ascii")])
        if result is None:
            return None
        values = (result.get_value(0, column) for column in range(result.nfields))
        row = [None if value is None else value.decode() for value in values]
        return parsed_namespace_data(row)


def _requested_urn(environ: "WSGIEnvironment") -> URN | None:
    """The URN of a request that this application may handle, otherwise None."""
    text = plain_urn_in_path(environ)
    if text is None or not is_plain(environ) or not _wants_redirect(environ.get("HTTP_ACCEPT", "")):
        return None
    try:
        return URN.parse(text)
    except InvalidURN:
        return None


def _wants_redirect(accept: str) -> bool:
    return len(accept) <= MAX_ACCEPT and _prefers_page(accept)


@lru_cache(maxsize=500)
def _prefers_page(accept: str) -> bool:
    return preferred_format(accept) == Format.PAGE


def _sample_view(request: HttpRequest) -> HttpResponse:
    return empty_redirect()


def _sample(get_response: GetResponse, environ: "WSGIEnvironment") -> Headers | None:
    response = get_response(environ)
    is_usual = response.status_code == empty_redirect().status_code
    return headers_without(response, "Content-Length") if is_usual else None
