"""Content negotiation: the suffix of the URL, or else the preferred format in Accept."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rest_framework.exceptions import NotAcceptable, NotFound
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

# RFC 9110, Section 12.5.1. Parameters other than the weight are ignored; the formats here have none.
MEDIA_RANGE = re.compile(r"\s*([^\s/;,]+)/([^\s/;,]+)\s*(?:;(.*))?", re.DOTALL)
WEIGHT = re.compile(r"(?:^|;)\s*q\s*=\s*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)", re.IGNORECASE)
PAGE = "text/html"


class FormatNegotiation(DefaultContentNegotiation):
    """Chooses a renderer. The first one is the default."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderers = list(renderers)
        if format_suffix:
            chosen = next((each for each in renderers if each.format == format_suffix), None)
            if chosen is None:
                raise NotFound(f"This resource is not available as “.{format_suffix}”.")
        else:
            chosen = best(request.headers.get("Accept") or "*/*", renderers)
        return chosen, str(chosen.media_type)


def best(accept: str, renderers: Sequence[Any]) -> Any:
    """The renderer that `accept` prefers. Raises NotAcceptable if it accepts none."""
    weights = weights_in(accept)
    # A browser prefers HTML, which it would display, and XML to JSON; it gets the default format.
    if weights.get(PAGE) and weights.get("*/*"):
        return renderers[0]
    candidates = [(weight_of(str(each.media_type), weights), -place) for place, each in enumerate(renderers)]
    (weight, _), place = max(candidates)
    if not weight:
        raise NotAcceptable
    return renderers[-place]


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
