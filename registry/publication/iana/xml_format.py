"""Parsing and formatting of IANA's urn-namespaces XML (schema: IANA's `urn-namespaces.rng`)."""

import re
from collections.abc import Collection, Iterable, Iterator
from datetime import date
from xml.sax.saxutils import escape, quoteattr

from registry.publication.iana.errors import MalformedFile
from registry.publication.iana.imported_records import ImportedRecords
from registry.publication.iana.records import REGISTRY_ID, XREF_TYPES, Element, IanaFile, Mixed, Record, Xref
from registry.publication.iana.xml_parser import IANA_NAMESPACE, Readable, parse_elements
from urnsyntax.nid import NIDKind, classify

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


PROLOG = """\
<?xml version='1.0' encoding='UTF-8'?>
<?xml-stylesheet type="text/xsl" href="urn-namespaces.xsl"?>
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
    yield from (_format_element(each, "  ") for each in head.head)
    for list_id, list_head, records in (
        (FORMAL_ID, head.formal_head, formal),
        (INFORMAL_ID, head.informal_head, informal),
    ):
        yield f'  <registry id="{list_id}">\n'
        yield from (_format_element(each, "    ") for each in list_head)
        yield from (_format_record(record) for record in records)
        yield "  </registry>\n"
    yield "  <people>\n"
    yield from (_format_element(person, "    ") for person in head.people)
    yield "  </people>\n</registry>\n"


def _format_element(element: Element, indent: str) -> str:
    return f"{indent}{_inline(element)}\n"


def _inline(element: Element) -> str:
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in element.attributes)
    content = "".join(escape(part) if isinstance(part, str) else _inline(part) for part in element.content)
    if not content:
        return f"<{element.tag}{attributes}/>"
    return f"<{element.tag}{attributes}>{content}</{element.tag}>"


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
    data = (("data", xref.target),) if xref.target else ()
    attributes = (("type", xref.type), *data, *xref.attributes)
    content = (xref.label,) if xref.label else ()
    return _inline(Element("xref", attributes, content))
