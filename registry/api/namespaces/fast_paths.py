"""The fast paths of namespaces (`registry.core.http.fast_path`): one of them, the pages of all by NID, which programs copy, and one
sub-namespace.

The first two send texts that are stored in one row for each namespace (`registry.namespaces.lookup`). Django handles what is not
stored since the last change, and stores it, and all requests for something else than plain JSON, with several ETags, or
without a registered NID. A sub-namespace is found by its prefix as the list writes it; Django handles other forms. Its response
depends on one row alone, which is read for each request, and is rendered once for each content.

One namespace or sub-namespace is not compressed, because that would take several times as long as the lookup. A client that rejects
uncompressed responses gets one from Django.
"""

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote_plus

from django.conf import settings
from rest_framework.renderers import JSONRenderer

from registry.api.framework.conditional import KnownETag, sent_etag
from registry.api.framework.pagination import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, page_address
from registry.api.namespaces.stored_items import StoredItemsRenderer
from registry.api.namespaces.subnamespaces import SubNamespaceSerializer
from registry.api.namespaces.views import NO_SEARCH, NamespaceListView
from registry.core.database.prepared_reader import PreparedReader, Statement
from registry.core.http.conditional import body_etag, etag_of
from registry.core.http.fast_path import FastResponse
from registry.core.http.negotiation import compress, preferred_coding
from registry.core.pagination import MAX_PAGE_TEXT
from registry.namespaces.lookup import LookupReader
from registry.namespaces.models import Namespace
from registry.subnamespaces.models import MAX_KEY, SubNamespace
from urnsyntax.nid import NID_PATTERN

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

LIST = "/api/v1/namespaces/"
ONE = re.compile(f"{LIST}({NID_PATTERN})/?")
ONE_PREFIX = re.compile(f"{LIST}({NID_PATTERN})/subnamespace/?")
# A prefix is made of printable ASCII characters (RFC 8141, Section 2).
PREFIX_QUERY = re.compile(r"prefix=([!-%'-~]+)")
PREFIX = re.compile("[!-~]+")
AFTER, SIZE = f"after={NID_PATTERN}", "page_size=[1-9][0-9]{0,3}"
QUERY = re.compile(f"(?:{AFTER}(?:&{SIZE})?|{SIZE}(?:&{AFTER})?)?")
ETAG = re.compile('"([0-9a-f]{32})"')
# Values of Accept that select JSON.
FORMATS = frozenset(["*/*", "application/*", "application/json"])
OK, NOT_MODIFIED = "200 OK", "304 Not Modified"
# Sub-namespaces of a process whose responses are remembered, and octets of the content of each: at most 40 MB.
MAX_RENDERED, MAX_REMEMBERED = 10_000, 1_500
SUBNAMESPACE = Statement(
    b"subnamespace",
    b"""
    SELECT entry.content::text, entry.version::text, entry.prefix, entry.title, entry.status
    FROM namespaces_namespace AS namespace JOIN subnamespaces_subnamespace AS entry ON entry.namespace_id = namespace.id
    WHERE namespace.nid = $1 AND entry.lower_prefix = $2 AND entry.prefix = $3
    """,
)


def one_namespace(reader: LookupReader, environ: "WSGIEnvironment") -> FastResponse | None:
    """The stored lookup of a namespace, by its NID in any case of letters."""
    address = ONE.fullmatch(environ["PATH_INFO"])
    if (
        address is None
        or environ.get("QUERY_STRING")
        or not _wants_json(environ)
        or _may_refuse_identity(environ.get("HTTP_ACCEPT_ENCODING", ""))
    ):
        return None
    known = ETAG.fullmatch(sent_etag(environ))
    found = reader.find(address[1].lower(), known[1] if known else "")
    if found is None:
        return None
    validators = [
        ("ETag", etag_of(found.digest.decode(), "")),
        ("Last-Modified", found.last_modified.decode()),
    ]
    if found.body is None:
        return FastResponse(NOT_MODIFIED, validators)
    return FastResponse(OK, [*validators, ("Content-Length", str(len(found.body)))], found.body)


