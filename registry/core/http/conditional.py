"""Conditional requests and ranges."""

import hashlib
import re
import time
from http import HTTPStatus
from typing import IO, Any

from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import http_date
from whitenoise.responders import SlicedFile  # type: ignore[import-untyped]

from registry.core.exceptions import RegistryError

# Last-Modified has a resolution of one second. It is a weak validator while another change may fall into the same
# second; RFC 9110, Section 8.8.2.2, suggests a minute.
LAST_MODIFIED_TRUSTED_AFTER = 60


def etag_of(digest: str, coding: str) -> str:
    """The strong ETag of a body in a coding; each coding needs a different one (RFC 9110, Section 8.8.3.3)."""
    return f'"{digest}-{coding}"' if coding else f'"{digest}"'


def body_digest(body: bytes) -> str:
    """The digest in the ETag of a response that has no other one, such as that of a stored row."""
    return hashlib.sha256(body).hexdigest()[:32]


def body_etag(body: bytes, coding: str = "") -> str:
    """The strong ETag of a response, from its body before it is coded."""
    return etag_of(body_digest(body), coding)


def apply_conditions(
    request: HttpRequest, response: HttpResponseBase, etag: str | None, last_modified: int | None = None
) -> HttpResponseBase:
    """The response, or 304 or 412 if the conditions of the request ask for that. `last_modified` is in seconds."""
    if last_modified is None:
        # Without a date, the condition is ignored (RFC 9110, Section 13.1.4); Django would refuse the request.
        request.META.pop("HTTP_IF_UNMODIFIED_SINCE", None)
    evaluate: Any = get_conditional_response  # accepts responses of every class
    result: HttpResponseBase = evaluate(request, etag=etag, last_modified=last_modified, response=response)
    is_by_time = result.status_code == HTTPStatus.NOT_MODIFIED and "If-None-Match" not in request.headers
    if is_by_time and last_modified is not None and time.time() - last_modified < LAST_MODIFIED_TRUSTED_AFTER:
        return response
    return result


def validated(
    request: HttpRequest, response: HttpResponse | FileResponse, etag: str, last_modified: int | None = None
) -> HttpResponseBase:
    """A public response with its validators, or 304 or 412 if the conditions of the request ask for that."""
    response["ETag"] = etag
    response["Cache-Control"] = "public, no-cache"
    patch_vary_headers(response, ["Accept-Encoding"])
    if last_modified is not None:
        response["Last-Modified"] = http_date(last_modified)
    return apply_conditions(request, response, etag, last_modified)


# One range of octets. Others are ignored, as Section 14.2 permits, and the whole file is sent.
RANGE = re.compile(r"bytes=(?:([0-9]{1,18})-([0-9]{1,18})?|-([0-9]{1,18}))")


class RangeNotSatisfiable(RegistryError):
    """The range begins after the end of the file."""

    status = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
    title = "Range not satisfiable"

    def __init__(self, size: int) -> None:
        super().__init__(f"The file has {size:,} octets, and the range begins after them.")
        self.headers = {"Content-Range": f"bytes */{size}"}


def requested_range(request: HttpRequest, size: int, etag: str) -> tuple[int, int] | None:
    """The requested range as (start, stop), or None for the whole file. Raises RangeNotSatisfiable.

    With If-Range, the range counts only if the client has the start of the same representation.
    """
    found = RANGE.fullmatch(request.headers.get("Range", "").strip())
    if request.method != "GET" or found is None or request.headers.get("If-Range", etag).strip() != etag:
        return None
    first, last, final = found.groups()
    start = int(first) if first else max(size - int(final), 0)
    stop = min(int(last) + 1, size) if last else size
    if last and int(last) < start:
        return None  # not a valid range (Section 14.1.2)
    if start >= size:
        raise RangeNotSatisfiable(size)
    return start, stop


def partial_response(response: FileResponse, content: IO[bytes], size: int, part: tuple[int, int]) -> None:
    """Reduce a response with the whole file to a part of it."""
    start, stop = part
    response.streaming_content = FileResponse(SlicedFile(content, start, stop - 1)).streaming_content
    response.status_code = HTTPStatus.PARTIAL_CONTENT
    response["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    response["Content-Length"] = str(stop - start)
