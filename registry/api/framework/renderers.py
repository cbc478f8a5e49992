"""Answers as plain text and as XML. What they say is what the JSON says."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from xml.sax.saxutils import escape

from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

# What one of several is called; a list of anything else holds entries.
ITEM_NAMES = {"versions": "version", "references": "reference", "results": "result", "cases": "case"}


class PlainTextRenderer(BaseRenderer):
    """A text as it is read and mailed. A resource whose answer is none says it `as_text`."""

    media_type = "text/plain"
    format = "txt"
    charset = "utf-8"

    def render(
        self, data: Any, accepted_media_type: str | None = None, context: Mapping[str, Any] | None = None
    ) -> bytes:
        if data is None or isinstance(data, str):
            return (data or "").encode()
        words: str = (context or {})["view"].as_text(data)
        return words.encode()


class XMLRenderer(BaseRenderer):
    """The members of the JSON as elements of the same names, in the same order; what is null is left out."""

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


# What a record comes in; JSON is what those get who have no wish.
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
    # A reader of XML makes a line feed of a carriage return that is written plainly.
    return escape(str(value), {"\r": "&#13;"})
