"""Conditional responses with the files and feeds of the registry, for the pages and for the API."""

import hashlib
import tempfile
import weakref
from collections.abc import Iterator
from http import HTTPStatus
from typing import IO

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import http_date

from registry.audit_log.models import LogPosition
from registry.core.http.compression import coding_for, compress
from registry.core.http.conditional import apply_conditions, etag_of
from registry.publication.formats.export_formats import FILES, ExportFile

IN_MEMORY = 1024 * 1024
# The digest of each file at the log position that it was last written from. A file that a client already has is
# confirmed without being written again.
_DIGESTS: dict[tuple[str, LogPosition, str], str] = {}


def download(request: HttpRequest, file: ExportFile, *, last_modified: int | None = None) -> HttpResponseBase:
    """Return a file from one state of the registry, compressed if the client accepts that.

    The ETag is that of the content: it changes only if the file changes.
    """
    state = (file.name, LogPosition.current(), settings.PUBLIC_ORIGIN)
    coding = coding_for(request)
    if digest := _DIGESTS.get(state):
        confirmed = conditional(request, HttpResponse(), etag_of(digest, coding), last_modified)
        if confirmed.status_code != HTTPStatus.OK:
            return confirmed
    digest, content = _write(file, coding)
    if len(_DIGESTS) > len(FILES):
        _DIGESTS.clear()
    _DIGESTS[state] = digest
    response = FileResponse(content, content_type=file.media_type)
    weakref.finalize(response, content.close)
    if coding:
        response["Content-Encoding"] = coding
    return conditional(request, response, etag_of(digest, coding), last_modified)


def conditional(
    request: HttpRequest, response: HttpResponse | FileResponse, etag: str, last_modified: int | None
) -> HttpResponseBase:
    """Return the response with its validators, or 304 or 412 if the conditions of the request ask for that."""
    response["ETag"] = etag
    response["Cache-Control"] = "public, no-cache"
    patch_vary_headers(response, ["Accept-Encoding"])
    if last_modified is not None:
        response["Last-Modified"] = http_date(last_modified)
    return apply_conditions(request, response, etag, last_modified)


def _write(file: ExportFile, coding: str) -> tuple[str, IO[bytes]]:
    """Return the digest of a file, and its content in the coding. Long contents are on disk."""
    digest = hashlib.sha256()

    def blocks() -> Iterator[bytes]:
        for block in file.write():
            digest.update(block)
            yield block

    content: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (closed with the response)
    content.writelines(compress(blocks(), coding))
    content.seek(0)
    return digest.hexdigest()[:32], content
