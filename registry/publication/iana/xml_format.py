"""Parsing and formatting of IANA's urn-namespaces XML (schema: IANA's `urn-namespaces.rng`).

The records of a list are passed on as they end and are not kept, so a file can have any number of them.
"""

import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from typing import Any, Protocol
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler, ErrorHandler, feature_namespaces
from xml.sax.saxutils import escape, quoteattr

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from registry.core.validators import UNSTORABLE
from registry.publication.iana.imported_records import ImportedRecords
from registry.publication.iana.records import (
    REGISTRY_ID,
    XREF_TYPES,
    Element,
    IanaFile,
    MalformedFile,
    Mixed,
    Record,
    Xref,
)
from urnsyntax.nid import NIDKind, classify

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
    except (
        LookupError,
        ValueError,
    ) as fault:  # of Python's codecs, some of which decode no text, or no single octets
        if builder.seen:
            raise
        raise MalformedFile(
            "the encoding that the file declares can't be read. Use UTF-8.", line=1
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


FORMAL_ID, INFORMAL_ID = f"{REGISTRY_ID}-1", f"{REGISTRY_ID}-2"
TARGET_PATTERNS = {
    "rfc": r"(rfc|bcp|std)[0-9]+",
    "rfc-errata": r"0*[1-9][0-9]*",
    "note": r"0*[1-9][0-9]*",
    "draft": r"(draft|RFC)(-[a-zA-Z0-9]+)+",
    "text": r"",
}
# Elements that IANA's schema allows in the head and in a person.
HEAD_TAGS = frozenset(
    {"metadata", "title", "created", "updated", "registration_rule", "expert", "description", "note"}
    | {"xref", "hide", "category", "range", "file"}
)
PERSON_TAGS = frozenset({"name", "org", "uri", "updated"})


def _malformed(element: Element, reason: str) -> MalformedFile:
    return MalformedFile(reason, line=element.line, column=element.column)


def parse_xml(xml: Readable | bytes) -> IanaFile:
    """Parse one version of the registry. Raises MalformedFile with the position."""
    imported = ImportedRecords()

    def take_record(element: Element, list_id: str) -> None:
        if list_id not in {FORMAL_ID, INFORMAL_ID}:
            raise _malformed(element, f'the registry has no list with id="{list_id}".')
        imported.add(_parse_record(element, is_formal=list_id == FORMAL_ID))

    root = parse_elements(xml, take_record)
    if root.tag != "registry" or root.attribute("id") != REGISTRY_ID:
        opening = f'<{root.tag} id="{root.attribute("id")}">' if root.attribute("id") else f"<{root.tag}>"
        raise _malformed(root, f'the root element is {opening}, not <registry id="{REGISTRY_ID}">.')
    lists = _lists(root)
    head = tuple(each for each in root.children if each.tag not in {"registry", "people"})
    for above in (head, lists[FORMAL_ID].children, lists[INFORMAL_ID].children):
        _check_tags(above, HEAD_TAGS)
    return IanaFile(
        updated=_parse_updated(root),
        records=imported.validated(),
        head=head,
        formal_head=lists[FORMAL_ID].children,
        informal_head=lists[INFORMAL_ID].children,
        people=_people(root),
    )


def _check_tags(elements: Iterable[Element], known: Collection[str]) -> None:
    for each in elements:
        if each.tag not in known:
            raise _malformed(each, f"<{each.tag}> is not allowed here.")


def _people(root: Element) -> tuple[Element, ...]:
    people = tuple(person for each in root.children if each.tag == "people" for person in each.children)
    _check_tags(people, {"person"})
    for person in people:
        _check_tags(person.children, PERSON_TAGS)
        if not person.attribute("id"):
            raise _malformed(person, "a person has an id, which entries refer to.")
    return people


def _lists(root: Element) -> dict[str, Element]:
    """Return the formal and the informal list, by their ids."""
    lists: dict[str, Element] = {}
    for each in root.children:
        if each.tag != "registry":
            continue
        list_id = each.attribute("id")
        if list_id not in {FORMAL_ID, INFORMAL_ID} or list_id in lists:
            raise _malformed(each, f'a list with id="{list_id}" is not expected here.')
        lists[list_id] = each
    for list_id in (FORMAL_ID, INFORMAL_ID):
        if list_id not in lists:
            raise _malformed(root, f'the list <registry id="{list_id}"> is missing.')
    return lists


def _parse_updated(root: Element) -> str:
    found = [each for each in root.children if each.tag == "updated"]
    if len(found) != 1 or not is_date(found[0].text):
        raise _malformed(
            found[0] if found else root,
            "the registry must have one <updated> with a date in the form YYYY-MM-DD.",
        )
    return found[0].text


def is_date(text: str) -> bool:
    """Return whether the text is a valid date in the form YYYY-MM-DD."""
    try:
        return bool(re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text)) and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _checked_date(element: Element, name: str) -> str:
    """Return the date of a record: a day, or a month such as 2016-08."""
    text = element.attribute(name)
    if text and not is_date(text) and not is_date(f"{text}-01"):
        raise _malformed(element, f'{name}="{text}" is not a date in the form YYYY-MM-DD or YYYY-MM.')
    return text


