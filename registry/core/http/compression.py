"""Compression of public responses with Zstandard or gzip, as Accept-Encoding allows.

Private responses are not compressed, because their length would reveal information about their content.
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
    """Compresses a body in blocks."""

    def compress(self, data: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


# Shorter responses fit into one packet anyway.
MIN_LENGTH = 1000
# At these levels, both results are equally small, and Zstandard takes a quarter of the time. The results are
# deterministic, and decompression needs no more memory than browsers allow (RFC 9659).
ZSTD_LEVEL = 3
GZIP_LEVEL = 5
GZIP_HEADER = 16 + zlib.MAX_WBITS
# In order of preference.
CODINGS: dict[str, Callable[[], Compressor]] = {
    "zstd": lambda: zstd.ZstdCompressor(ZSTD_LEVEL),
    "gzip": lambda: zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, GZIP_HEADER),
}
CODING = re.compile(
    r"\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;\s*q\s*=\s*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*)?",
    re.IGNORECASE,
)


def coding_for(request: HttpRequest, length: int | None = None) -> str:
    """Return the coding that the request's Accept-Encoding prefers; see `preferred_coding`."""
    return preferred_coding(request.headers.get("Accept-Encoding", ""), length)


def preferred_coding(accepted: str, length: int | None = None) -> str:
    """Return the coding that a value of Accept-Encoding prefers (RFC 9110, Section 12.5.3), "" for no compression.

    “*” stands for gzip, because the client may not support Zstandard. Short bodies are not compressed, unless the
    client rejects uncompressed bodies.
    """
    weights = _weights_in(accepted)
    weight_of = {coding: weights.get(coding, 0.0) for coding in CODINGS}
    weight_of["gzip"] = weights.get("gzip", weights.get("*", 0.0))
    best = max(CODINGS, key=weight_of.__getitem__)
    if not weight_of[best] or weights.get("identity", 0.0) > weight_of[best]:
        return ""
    is_short = length is not None and length < MIN_LENGTH
    return "" if is_short and weights.get("identity", weights.get("*", 1.0)) else best


def _weights_in(header: str) -> dict[str, float]:
    found = (CODING.fullmatch(part) for part in header.split(","))
    return {each[1].lower(): float(each[2] or 1) for each in found if each}


def compress(blocks: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """Yield the body in the coding, block by block; "" is no compression."""
    if not coding:
        yield from blocks
        return
    compressor = CODINGS[coding]()
    for block in blocks:
        yield compressor.compress(block)
    yield compressor.flush()
