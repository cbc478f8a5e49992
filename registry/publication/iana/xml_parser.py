"""Parses XML into `Element` values with line numbers, without DTDs or entities.

The records of a list are passed on as they end and are not kept, so a file can have any number of them.
"""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Protocol
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler, ErrorHandler, feature_namespaces

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from registry.publication.iana.errors import MalformedFile
from registry.publication.iana.records import Element

IANA_NAMESPACE = "http://www.iana.org/assignments"
# IANA's schema nests 6 deep (registry, registry, range, note, xref).
MAX_DEPTH = 12
# A limit for the data outside the records, which is kept in memory: text, attributes, and a cost per element.
MAX_KEPT = 32 * 1024 * 1024
ELEMENT_WEIGHT = 100
# The parser buffers a tag until its end, so the length of a tag is limited.
MAX_TAG = 1024 * 1024


class Readable(Protocol):
    """A binary stream."""

    def read(self, size: int = -1, /) -> bytes | None: ...


# Called with an element named "record" and the id of its list.
TakeRecord = Callable[[Element, str], None]


def parse_elements(xml: Readable | bytes, take_record: TakeRecord | None = None) -> Element:
    """Return the root element. White space is collapsed, and dropped between elements.

    With `take_record`, the records of the lists are passed to it one by one and are not in the root.
    """
    parser = DefusedExpatParser(forbid_dtd=True)
    builder = _Builder(take_record)
    parser.setFeature(feature_namespaces, True)
    parser.setContentHandler(builder)
    parser.setErrorHandler(ErrorHandler())
    stream = io.BytesIO(xml) if isinstance(xml, bytes) else xml
    try:
        parser.parse(_StallGuard(stream, builder))
    except SAXParseException as fault:
        raise MalformedFile(
            f"the XML is not well-formed ({fault.getMessage()}). The file may be truncated.",
            line=fault.getLineNumber() or 0,
            column=(fault.getColumnNumber() or 0) + 1,
        ) from fault
    except DefusedXmlException as fault:
        raise MalformedFile(
            "the file declares a document type or entities, which are not allowed.",
            line=parser.getLineNumber() or 0,
            column=(parser.getColumnNumber() or 0) + 1,
        ) from fault
    return builder.root


@dataclass(slots=True)
class _Open:
    """An open element. `kept_before` is the amount of data kept before it began."""

    tag: str
    attributes: tuple[tuple[str, str], ...]
    line: int
    column: int
    kept_before: int
    content: list[str | Element] = field(default_factory=list)

    @property
    def id(self) -> str:
        return dict(self.attributes).get("id", "")

    def close(self) -> Element:
        return Element(self.tag, self.attributes, _collapse(self.content), self.line, self.column)


class _Builder(ContentHandler):
    root: Element

    def __init__(self, take_record: TakeRecord | None) -> None:
        super().__init__()
        self._open: list[_Open] = []
        self._locator: Any = None
        self._take_record = take_record
        self._kept = 0
        self.seen = 0  # elements and texts so far

    @property
    def place(self) -> tuple[int, int]:
        return self._locator.getLineNumber() or 0, (self._locator.getColumnNumber() or 0) + 1

    def setDocumentLocator(self, locator: Any) -> None:  # noqa: N802 (the name is SAX's)
        self._locator = locator

    def startElementNS(self, name: tuple[str | None, str], qname: str | None, attrs: Any) -> None:  # noqa: N802
        line, column = self.place
        namespace, tag = name
        if namespace != IANA_NAMESPACE:
            raise MalformedFile(
                f"<{tag}> is not in the XML namespace {IANA_NAMESPACE}.",
                line=line,
                column=column,
            )
        if len(self._open) == MAX_DEPTH:
            raise MalformedFile(f"elements are nested more than {MAX_DEPTH} deep.", line=line, column=column)
        attributes = tuple(sorted((local, value) for (_, local), value in attrs.items()))
        self._open.append(_Open(tag, attributes, line, column, self._kept))
        self._keep(ELEMENT_WEIGHT + sum(len(local) + len(value) for local, value in attributes))

    def endElementNS(self, name: tuple[str | None, str], qname: str | None) -> None:  # noqa: N802
        ended = self._open.pop()
        element = ended.close()
        if not self._open:
            self.root = element
        elif self._take_record and element.tag == "record" and len(self._open) == 2:
            self._kept = ended.kept_before
            self._take_record(element, self._open[-1].id)
        else:
            self._open[-1].content.append(element)

    def characters(self, content: str) -> None:
        self.seen += 1
        if self._open[-1].tag != "registry":  # between elements, text is insignificant and mostly line breaks
            self._open[-1].content.append(content)
            self._keep(len(content))

    def _keep(self, weight: int) -> None:
        self.seen += 1
        self._kept += weight
        if self._kept > MAX_KEPT:
            line, column = self.place
            raise MalformedFile(
                f"one entry, or the data outside the entries, is larger than {MAX_KEPT // 1024**2} MB.",
                line=line,
                column=column,
            )


class _StallGuard:
    """A stream that stops if the parser makes no progress."""

    def __init__(self, stream: Readable, builder: _Builder) -> None:
        self._stream, self._builder = stream, builder
        self._seen = self._stalled = 0

    def read(self, size: int = -1) -> bytes:
        if self._builder.seen != self._seen:
            self._seen, self._stalled = self._builder.seen, 0
        if self._stalled > MAX_TAG:
            line, column = self._builder.place
            raise MalformedFile(
                f"a tag or a comment is longer than {MAX_TAG // 1024**2} MB.",
                line=line,
                column=column,
            )
        chunk = self._stream.read(size) or b""
        self._stalled += len(chunk)
        return chunk

    def close(self) -> None:
        """Do nothing: the parser requires this method, but the caller closes the stream."""


WHITE_SPACE = " \t\r\n"  # XML's white space, which does not include the no-break space


def _collapse(content: list[str | Element]) -> tuple[str | Element, ...]:
    """Collapse white space, strip it at the ends, and drop indentation between elements."""
    if not "".join([part for part in content if isinstance(part, str)]).strip(WHITE_SPACE):
        return tuple([part for part in content if isinstance(part, Element)])
    parts: list[str | Element] = []
    for is_text, run in groupby(content, key=lambda part: isinstance(part, str)):
        if is_text:
            parts.append(re.sub(f"[{WHITE_SPACE}]+", " ", "".join(map(str, run))))
        else:
            parts.extend(run)
    if isinstance(parts[0], str):
        parts[0] = parts[0].lstrip(WHITE_SPACE)
    if isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip(WHITE_SPACE)
    return tuple(part for part in parts if part != "")
