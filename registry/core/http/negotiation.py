"""Negotiation of formats and content codings, and compression.

Private responses are not compressed, because their length would reveal information about their content.
"""

import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from django.http import HttpRequest

# Parameters other than the weight are ignored; no format of the registry has any.
MEDIA_RANGE = re.compile(r"\s*([^\s/;,]+)/([^\s/;,]+)\s*(?:;(.*))?", re.DOTALL)
WEIGHT = re.compile(r"(?:^|;)\s*q\s*=\s*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)", re.IGNORECASE)
PAGE, XHTML = "text/html", "application/xhtml+xml"
JSON, PROBLEM = "application/json", "application/problem+json"
ANYTHING = "*/*"
# The ranges with which a client asks for a page; `*/*` does not ask for one.
ASKING_FOR_PAGES = (PAGE, XHTML, "text/*")


def preferred(accept: str, offers: Sequence[str]) -> str | None:
    """The media type that a client prefers of those that an address offers; None if it accepts none of them.

    The highest weight decides, then a type that is named before ranges of types, then the order of the offers. A range
    leaves the choice to the registry: it stands for the first offer in it that does not have the weight 0. An empty
    header is `*/*`. A page counts as HTML and as XHTML.

    Browsers prefer XML to JSON. A client that prefers a page to all offers, and accepts anything, gets the first offer
    that it does not refuse.
    """
    weights = _weights_of_ranges(accept if accept.strip() else ANYTHING)
    allowed = [each for each in offers if not _is_refused(each, weights)]
    chosen = [
        (weight, "*" not in media_range, -offers.index(found), found)
        for media_range, weight in weights.items()
        if weight and (found := next((each for each in allowed if _is_in(media_range, each)), None))
    ]
    if not chosen:
        return None
    best = max(chosen)
    return allowed[0] if best[0] < weights.get(PAGE, 0) and weights.get(ANYTHING) else best[-1]


def prefers_page(accept: str, formats: Sequence[str]) -> bool:
    """Whether a client asks for a page, like browsers, and prefers it to these formats."""
    weights = _weights_of_ranges(accept)
    is_asked = any(weights.get(each) for each in ASKING_FOR_PAGES)
    return is_asked and preferred(accept, (PAGE, *formats)) == PAGE


def _weights_of_ranges(accept: str) -> dict[str, float]:
    """The weights of the media ranges, from 0 to 1. Invalid ranges are ignored."""
    weights = {}
    for part in accept.split(","):
        if found := MEDIA_RANGE.fullmatch(part):
            weight = WEIGHT.search(found[3] or "")
            weights[f"{found[1]}/{found[2]}".lower()] = float(weight[1]) if weight else 1.0
    return weights


def _ranges_of(media_type: str) -> tuple[str, ...]:
    """The ranges that contain a media type, the narrowest first."""
    return media_type, f"{media_type.partition('/')[0]}/*", ANYTHING


def _is_in(media_range: str, media_type: str) -> bool:
    ranges = _ranges_of(media_type)
    return media_range in (ranges if media_type != PAGE else (*ranges, *_ranges_of(XHTML)))


def _is_refused(media_type: str, weights: dict[str, float]) -> bool:
    """Whether the narrowest range that contains the media type has the weight 0."""
    return next((not weights[each] for each in _ranges_of(media_type) if each in weights), False)


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
    weights = _weights_of_codings(accepted)
    weight_of = {coding: weights.get(coding, 0.0) for coding in CODINGS}
    weight_of["gzip"] = weights.get("gzip", weights.get("*", 0.0))
    best = max(CODINGS, key=weight_of.__getitem__)
    if not weight_of[best] or weights.get("identity", 0.0) > weight_of[best]:
        return ""
    is_short = length is not None and length < MIN_LENGTH
    return "" if is_short and weights.get("identity", weights.get("*", 1.0)) else best


def _weights_of_codings(header: str) -> dict[str, float]:
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