def _parse_record(element: Element, *, is_formal: bool) -> Record:
    if strange := [name for name, _ in element.attributes if name not in {"date", "updated"}]:
        raise _malformed(
            element, f'the attribute "{strange[0]}" is not allowed in a record; only date and updated are.'
        )
    parts: dict[str, list[Element]] = {"name": [], "xref": [], "template": [], "contact": []}
    for each in element.content:
        if isinstance(each, str):
            raise _malformed(
                element, f"the record contains the text “{each.strip()[:40]}” outside an element."
            )
        if each.tag not in parts:
            raise _malformed(each, f"<{each.tag}> is not allowed in a record of a URN namespace.")
        parts[each.tag].append(each)
    for tag in ("name", "template", "contact"):
        if len(parts[tag]) > 1 or (tag == "name" and not parts[tag]):
            raise _malformed(element, f"the record has {len(parts[tag])} elements <{tag}>, not one.")
    name = parts["name"][0]
    check_name(name.text, is_formal=is_formal, line=name.line, column=name.column)
    return Record(
        name=name.text,
        is_formal=is_formal,
        date=_checked_date(element, "date"),
        updated=_checked_date(element, "updated"),
        references=tuple(_parse_xref(each) for each in parts["xref"]),
        template=_parse_mixed(parts["template"]),
        contact=_parse_mixed(parts["contact"]),
        line=element.line,
    )


def check_name(name: str, *, is_formal: bool, line: int, column: int = 0) -> None:
    """Check that a NID is well-formed and in the list of its kind.

    NIDs that Section 5.1 forbids, which IANA once listed, are left to the importer.
    """
    status = classify(name)
    if not status.is_well_formed:
        raise MalformedFile(status.reason, line=line, column=column)
    if status.kind == NIDKind.INFORMAL and len(name) > len("urn-999999999"):
        raise MalformedFile(f"the number of “{name}” is too large.", line=line, column=column)
    if (status.kind == NIDKind.INFORMAL) is is_formal:
        wrong, right = ("formal", "informal") if is_formal else ("informal", "formal")
        raise MalformedFile(
            f"“{name}” is in the list of {wrong} namespaces, but the NID is {right}.",
            line=line,
            column=column,
        )


def _parse_xref(element: Element) -> Xref:
    attributes = dict(element.attributes)
    kind, target = attributes.pop("type", ""), attributes.pop("data", "")
    if kind not in XREF_TYPES:
        raise _malformed(
            element, f'the type "{kind}" is unknown; the types of references are {", ".join(XREF_TYPES)}.'
        )
    if not re.fullmatch(TARGET_PATTERNS.get(kind, r".+"), target):
        raise _malformed(element, f'data="{target}" is not valid in a reference of type "{kind}".')
    if element.children:
        raise _malformed(element.children[0], "a reference can contain only text.")
    return Xref(kind, target, element.text, tuple(sorted(attributes.items())))


