"""A register as files: the list of its sub-namespaces, IANA's XML form, and one self-contained HTML page.

All files of a register have the same rows in the same order: the entries, and what is listed below them. They are streamed, so memory
use does not depend on their number. No file has the address of a person.
"""

import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import escape

from registry.core.http.urls import absolute_url, public_url
from registry.core.links import link, with_links
from registry.publication.iana.records import Element, Xref
from registry.publication.iana.xml_format import (
    DECLARATION,
    IANA_NAMESPACE,
    format_element,
    xref_element,
)
from registry.registers.branches import rows_in
from registry.registers.conditions import faults_of
from registry.registers.fields import ShownValue, shown_values
from registry.registers.models import Register
from registry.subnamespaces.exports import CHUNK, LIST_FILES, in_order_of_files
from registry.subnamespaces.models import ListVersion, ReplacedSubNamespace, SubNamespace

Lines = Callable[[Register], Iterator[str]]


# The rows


@dataclass(frozen=True, slots=True)
class PublishedEntry:
    """A row of a file. `listed_on` is the day on which the list got it, and `changed_on` that of its last change here, if any."""

    row: SubNamespace
    listed_on: date
    changed_on: date | None

    @property
    def page(self) -> str:
        return absolute_url(self.row.get_absolute_url())

    @property
    def stated(self) -> Mapping[str, Any]:
        """The members of `urnsyntax.profiles.subnamespaces`."""
        stated: Mapping[str, Any] = self.row.content
        return stated

    @property
    def registered_before(self) -> str:
        """The date on which it was registered before it was listed here, as the holder of the list states it; "" if none is stated."""
        past = self.stated.get("history")
        return past[0]["date"] if past and past[0]["change"] == "registered" else ""

    @property
    def dates(self) -> dict[str, str]:
        """Those of IANA's form: when it was registered, and its last change, here or before. They have at least a month."""
        past = self.stated.get("history", ())
        last = past[-1]["date"] if past and past[-1]["change"] != "registered" else ""
        found = {
            "date": self.registered_before if past else self.listed_on.isoformat(),
            "updated": self.changed_on.isoformat() if self.changed_on else last,
        }
        return {name: each for name, each in found.items() if "-" in each}

    @property
    def reference(self) -> Xref | None:
        """The specification, in the form of IANA's references."""
        return reference_of(self.row.content)


