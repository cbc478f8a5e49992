"""Range requests (RFC 9110, Section 14): a part of a file, to continue a download that was interrupted."""

import re
from http import HTTPStatus
from typing import IO

from django.http import FileResponse, HttpRequest

from registry.core.exceptions import RegistryError

# One range of octets. Others are ignored, as Section 14.2 permits, and the whole file is sent.
RANGE = re.compile(r"bytes=(?:([0-9]{1,18})-([0-9]{1,18})?|-([0-9]{1,18}))")


class RangeNotSatisfiable(RegistryError):
    """The range begins after the end of the file."""

    status = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
    title = "Range not satisfiable"

    def __init__(self, size: int) -> None:
        super().__init__(f"The file has {size:,} octets, and the range begins after them.")
        self.headers = {"Content-Range": f"bytes */{size}"}


class FileSlice:
    """The octets of a file from `start` to before `stop`, as a file to read."""

    def __init__(self, file: IO[bytes], start: int, stop: int) -> None:
        self.file, self.left = file, stop - start
        file.seek(start)

    def read(self, size: int = -1) -> bytes:
        block = self.file.read(self.left if size < 0 else min(size, self.left))
        self.left -= len(block)
        return block

    def close(self) -> None:
        self.file.close()


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
    response.streaming_content = FileResponse(FileSlice(content, start, stop)).streaming_content
    response.status_code = HTTPStatus.PARTIAL_CONTENT
    response["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    response["Content-Length"] = str(stop - start)
