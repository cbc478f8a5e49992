"""Which format an answer has: the one that the address ends with, else the one that Accept likes best."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from rest_framework.exceptions import NotAcceptable, NotFound
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

# RFC 9110, section 12.5.1. Of a range's parameters only its weight counts: no format here has any.
MEDIA_RANGE = re.compile(r"\s*([^\s/;,]+)/([^\s/;,]+)\s*(?:;(.*))?", re.DOTALL)
WEIGHT = re.compile(r"(?:^|;)\s*q\s*=\s*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)", re.IGNORECASE)
PAGE = "text/html"


class FormatNegotiation(DefaultContentNegotiation):
    """Chooses a renderer. The first one is what those get who have no wish."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderers = list(renderers)
        if format_suffix:
            chosen = next((each for each in renderers if each.format == format_suffix), None)
            if chosen is None:
                raise NotFound(f"There is no “.{format_suffix}” of this.")
        else:
            chosen = best(request.headers.get("Accept") or "*/*", renderers)
        return chosen, str(chosen.media_type)


def best(accept: str, renderers: Sequence[Any]) -> Any:
    """The renderer that `accept` likes best; NotAcceptable if it takes none."""
    weights = weights_in(accept)
    # A browser asks for a page, and takes XML for a page of another kind; here it gets what all others get.
    if weights.get(PAGE) and weights.get("*/*"):
        return renderers[0]
    liked = [(liking(str(each.media_type), weights), -place) for place, each in enumerate(renderers)]
    (weight, _), place = max(liked)
    if not weight:
        raise NotAcceptable
    return renderers[-place]


def weights_in(accept: str) -> dict[str, float]:
    """The media ranges and how much each is liked, from 0 to 1. What is no media range is passed over."""
    weights = {}
    for part in accept.split(","):
        if found := MEDIA_RANGE.fullmatch(part):
            weight = WEIGHT.search(found[3] or "")
            weights[f"{found[1]}/{found[2]}".lower()] = float(weight[1]) if weight else 1.0
    return weights


def liking(media_type: str, weights: dict[str, float]) -> tuple[float, int]:
    """How much a media type is liked, by the most exact range that it is in, and how exact that is."""
    ranges = ("*/*", f"{media_type.partition('/')[0]}/*", media_type)
    return next(
        ((weights[ranges[exact]], exact) for exact in (2, 1, 0) if ranges[exact] in weights), (0.0, 0)
    )
