"""From XML to `Element` values with their lines: no entities, no DTD, nothing from elsewhere."""

import io
import re
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler, ErrorHandler, feature_namespaces

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from registry.publication.errors import MalformedFile
from registry.publication.iana import Element

IANA_NAMESPACE = "http://www.iana.org/assignments"
# IANA's schema nests 6 deep (registry, registry, range, note, xref).
MAX_DEPTH = 12


def parse_elements(xml: bytes) -> Element:
    """The root element. White space is collapsed, and dropped where no other text stands."""
    parser = DefusedExpatParser(forbid_dtd=True)
    builder = _Builder()
    parser.setFeature(feature_namespaces, True)
    parser.setContentHandler(builder)
    parser.setErrorHandler(ErrorHandler())
    try:
        parser.parse(io.BytesIO(xml))
    except SAXParseException as fault:
        raise MalformedFile(
            f"this is not well-formed XML ({fault.getMessage()}). Is the file whole?",
            line=fault.getLineNumber() or 0,
            column=(fault.getColumnNumber() or 0) + 1,
        ) from fault
    except DefusedXmlException as fault:
        raise MalformedFile(
            "it declares a document type or entities; IANA's files have none, and none are read here.",
            line=parser.getLineNumber() or 0,
            column=(parser.getColumnNumber() or 0) + 1,
        ) from fault
    return builder.root


@dataclass(slots=True)
class _Open:
    """An element whose end has not come yet."""

    tag: str
    attributes: tuple[tuple[str, str], ...]
    line: int
    column: int
    content: list[str | Element] = field(default_factory=list)

    def close(self) -> Element:
        return Element(self.tag, self.attributes, _collapse(self.content), self.line, self.column)


class _Builder(ContentHandler):
    root: Element

    def __init__(self) -> None:
        super().__init__()
        self._open: list[_Open] = []
        self._locator: Any = None

    def setDocumentLocator(self, locator: Any) -> None:  # noqa: N802 (the name is SAX's)
        self._locator = locator

    def startElementNS(self, name: tuple[str | None, str], qname: str | None, attrs: Any) -> None:  # noqa: N802
        line, column = self._locator.getLineNumber(), self._locator.getColumnNumber() + 1
        namespace, tag = name
        if namespace != IANA_NAMESPACE:
            raise MalformedFile(
                f"<{tag}> is not of the namespace {IANA_NAMESPACE}, as everything in IANA's registries is.",
                line=line,
                column=column,
            )
        if len(self._open) == MAX_DEPTH:
            raise MalformedFile(f"elements are nested more than {MAX_DEPTH} deep.", line=line, column=column)
        attributes = tuple(sorted((local, value) for (_, local), value in attrs.items()))
        self._open.append(_Open(tag, attributes, line, column))

    def endElementNS(self, name: tuple[str | None, str], qname: str | None) -> None:  # noqa: N802
        element = self._open.pop().close()
        if self._open:
            self._open[-1].content.append(element)
        else:
            self.root = element

    def characters(self, content: str) -> None:
        self._open[-1].content.append(content)


WHITE_SPACE = " \t\r\n"  # XML's own; a no-break space is a letter like others


def _collapse(content: list[str | Element]) -> tuple[str | Element, ...]:
    """Runs of white space become one space, none is left at the ends; indentation between elements goes."""
    parts: list[str | Element] = []
    for is_text, run in groupby(content, key=lambda part: isinstance(part, str)):
        if is_text:
            parts.append(re.sub(f"[{WHITE_SPACE}]+", " ", "".join(map(str, run))))
        else:
            parts.extend(run)
    if all(part == " " for part in parts if isinstance(part, str)):
        return tuple(part for part in parts if isinstance(part, Element))
    if isinstance(parts[0], str):
        parts[0] = parts[0].lstrip(WHITE_SPACE)
    if isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip(WHITE_SPACE)
    return tuple(part for part in parts if part != "")
