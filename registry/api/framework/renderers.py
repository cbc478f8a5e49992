"""Content negotiation, and renderers for plain text and XML, with the same content as JSON."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any
from xml.sax.saxutils import escape

from rest_framework.exceptions import NotAcceptable, NotFound
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.utils.encoders import JSONEncoder

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


# Element names of the entries of a list; the default is "entry".
ITEM_NAMES = {"versions": "version", "references": "reference", "results": "result", "cases": "case"}


class PlainTextRenderer(BaseRenderer):
    """Plain text. A view whose response is not a text converts it with `as_text`."""

    media_type = "text/plain"
    format = "txt"
    charset = "utf-8"

    def render(
        self, data: Any, accepted_media_type: str | None = None, context: Mapping[str, Any] | None = None
    ) -> bytes:
        if data is None or isinstance(data, str):
            return (data or "").encode()
        text: str = (context or {})["view"].as_text(data)
        return text.encode()


class XMLRenderer(BaseRenderer):
    """The members of the JSON as elements with the same names, in the same order. Null members are omitted."""

    media_type = "application/xml"
    format = "xml"
    charset = "utf-8"

    def render(
        self, data: Any, accepted_media_type: str | None = None, context: Mapping[str, Any] | None = None
    ) -> bytes:
        if data is None:
            return b""
        root: str = (context or {})["view"].element
        lines = "\n".join(elements(root, data))
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{lines}\n'.encode()


# The formats of a namespace; JSON is the default.
FORMATS = (JSONRenderer, PlainTextRenderer, XMLRenderer)


def elements(name: str, value: Any, indent: str = "") -> Iterator[str]:
    """The lines of an element."""
    if value is None:
        return
    if not isinstance(value, Mapping | list | tuple):
        yield f"{indent}<{name}>{_text(value)}</{name}>"
        return
    members = (
        value.items() if isinstance(value, Mapping) else [(ITEM_NAMES.get(name, "entry"), v) for v in value]
    )
    yield f"{indent}<{name}>"
    for below, each in members:
        yield from elements(below, each, indent + "  ")
    yield f"{indent}</{name}>"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        value = JSONEncoder().default(value)
    # XML parsers convert a literal carriage return to a line feed.
    return escape(str(value), {"\r": "&#13;"})