def one_subnamespace(reader: PreparedReader, environ: "WSGIEnvironment") -> FastResponse | None:
    """The sub-namespace with the prefix in the query, as the list writes it."""
    address = ONE_PREFIX.fullmatch(environ["PATH_INFO"])
    query = PREFIX_QUERY.fullmatch(environ.get("QUERY_STRING", "")) if address else None
    if (
        address is None
        or query is None
        or not _wants_json(environ)
        or _may_refuse_identity(environ.get("HTTP_ACCEPT_ENCODING", ""))
    ):
        return None
    prefix = unquote_plus(query[1])
    if not PREFIX.fullmatch(prefix) or len(prefix) > MAX_KEY:
        return None
    nid = address[1].lower()
    result = reader.read(SUBNAMESPACE, [nid.encode(), prefix.lower().encode(), prefix.encode()])
    if result is None:
        return None
    columns = [result.get_value(0, column) or b"" for column in range(result.nfields)]
    render = _rendered if len(columns[0]) <= MAX_REMEMBERED else _rendered.__wrapped__
    body, etag = render(settings.PUBLIC_ORIGIN, nid, *columns)
    if sent_etag(environ) == etag:
        return FastResponse(NOT_MODIFIED, [("ETag", etag)])
    return FastResponse(OK, [("ETag", etag), ("Content-Length", str(len(body)))], body)


@lru_cache(maxsize=MAX_RENDERED)
def _rendered(origin: str, nid: str, content: bytes, version: bytes, *texts: bytes) -> tuple[bytes, str]:
    """The response with a row, and its ETag. `texts` are the prefix, the title and the status; links begin with the origin."""
    names = ["content", "version", "prefix", "title", "status"]
    values = [json.loads(content), int(version), *(each.decode() for each in texts)]
    row = SubNamespace.from_db("default", names, values)
    row.namespace = Namespace(nid=nid)
    body = JSONRenderer().render(SubNamespaceSerializer(row).data)
    return body, body_etag(body)


def all_namespaces(reader: LookupReader, environ: "WSGIEnvironment") -> FastResponse | None:
    """A page of the list, joined from stored entries; an ETag that is known is confirmed without reading them.

    Django handles pages with an entry that is long or not stored, and pages that long texts may end early.
    """
    if (parameters := _parameters_of_page(environ)) is None:
        return None
    sent = sent_etag(environ)
    known = _known_etag(reader, environ) if sent else None
    if known and known.is_equal_to(sent):
        return FastResponse(NOT_MODIFIED, [("ETag", sent)])
    size = int(parameters.get("page_size", DEFAULT_PAGE_SIZE))
    found = reader.page(parameters.get("after", ""), size + 1)
    items = [item for _, item in found[:size] if item]
    if not 0 < len(items) == len(found[:size]) or sum(map(len, items)) > MAX_PAGE_TEXT:
        return None
    more = len(found) > size
    following = page_address(LIST, parameters | {"after": found[size - 1].nid}) if more else None
    page = {"results": items, "has_more": more, "next": following, **NO_SEARCH}
    body = StoredItemsRenderer().render(page)
    coding = preferred_coding(environ.get("HTTP_ACCEPT_ENCODING", ""), len(body))
    etag = body_etag(body, coding)
    if known:
        known.store(etag)
    if sent == etag:
        return FastResponse(NOT_MODIFIED, [("ETag", etag)])
    body = b"".join(compress([body], coding))
    headers = [("ETag", etag), ("Content-Length", str(len(body))), ("Link", _links(following))]
    headers += [("Content-Encoding", coding)] if coding else []
    return FastResponse(OK, headers, body)


def _parameters_of_page(environ: "WSGIEnvironment") -> dict[str, str] | None:
    query = environ.get("QUERY_STRING", "")
    if environ["PATH_INFO"] != LIST or not QUERY.fullmatch(query) or not _wants_json(environ):
        return None
    parameters = dict(parse_qsl(query))
    is_valid = int(parameters.get("page_size", 1)) <= MAX_PAGE_SIZE and query == query.lower()
    return parameters if is_valid else None


def _known_etag(reader: LookupReader, environ: "WSGIEnvironment") -> KnownETag | None:
    tokens = reader.tokens()
    return None if tokens is None else KnownETag(environ, f"{LIST}?{environ.get('QUERY_STRING', '')}", tokens)


def _links(following: str | None) -> str:
    links = NamespaceListView.service_links("get")
    return f'<{following}>; rel="next", {links}' if following else links


def _wants_json(environ: "WSGIEnvironment") -> bool:
    """Whether a request asks for JSON, and has one ETag at most."""
    etags = environ.get("HTTP_IF_NONE_MATCH", "")
    return environ.get("HTTP_ACCEPT", "*/*") in FORMATS and "," not in etags and etags.strip() != "*"


def _may_refuse_identity(encodings: str) -> bool:
    return ";" in encodings and ("identity" in encodings or "*" in encodings)
