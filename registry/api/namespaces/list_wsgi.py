"""The fast list of namespaces: a WSGI application in front of Django that joins stored entries.

It handles plain requests for the whole list by NID, page by page, which is how programs make a copy. Responses have the
same octets and headers as those of Django. All other requests are passed to Django: those with filters, searches or
another order, pages with an entry that is long or not stored (the view then stores it), pages that long texts may end early,
and all requests if the database is not available.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.conditional import KnownETag, sent_etag
from registry.api.framework.pagination import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, page_address
from registry.api.namespaces.lookup_wsgi import is_plain_json, sample_headers
from registry.api.namespaces.stored_items import StoredItemsRenderer
from registry.api.namespaces.views import NamespaceListView
from registry.core.http.conditional import body_etag
from registry.core.http.fast_path import Headers, HeaderTemplates
from registry.core.http.negotiation import compress, preferred_coding
from registry.core.pagination import MAX_PAGE_TEXT
from registry.namespaces.lookup import LookupReader, StoredItem, release_tag
from urnsyntax.nid import NID_PATTERN

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PATH = "/api/v1/namespaces/"
AFTER, SIZE = f"after={NID_PATTERN}", "page_size=[1-9][0-9]{0,3}"
QUERY = re.compile(f"(?:{AFTER}(?:&{SIZE})?|{SIZE}(?:&{AFTER})?)?")


class ListApplication:
    """A WSGI application in front of `fallback`, which handles all other requests."""

    def __init__(self, fallback: "WSGIApplication", reader: LookupReader | None = None) -> None:
        self.fallback = fallback
        self.reader = reader or LookupReader(release_tag())
        self._templates = HeaderTemplates(_EmptyListView.as_view(), sample_headers)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        parameters = _requested_page(environ)
        if parameters is None or (headers := self._templates.for_request(environ)) is None:
            return self.fallback(environ, start_response)
        sent = sent_etag(environ)
        known = self._known_etag(environ) if sent else None
        if known and known.is_equal_to(sent):
            return _unchanged(environ, start_response, headers.unchanged, sent)
        size = int(parameters.get("page_size", DEFAULT_PAGE_SIZE))
        found = self.reader.page(parameters.get("after", ""), size + 1)
        if not _is_complete(found[:size]):
            return self.fallback(environ, start_response)
        environ["registry.route"] = "api:namespaces"
        following = (
            page_address(PATH, parameters | {"after": found[size - 1].nid}) if len(found) > size else None
        )
        body = _body([item for _, item in found[:size] if item], following)
        coding = preferred_coding(environ.get("HTTP_ACCEPT_ENCODING", ""), len(body))
        etag = body_etag(body, coding)
        if known:
            known.store(etag)
        if sent == etag:
            return _unchanged(environ, start_response, headers.unchanged, etag)
        body = b"".join(compress([body], coding))
        own = [("ETag", etag), ("Content-Length", str(len(body)))]
        own += [("Content-Encoding", coding)] if coding else []
        start_response("200 OK", [*_with_next(headers.found, following), *own])
        return [body]

    def _known_etag(self, environ: "WSGIEnvironment") -> KnownETag | None:
        """What is known before the page is read; None if the database is not available."""
        tokens = self.reader.tokens()
        address = f"{PATH}?{environ.get('QUERY_STRING', '')}"
        return None if tokens is None else KnownETag(environ, address, tokens)


def _unchanged(
    environ: "WSGIEnvironment", start_response: "StartResponse", headers: Headers, etag: str
) -> Iterable[bytes]:
    environ["registry.route"] = "api:namespaces"
    start_response("304 Not Modified", [*headers, ("ETag", etag)])
    return [b""]


def _with_next(headers: Headers, following: str | None) -> Headers:
    """The headers, with the next page before the other links, as in `PublicAPIView.finalize_response`."""
    links = f'<{following}>; rel="next", ' if following else ""
    return [(name, links + value if name == "Link" else value) for name, value in headers]


def _requested_page(environ: "WSGIEnvironment") -> dict[str, str] | None:
    """The parameters of a request that this application can handle, otherwise None."""
    query = environ.get("QUERY_STRING", "")
    if environ["PATH_INFO"] != PATH or not QUERY.fullmatch(query) or not is_plain_json(environ):
        return None
    parameters = dict(parse_qsl(query))
    is_valid = int(parameters.get("page_size", 1)) <= MAX_PAGE_SIZE and query == query.lower()
    return parameters if is_valid else None


def _is_complete(found: list[StoredItem]) -> bool:
    """Whether all entries of a page are stored, and together too short for the page to end early."""
    return (
        bool(found)
        and all(item for _, item in found)
        and sum(len(item or b"") for _, item in found) <= MAX_PAGE_TEXT
    )


def _body(items: list[bytes], following: str | None) -> bytes:
    page = {"results": items, "has_more": following is not None, "next": following, "is_truncated": False}
    return StoredItemsRenderer().render(page)


class _EmptyListView(NamespaceListView):
    """A list without content, for its headers."""

    def get(self, request: Request) -> Response:
        return Response({})
