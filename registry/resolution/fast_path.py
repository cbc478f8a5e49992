"""The fast path of `/resolve/` (`registry.core.http.fast_path`): it decides with `resolve`, like Django's view.

All requests that do not end in a redirect are left to Django, and so are those for a profile that this process has not
parsed yet. Nothing but parsed profiles and sub-namespaces is kept, by their content, so no redirect is stale. The sub-namespaces
of a name are read only if its namespace has a list.
"""

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from registry.core.database.prepared_reader import PreparedReader
from registry.core.http.fast_path import FastResponse
from registry.resolution.formats import Format, preferred_format
from registry.resolution.namespace_data import OF_ONE_NID, OF_PREFIXES, NamespaceData, parsed_namespace_data
from registry.resolution.request_target import PREFIX, urn_in_path
from registry.resolution.resolving import resolve
from registry.resolution.responses import headers_of
from registry.subnamespaces.lists import StoredSubNamespaces
from urnsyntax import URN, InvalidURN

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

MAX_ACCEPT = 200  # characters of an Accept header whose meaning is remembered


def redirect(reader: PreparedReader, environ: "WSGIEnvironment") -> FastResponse | None:
    """The redirect to the best service of the URN in the path."""
    urn = _requested_urn(environ)
    namespace_data = _namespace_data_of(reader, urn.nid.lower()) if urn else None
    if urn is None or namespace_data is None:
        return None
    prefixes = namespace_data.prefixes_of(urn)
    entries = _entries_with(reader, namespace_data, prefixes) if prefixes else None
    if prefixes and entries is None:
        return None
    resolved = resolve(urn, namespace_data, entries)
    if resolved.address is None:
        return None
    body = f"{resolved.address}\n".encode("ascii")
    headers = [("Location", resolved.address), ("Content-Length", str(len(body))), *headers_of(resolved)]
    return FastResponse("303 See Other", headers, body)


def _requested_urn(environ: "WSGIEnvironment") -> URN | None:
    """The URN of a request for a redirect, otherwise None."""
    path, accept = environ["PATH_INFO"], environ.get("HTTP_ACCEPT", "")
    if (
        not path.startswith(PREFIX)
        or not path.isascii()
        or len(accept) > MAX_ACCEPT
        or not _prefers_page(accept)
    ):
        return None
    try:
        return URN.parse(urn_in_path(environ))
    except InvalidURN:
        return None


@lru_cache(maxsize=500)
def _prefers_page(accept: str) -> bool:
    return preferred_format(accept) == Format.PAGE


def _namespace_data_of(reader: PreparedReader, nid: str) -> NamespaceData | None:
    result = reader.read(OF_ONE_NID, [nid.encode("ascii")])
    if result is None:
        return None
    values = (result.get_value(0, column) for column in range(result.nfields))
    return parsed_namespace_data([None if value is None else value.decode() for value in values])


def _entries_with(
    reader: PreparedReader, namespace_data: NamespaceData, prefixes: set[str]
) -> StoredSubNamespaces | None:
    """The sub-namespaces with these normalized prefixes; None if the database is not available."""
    if namespace_data.listed_as is None:
        return None
    result = reader.read(
        OF_PREFIXES, [str(namespace_data.listed_as).encode(), json.dumps(sorted(prefixes)).encode()]
    )
    value = result.get_value(0, 0) if result else None
    if value is None:
        return None
    return StoredSubNamespaces(namespace_data.listed_as, namespace_data.nid).add(json.loads(value).items())
