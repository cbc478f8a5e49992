"""Weights of media types in the header Accept (RFC 9110, Section 12.5.1)."""

import re

# Parameters other than the weight are ignored; no format of the registry has any.
MEDIA_RANGE = re.compile(r"\s*([^\s/;,]+)/([^\s/;,]+)\s*(?:;(.*))?", re.DOTALL)
WEIGHT = re.compile(r"(?:^|;)\s*q\s*=\s*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)", re.IGNORECASE)


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
        ((weights[ranges[exact]], exact) for exact in (2, 1, 0) if ranges[exact] in weights), (0.0, 0)
    )


def accepts_pages(accept: str) -> bool:
    """Whether the client asks for HTML by its name, like browsers."""
    weights = weights_in(accept)
    return any(weights.get(each) for each in ("text/html", "application/xhtml+xml", "text/*"))
