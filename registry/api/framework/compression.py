"""Answers that are the same for everybody, compressed for those who take it: with Zstandard, or else with gzip.

Nothing that only one person may read is compressed: its length would tell of what is in it.
"""

import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from django.http import HttpRequest

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


class Compressor(Protocol):
    """What takes a body piece by piece."""

    def compress(self, data: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


# Below it the answer fits into one packet anyway.
MIN_LENGTH = 1000
# Zstandard at this level is as small as gzip at that one and takes a quarter of its time. Either makes the same
# octets of the same body, and needs no more memory to be read than browsers allow (RFC 9659).
ZSTD_LEVEL = 3
GZIP_LEVEL = 5
GZIP_HEADER = 16 + zlib.MAX_WBITS
# The first one is preferred by us.
CODINGS: dict[str, Callable[[], Compressor]] = {
    "zstd": lambda: zstd.ZstdCompressor(ZSTD_LEVEL),
    "gzip": lambda: zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, GZIP_HEADER),
}
CODING = re.compile(
    r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;\s*q\s*=\s*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*)?",
    re.IGNORECASE,
)


def coding_for(request: HttpRequest, length: int | None = None) -> str:
    """The coding that Accept-Encoding likes best (RFC 9110, section 12.5.3); "" for the body as it is.

    “*” may be said by who has not heard of Zstandard, so it is taken for gzip. What is short is left as it is,
    unless just that is refused.
    """
    weights = _weights_in(request.headers.get("Accept-Encoding", ""))
    liked = {coding: weights.get(coding, 0.0) for coding in CODINGS}
    liked["gzip"] = weights.get("gzip", weights.get("*", 0.0))
    best = max(CODINGS, key=liked.__getitem__)
    if not liked[best] or weights.get("identity", 0.0) > liked[best]:
        return ""
    is_short = length is not None and length < MIN_LENGTH
    return "" if is_short and weights.get("identity", weights.get("*", 1.0)) else best


def _weights_in(header: str) -> dict[str, float]:
    found = (CODING.fullmatch(part) for part in header.split(","))
    return {each[1].lower(): float(each[2] or 1) for each in found if each}


def compress(blocks: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """The body in that coding, as it comes; "" leaves it as it is."""
    if not coding:
        yield from blocks
        return
    compressor = CODINGS[coding]()
    for block in blocks:
        yield compressor.compress(block)
    yield compressor.flush()
