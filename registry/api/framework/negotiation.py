"""Content negotiation: the suffix of the URL, or else the preferred format in Accept."""

from collections.abc import Iterable, Sequence
from typing import Any

from rest_framework.exceptions import NotAcceptable, NotFound
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from registry.core.http.negotiation import weight_of, weights_in

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
