"""Content negotiation by the header Accept (RFC 9110, Section 12.5.1): one rule for pages, the API, and resolution."""

import re
from collections.abc import Sequence

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
    weights = _weights_in(accept if accept.strip() else ANYTHING)
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
    weights = _weights_in(accept)
    is_asked = any(weights.get(each) for each in ASKING_FOR_PAGES)
    return is_asked and preferred(accept, (PAGE, *formats)) == PAGE


def _weights_in(accept: str) -> dict[str, float]:
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
