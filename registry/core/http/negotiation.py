"""Weights of media types in the header Accept (RFC 9110, Section 12.5.1)."""

import re
from collections.abc import Sequence

# Parameters other than the weight are ignored; no format of the registry has any.
MEDIA_RANGE = re.compile(r"\s*([^\s/;,]+)/([^\s/;,]+)\s*(?:;(.*))?", re.DOTALL)
WEIGHT = re.compile(r"(?:^|;)\s*q\s*=\s*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)", re.IGNORECASE)
BY_NAME = 2  # how specific a media range without an asterisk is
HTML, XHTML = "text/html", "application/xhtml+xml"


def weights_in(accept: str) -> dict[str, float]:
    """The weights of the media ranges, from 0 to 1. Invalid ranges are ignored."""
    weights = {}
    for part in accept.split(","):
        if found := MEDIA_RANGE.fullmatch(part):
            weight = WEIGHT.search(found[3] or "")
            weights[f"{found[1]}/{found[2]}".lower()] = float(weight[1]) if weight else 1.0
    return weights


def weight_of(media_type: str, weights: dict[str, float]) -> tuple[float, int]:
    """The weight of a media type in the most specific range that contains it, and how specific that range is."""
    ranges = ("*/*", f"{media_type.partition('/')[0]}/*", media_type)
    return next(
        ((weights[ranges[exact]], exact) for exact in (BY_NAME, 1, 0) if ranges[exact] in weights), (0.0, 0)
    )


def preferred_to_pages(accept: str, formats: Sequence[str]) -> str | None:
    """The one of these formats that the client prefers to a page; None if it prefers the page.

    A format counts only if the client names it: `*/*` and `application/*` do not ask for one. If the weights are
    equal, a page that is named comes first, then the formats in their order.
    """
    weights = weights_in(accept)
    named = [(weights[each], -place, each) for place, each in enumerate(formats) if weights.get(each)]
    if not named:
        return None
    weight, _, best = max(named)
    return best if (weight, BY_NAME) > _weight_of_page(weights) else None


def prefers_page(accept: str, formats: Sequence[str]) -> bool:
    """Whether the client asks for HTML, like browsers, and does not prefer one of these formats."""
    weight, exact = _weight_of_page(weights_in(accept))
    return bool(weight and exact) and preferred_to_pages(accept, formats) is None


def _weight_of_page(weights: dict[str, float]) -> tuple[float, int]:
    return max(weight_of(HTML, weights), (weights[XHTML], BY_NAME) if XHTML in weights else (0.0, 0))