_NUMBERED = re.compile(
    r"(RFC|BCP|STD) ?([1-9][0-9]*)(?:, Section ([0-9A-Z]{1,5}(?:\.[0-9]{1,5}){0,9}))?", re.ASCII
)
# The characters of a URI (RFC 3986, Section 2).
_ADDRESS = re.compile(
    r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]+)?(?:[/?#](?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?"
)


def reference_of(content: Mapping[str, Any]) -> Xref | None:
    """The document that defines a sub-namespace; None if none is stated. A text that is neither an RFC nor an address stays one."""
    reference, url = content.get("reference", ""), content.get("url", "")
    if _ADDRESS.fullmatch(url):
        return Xref("uri", url, reference)
    if numbered := _NUMBERED.fullmatch(reference):
        series, number, section = numbered.groups()
        return Xref("rfc", f"{series.lower()}{number}", attributes=(("section", section),) if section else ())
    if _ADDRESS.fullmatch(reference):
        return Xref("uri", reference)
    stated = ": ".join(filter(None, [reference, url]))
    return Xref("text", "", stated) if stated else None


Values = Callable[[PublishedEntry], list[ShownValue]]


def published_entries(register: Register) -> Iterator[PublishedEntry]:
    """Stream the rows of a register."""
    namespace = register.namespace
    replaced = ReplacedSubNamespace.objects.filter(subnamespace=OuterRef("pk")).order_by("version")
    first = Coalesce(Subquery(replaced.values("version")[:1]), F("version"))
    rows = in_order_of_files(rows_in(register)).annotate(first=first)
    rows = rows.annotate(listed_at=_set_at(register, "first"), set_at=_set_at(register, "version"))
    for row in rows.iterator(chunk_size=CHUNK):
        row.namespace = namespace
        is_changed = row.first != row.version
        yield PublishedEntry(row, row.listed_at.date(), row.set_at.date() if is_changed else None)


def _values_in(register: Register) -> Values:
    """The function that reads the values of the register's own fields in a row, with their labels.

    A row below an entry can be of another register, whose fields have the same names: its values have no labels.
    """
    declared, place = register.declared, register.place

    def values_of(entry: PublishedEntry) -> list[ShownValue]:
        stored = entry.stated.get("fields")
        if not stored:
            return []
        return shown_values(declared if place.is_direct(entry.row.key) else (), stored)

    return values_of


def _set_at(register: Register, version: str) -> Subquery:
    """The time of the version of the list that a column names."""
    found = ListVersion.objects.filter(namespace=register.namespace, version=OuterRef(version))
    return Subquery(found.values("set_at"))


# IANA's XML form


def _lines_of_xml(register: Register) -> Iterator[str]:
    own_id = stem_of(register)
    schema = public_url("publication:register_schema")
    yield DECLARATION
    yield f'<?xml-model href="{schema}" schematypens="http://relaxng.org/ns/structure/1.0" ?>\n'
    yield f'<registry xmlns="{IANA_NAMESPACE}" id="{own_id}">\n'
    yield from (format_element(each, "  ") for each in _head(register))
    yield f'  <registry id="{own_id}-1">\n'
    yield from (format_element(each, "    ") for each in _head_of_entries(register))
    values_of = _values_in(register)
    yield from (_record(each, values_of(each)) for each in published_entries(register))
    yield "  </registry>\n  <people/>\n</registry>\n"


def _element(tag: str, *content: str | Element, **attributes: str) -> Element:
    return Element(tag, tuple(attributes.items()), content)


def _head(register: Register) -> Iterator[Element]:
    version = _list_version(register)
    yield _element("title", register.title)
    yield _element("created", register.opened_at.date().isoformat())
    changes = [register.changed_at, register.suspended_at, version and version.set_at]
    yield _element("updated", max(each for each in changes if each).date().isoformat())
    about = f"What stands directly below {register.name}. Its holder is {register.held_by}."
    yield _element("description", about)
    yield from (_element("note", each, title="State") for each in faults_of(register))
    yield xref_element(Xref("uri", absolute_url(register.get_absolute_url()), register.source))


def _head_of_entries(register: Register) -> Iterator[Element]:
    terms = register.terms
    rfc = xref_element(Xref("rfc", "rfc8126", attributes=(("section", terms.section),)))
    yield _element("title", f"Entries: {register.entry_name}")
    yield _element("registration_rule", f"{terms.label.title()} (", rfc, ")")
    yield _element("note", terms.meaning, title="Policy")
    if register.guidance:
        yield _element("note", register.guidance, title="Guidance")


def _record(entry: PublishedEntry, values: list[ShownValue]) -> str:
    stated, reference = entry.stated, entry.reference
    members = [
        _element("value", entry.row.prefix),
        _element("description", entry.row.title),
        _element("status", entry.row.status),
    ]
    if successor := stated.get("successor"):
        members.append(_element("successor", successor))
    if reference is not None:
        members.append(xref_element(reference))
    if holder := stated.get("holder"):
        members.append(_element("controller", holder))
    members += [_element("note", each.value, title=each.label) for each in values]
    attributes = "".join(f' {name}="{value}"' for name, value in entry.dates.items())
    inside = "".join(format_element(each, "      ") for each in members)
    return f"    <record{attributes}>\n{inside}    </record>\n"


# The page for the site of a holder

# Quotes and angle brackets would be escaped in the template, which states the colour schemes.
STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8888; padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
tbody th { font-family: ui-monospace, monospace; font-weight: 400; }
div { overflow-x: auto; }
a, code, h1, p, th, td { overflow-wrap: anywhere; }
#guidance { white-space: pre-line; }
@media (max-width: 40rem) {
  table, tbody, tr, th, td { display: block; }
  thead { display: none; }
  tr { border-bottom: 1px solid #8888; padding: .5rem 0; }
  tbody th, td { border: 0; }
  td::before { content: attr(data-label); display: block; font-size: .875rem; font-weight: 600; }
  td:empty::before { content: none; }
}
@media print {
  body { max-width: none; padding: 0; }
  div { overflow: visible; }
  tr { break-inside: avoid; }
}
"""
# Where the rows stand in the page. No escaped text contains a comment.
PLACE_OF_ROWS = "<!-- rows -->"


def _lines_of_page(register: Register) -> Iterator[str]:
    version = _list_version(register)
    context = {
        "register": register,
        "namespace": register.namespace,
        "terms": register.terms,
        "faults": faults_of(register),
        "changed_on": register.changed_at.date().isoformat(),
        "version": version,
        "has_rows": _has_rows(register),
        "listed_on": version and version.set_at.date().isoformat(),
        "style": STYLE,
        "page": absolute_url(register.get_absolute_url()),
    }
    before, _, after = render_to_string("registers/standalone.html", context).partition(PLACE_OF_ROWS)
    yield before
    values_of = _values_in(register)
    yield from (_row_of_page(each, values_of(each)) for each in published_entries(register))
    yield after


def _row_of_page(entry: PublishedEntry, values: list[ShownValue]) -> str:
    """A row as HTML. A template takes several times as long, which matters with 100,000 of them."""
    row, successor, holder = entry.row, entry.stated.get("successor"), entry.stated.get("holder")
    held = f"<br><small>Holder: <bdi>{escape(holder)}</bdi></small>" if holder else ""
    held += "".join(_shown(each) for each in values)
    instead = f"; use {escape(successor)}" if successor else ""
    changed = f", changed <time>{entry.changed_on}</time>" if entry.changed_on else ""
    if entry.registered_before:
        changed += f", first registered <time>{entry.registered_before}</time>"
    return (
        f'<tr id="prefix-{escape(row.prefix)}">'
        f'<th scope="row"><a href="{escape(entry.page)}">{escape(row.prefix)}</a></th>'
        f'<td data-label="Title" dir="auto">{escape(row.title)}{held}</td>'
        f'<td data-label="Specification" dir="auto">{_linked_reference(entry)}</td>'
        f'<td data-label="Status">{escape(row.status)}{instead}</td>'
        f'<td data-label="Listed"><time>{entry.listed_on}</time>{changed}</td></tr>\n'
    )


def _shown(field: ShownValue) -> str:
    """A value below the title, with its lines and links."""
    value = with_links(field.value).replace("\n", "<br>")
    return f"<br><small>{escape(field.label)}: <bdi>{value}</bdi></small>"


def _linked_reference(entry: PublishedEntry) -> str:
    reference = entry.reference
    if reference is None:
        return ""
    if not reference.url:
        return with_links(reference.label)
    text = entry.stated.get("reference") or reference.display_text
    return link(text, reference.url)


# The files


@dataclass(frozen=True, slots=True)
class RegisterForm:
    """A form in which a register is published."""

    suffix: str
    label: str
    description: str
    media_type: str
    write: Lines


@dataclass(frozen=True, slots=True)
class RegisterFile:
    """A file of a register: its name, its path on this site, what it is for, and its lines, if they are written here."""

    name: str
    path: str
    label: str
    description: str
    media_type: str
    lines: Callable[[], Iterator[str]] | None

    @property
    def url(self) -> str:
        return absolute_url(self.path)


def _lines_of_list(suffix: str, register: Register) -> Iterator[str]:
    return LIST_FILES[suffix].lines(rows_in(register))


FORMS = (
    RegisterForm(
        "html",
        "HTML page",
        "One page without other files, for the site of the holder.",
        "text/html; charset=utf-8",
        _lines_of_page,
    ),
    RegisterForm(
        "csv",
        "CSV",
        "A table for spreadsheets.",
        LIST_FILES["csv"].media_type,
        partial(_lines_of_list, "csv"),
    ),
    RegisterForm(
        "jsonl",
        "JSON Lines",
        "One JSON object a line, for programs.",
        LIST_FILES["jsonl"].media_type,
        partial(_lines_of_list, "jsonl"),
    ),
    RegisterForm(
        "xml",
        "XML",
        "The form of the registries of IANA, for programs that read those.",
        "application/xml",
        _lines_of_xml,
    ),
)


def stem_of(register: Register) -> str:
    """The names of the files of a register, without their ends. No NID contains a dot."""
    below = f".{register.entry_id}" if register.entry_id else ""
    return f"register-of-{register.namespace.nid}{below}"


def register_files(register: Register) -> list[RegisterFile]:
    """The files of a register. Those of the list of sub-namespaces exist from the first entry on.

    Below a namespace, these are the files of its whole list.
    """
    return list(_files_of(register))


def _files_of(register: Register) -> Iterator[RegisterFile]:
    nid, has_rows = register.namespace.nid, _has_rows(register)
    for form in FORMS:
        is_list = form.suffix in LIST_FILES
        if is_list and not has_rows:
            continue
        lines: Callable[[], Iterator[str]] | None = None
        if is_list and register.entry is None:
            name = f"{nid}.{form.suffix}"
            path = reverse("publication:subnamespaces", args=[nid, name])
        else:
            name, lines = f"{stem_of(register)}.{form.suffix}", partial(_written_now, register.pk, form.write)
            path = reverse("publication:register_file", kwargs={**register.address, "file": name})
        yield RegisterFile(name, path, form.label, form.description, form.media_type, lines)


def _has_rows(register: Register) -> bool:
    return rows_in(register).exists() if register.entry else register.namespace.has_subnamespaces


def state_of(register: Register) -> Hashable:
    """What the files of a register depend on now: the versions of its texts and of its list, and what others set."""
    now, version = _read(register.pk), _list_version(register)
    return (
        now.version,
        now.held_by,
        now.entry_name,
        now.place.before,
        now.suspended_at,
        *faults_of(now),
        version and version.digest,
    )


def _written_now(number: int, write: Lines) -> Iterator[str]:
    """The lines of the state in which the file is written, which may be newer than that in which it was asked for."""
    yield from write(_read(number))


def _read(number: int) -> Register:
    related = ("namespace__organisation", "namespace__profile", "entry__subnamespace")
    of_branch = ("branch__organisation", "branch__subnamespace")
    found = Register.objects.select_related(*related, *of_branch).get(pk=number)
    if found.branch is not None:
        found.branch.register.namespace = found.namespace
    return found


def _list_version(register: Register) -> ListVersion | None:
    return register.namespace.subnamespace_list_versions.last()
