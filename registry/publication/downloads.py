"""Conditional responses with the files and feeds of the registry, for the pages and for the API."""

import hashlib
import tempfile
import weakref
from collections.abc import Callable, Hashable, Iterator
from http import HTTPStatus
from io import SEEK_END
from typing import IO

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from registry.audit_log.models import LogPosition
from registry.core.database.connections import database_snapshot
from registry.core.http.conditional import etag_of, partial_response, requested_range, validated
from registry.core.http.internal_requests import is_internal
from registry.core.http.negotiation import coding_for, compress
from registry.publication.file_digests import store_digest
from registry.publication.formats.export_formats import ExportFile
from registry.publication.models import FileDigest

IN_MEMORY = 1024 * 1024
# The number of the last event that the file contains the effects of. A copy continues with the events after it.
POSITION_HEADER = "Log-Position"
ETAG_LENGTH = 32
# More than the export files, the parts of the sitemap of a million namespaces, and the lists that are asked for often.
MAX_DIGESTS = 500
# The digest of each file, by its name and the state that it was last written from. A file that a client already has is
# confirmed without being written again.
_DIGESTS: dict[tuple[str, Hashable, str], str] = {}


def download(
    request: HttpRequest,
    file: ExportFile,
    *,
    last_modified: int | None = None,
    state: Callable[[], Hashable] = LogPosition.current,
) -> HttpResponseBase:
    """Return a file from one state of the registry, or a part of it, compressed if the client accepts that.

    The ETag is that of the content: it changes only if the file changes. Log-Position is the last event before that
    state. `state` reads what the file depends on: it is the same as long as this is the same. Raises RangeNotSatisfiable.
    """
    position, coding = LogPosition.current(), coding_for(request)
    if digest := _DIGESTS.get((file.name, state(), settings.PUBLIC_ORIGIN)):
        confirmed = validated(request, HttpResponse(), etag_of(digest[:ETAG_LENGTH], coding), last_modified)
        if confirmed.status_code != HTTPStatus.OK:
            return _positioned(confirmed, position)
    with database_snapshot():
        position, written = LogPosition.current(), state()
        digest, length, content = _write(file, coding)
    if not is_internal(request):
        store_digest(file.name, position, length, digest)
    size = content.seek(0, SEEK_END)
    content.seek(0)
    if len(_DIGESTS) > MAX_DIGESTS:
        _DIGESTS.pop(next(iter(_DIGESTS)), None)
    _DIGESTS[file.name, written, settings.PUBLIC_ORIGIN] = digest
    etag = etag_of(digest[:ETAG_LENGTH], coding)
    response = FileResponse(content, content_type=file.media_type)
    weakref.finalize(response, content.close)
    response["Accept-Ranges"] = "bytes"
    if coding:
        response["Content-Encoding"] = coding
    else:
        response["Repr-Digest"] = FileDigest(digest=digest).repr_digest
    result = validated(request, response, etag, last_modified)
    if result is response and (part := requested_range(request, size, etag)):
        partial_response(response, content, size, part)
    return _positioned(result, position)


def _positioned(response: HttpResponseBase, position: LogPosition) -> HttpResponseBase:
    response[POSITION_HEADER] = str(position.number)
    return response


def _write(file: ExportFile, coding: str) -> tuple[str, int, IO[bytes]]:
    """Return the digest and the length of a file, and its content in the coding. Long contents are on disk."""
    digest, length = hashlib.sha256(), 0

    def blocks() -> Iterator[bytes]:
        nonlocal length
        for block in file.write():
            digest.update(block)
            length += len(block)
            yield block

    content: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (closed with the response)
    content.writelines(compress(blocks(), coding))
    content.seek(0)
    return digest.hexdigest(), length, content
