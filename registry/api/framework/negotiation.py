"""Content negotiation: the suffix of the URL, or else the preferred format in Accept."""

from collections.abc import Iterable

from rest_framework.exceptions import NotAcceptable, NotFound
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from registry.core.http.negotiation import preferred


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
            return chosen, str(chosen.media_type)
        by_type = {str(each.media_type): each for each in renderers}
        media_type = preferred(request.headers.get("Accept", ""), list(by_type))
        if media_type is None:
            raise NotAcceptable
        return by_type[media_type], media_type