def _parse_mixed(found: list[Element]) -> Mixed | None:
    """Return text with embedded references, None if the element is absent."""
    if not found:
        return None
    for each in found[0].children:
        if each.tag != "xref":
            raise _malformed(each, f"<{each.tag}> is not allowed in <{found[0].tag}>.")
    return tuple(part if isinstance(part, str) else _parse_xref(part) for part in found[0].content)


DECLARATION = "<?xml version='1.0' encoding='UTF-8'?>\n"
PROLOG = f"""\
{DECLARATION}<?xml-stylesheet type="text/xsl" href="urn-namespaces.xsl"?>
<?xml-model href="urn-namespaces.rng" schematypens="http://relaxng.org/ns/structure/1.0" ?>
"""


def format_xml(file: IanaFile) -> Iterator[str]:
    """Yield the lines of the file in IANA's form."""
    formal, informal = ([each for each in file.records if each.is_formal is kind] for kind in (True, False))
    yield PROLOG
    yield from write_xml(file, formal, informal)


def write_xml(head: IanaFile, formal: Iterable[Record], informal: Iterable[Record]) -> Iterator[str]:
    """Yield the XML after the prolog: a head and two lists, which are consumed lazily."""
    yield f'<registry xmlns="{IANA_NAMESPACE}" id="{REGISTRY_ID}">\n'
    yield from (format_element(each, "  ") for each in head.head)
    for list_id, list_head, records in (
        (FORMAL_ID, head.formal_head, formal),
        (INFORMAL_ID, head.informal_head, informal),
    ):
        yield f'  <registry id="{list_id}">\n'
        yield from (format_element(each, "    ") for each in list_head)
        yield from (_format_record(record) for record in records)
        yield "  </registry>\n"
    yield "  <people>\n"
    yield from (format_element(person, "    ") for person in head.people)
    yield "  </people>\n</registry>\n"


def format_element(element: Element, indent: str) -> str:
    return f"{indent}{_inline(element)}\n"


def _inline(element: Element) -> str:
    attributes = "".join(f" {name}={quoteattr(_writable(value))}" for name, value in element.attributes)
    content = "".join(
        escape(_writable(part)) if isinstance(part, str) else _inline(part) for part in element.content
    )
    if not content:
        return f"<{element.tag}{attributes}/>"
    return f"<{element.tag}{attributes}>{content}</{element.tag}>"


def _writable(text: str) -> str:
    """The text without characters that no XML can contain (XML 1.0, Section 2.2); a text that was imported as JSON can have some."""
    return UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def _format_record(record: Record) -> str:
    dates = "".join(
        f' {name}="{value}"' for name, value in (("date", record.date), ("updated", record.updated)) if value
    )
    lines = [f"    <record{dates}>", f"      <name>{escape(record.name)}</name>"]
    references = [f"      {_format_xref(xref)}" for xref in record.references]
    if record.template is not None:
        lines.append(f"      <template>{_format_mixed(record.template)}</template>")
    lines += references
    if record.contact is not None:
        lines.append(f"      <contact>{_format_mixed(record.contact)}</contact>")
    return "\n".join([*lines, "    </record>", ""])


def _format_mixed(mixed: Mixed) -> str:
    return "".join(escape(part) if isinstance(part, str) else _format_xref(part) for part in mixed)


def _format_xref(xref: Xref) -> str:
    return _inline(xref_element(xref))


def xref_element(xref: Xref) -> Element:
    data = (("data", xref.target),) if xref.target else ()
    attributes = (("type", xref.type), *data, *xref.attributes)
    content = (xref.label,) if xref.label else ()
    return Element("xref", attributes, content)
