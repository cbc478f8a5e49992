"""Reads official lists of sub-namespaces: CSV, and the registries that IANA publishes as XML.

The rows have the members of a line of a list (see docs/subnamespaces.md). Only facts are read: names, titles, references
and marks such as "deprecated". Names of people, contacts and notes are not.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.parsers import expat  # nosec B407  # a file with a document type, and so with entities, is refused

from ... import csv_cells
from .history import END_OF_DATE

Row = dict[str, Any]
"""A line of a list: the members of `MEMBERS` that have a value, in their order."""

OBJECTS = ("names", "services", "fields", "history")
"""The members that are no texts. In a CSV file, they are written as JSON."""

MEMBERS = (
    "prefix",
    "title",
    "holder",
    "status",
    "successor",
    "reference",
    "url",
    "source",
    "as_of",
    *OBJECTS,
)
MAX_LIST = 32 * 1024 * 1024
"""The octets of a list that is read; the longest of IANA has 180,000."""


class InvalidListFile(ValueError):
    """A file that is no list of sub-namespaces. `line` counts from 1, and is 0 if no line is known."""

    def __init__(self, reason: str, advice: str, *, line: int = 0) -> None:
        super().__init__(reason, advice)
        self.reason, self.advice, self.line = reason, advice, line

    def __str__(self) -> str:
        place = f"Line {self.line}: " if self.line else ""
        return f"{place}{self.reason} {self.advice}"


def read_csv(text: str, *, source: str = "", as_of: str = "") -> list[Row]:
    """The rows of a CSV file with a header that names members. Raises `InvalidListFile`.

    An apostrophe before a text that a spreadsheet takes for a formula is no part of the text (`urnsyntax.csv_cells`).
    `source` and `as_of` are for rows that do not state their own.

    >>> read_csv("prefix,title,holder\\nde:bvb,Bavarian library network,\\n", source="Example", as_of="2026-08-22")
    [{'prefix': 'de:bvb', 'title': 'Bavarian library network', 'source': 'Example', 'as_of': '2026-08-22'}]
    """
    rows = []
    for _, row in csv_rows(text):
        if isinstance(row, InvalidListFile):
            raise row
        rows.append(_in_order({"source": source, "as_of": as_of} | row))
    return rows


def csv_rows(
    text: str, members: Sequence[str] = MEMBERS, required: Sequence[str] = ("prefix", "title")
) -> Iterator[tuple[int, Row | InvalidListFile]]:
    """The rows of a CSV file with a header that names some of `members`, or what is wrong, each with the number of its line.

    Raises `InvalidListFile` if the rest of the file can't be read.
    """
    lines = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        header = next(lines, [])
        _check_header(header, members, required)
        for values in lines:
            try:
                yield lines.line_num, _row_of(header, values, lines.line_num, required)
            except InvalidListFile as fault:
                yield lines.line_num, fault
    except csv.Error as error:
        reason = f"This is not CSV ({error})."
        raise InvalidListFile(reason, "Quote values with commas or quotes.", line=lines.line_num) from None


def _row_of(header: Sequence[str], values: Sequence[str], line: int, required: Sequence[str]) -> Row:
    if len(values) != len(header):
        reason = f"The row has {len(values)} columns, the header {len(header)}."
        raise InvalidListFile(reason, "Write one value for each column.", line=line)
    stated = {
        name: _value(name, value, line) for name, value in zip(header, values, strict=True) if value.strip()
    }
    if not all(stated.get(name) for name in required):
        reason = f"The {' or the '.join(required)} is missing."
        raise InvalidListFile(reason, "Write both in each row.", line=line)
    return stated


def _value(name: str, text: str, line: int) -> Any:
    if name not in OBJECTS:
        return csv_cells.read(text.strip())
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidListFile(
            f"The value of “{name}” is not JSON.", "Write it as in JSON Lines.", line=line
        ) from None


def _check_header(header: Sequence[str], members: Sequence[str], required: Sequence[str]) -> None:
    if unknown := [name for name in header if name not in members]:
        reason = f"The column “{unknown[0][:60]}” is unknown."
        raise InvalidListFile(reason, f"Use some of: {', '.join(members)}.", line=1)
    if not set(required) <= set(header) or len(set(header)) < len(header):
        advice = f"Name the columns in the first line: {', '.join(required)}, and others once each."
        raise InvalidListFile("A column is missing or repeated.", advice, line=1)


def _in_order(row: Row) -> Row:
    return {name: row[name] for name in MEMBERS if row.get(name, "") not in ("", [])}


# IANA


class IanaList(NamedTuple):
    """How the records of one registry of IANA are read.

    `registry` is its id. `name` and `title` are the elements of a record with the name and its title, "" if records have
    no title. `prefix` is put before the name; without it, names are whole URNs, and other names are left out.
    """

    registry: str
    name: str = "value"
    title: str = ""
    prefix: str = ""


_PARAMS = "urn:ietf:params:"

IANA_LISTS: dict[str, tuple[IanaList, ...]] = {
    "params": (
        IanaList("urn-subnamespaces", "name", prefix="urn:ietf:"),
        IanaList("params-1", "name", prefix=_PARAMS),
    ),
    "xml-registry": (
        IanaList("publicid", "name", title="value"),
        IanaList("ns", "name", title="value"),
        IanaList("schema", "name", title="value"),
        IanaList("rdfschema", "name", title="value"),
    ),
    "yang-parameters": (IanaList("yang-parameters-1", "namespace", title="name"),),
    "oauth-parameters": (IanaList("uri", "urn", title="name"),),
    "scim": tuple(
        IanaList(each, title="description") for each in ("data-resources", "server-related", "event")
    ),
    "netconf-capability-urns": (IanaList("netconf-capability-urns-1", "identifier"),),
    "restconf-capability-urns": (IanaList("restconf-index-urns", "identifier"),),
    "tzdist-identifiers": (IanaList("identifiers"),),
    "webpush-parameters": (IanaList("identifiers"),),
    "jmap": (
        IanaList("jmap-capabilities", "name"),
        IanaList("jmap-error-codes", "name", prefix=f"{_PARAMS}jmap:error:"),
    ),
    "whip": (IanaList("whip-urns"), IanaList("whip-extension-urns")),
    "mud": (IanaList("mud-well-known-urn"),),
    "rolie": (IanaList("rolie-urn-parameters", "description"),),
    "imdn": (IanaList("imdn-1", prefix=f"{_PARAMS}imdn:"),),
    "cpim-headers": (IanaList("cpim-headers-1", prefix=f"{_PARAMS}cpim-headers:"),),
    "geopriv-identifiers": (IanaList("ids", "name", title="description"),),
    "rtp-parameters": (
        IanaList("rtp-parameters-10", "name", title="description"),
        IanaList("sdes-compact-header-extensions", "name", title="description"),
    ),
    "dskpp": (IanaList("prf-alg-id", "uri", title="name"), IanaList("keys", "uri", title="name")),
    "pskc": (IanaList("alg-profiles", "uri", title="name"),),
    "ecml-parameters": (IanaList("ecml-parameters-1", prefix=f"{_PARAMS}ecml:"),),
    "acme": (IanaList("acme-error-types", "type", prefix=f"{_PARAMS}acme:error:"),),
    "urn-serviceid-labels": tuple(
        IanaList(each, "name", title="description", prefix="urn:service:")
        for each in (
            "urn-serviceid-labels-1",
            "urn-serviceid-labels-2",
            "urn-serviceid-labels-3",
            "test-subservices",
        )
    ),
    "alert-urns": (IanaList("identifiers", prefix="urn:alert:"),),
}
"""The registries of IANA that list names of URN namespaces, by the id of the file."""


def read_iana(xml: bytes, nid: str, *, as_of: str = "") -> list[Row]:
    """The sub-namespaces of a NID in a file of IANA, sorted by prefix. Raises `InvalidListFile`.

    `as_of` is the day of the copy, such as "2026-08-22"; without it, the day on which IANA changed the file. A name that is
    listed several times has the references of its last record.
    """
    file = _parse(xml)
    if file.id not in IANA_LISTS:
        reason = f"The registry “{file.id[:60]}” of IANA is not known."
        raise InvalidListFile(reason, f"Use one of: {', '.join(IANA_LISTS)}.")
    rows: dict[str, Row] = {}
    for each in IANA_LISTS[file.id]:
        title = file.titles.get(each.registry, "")
        source = f"IANA: {file.title}" if title in {"", file.title} else f"IANA: {file.title}, {title}"
        for record in file.records.get(each.registry, ()):
            if row := _row(record, each, nid):
                row |= {"source": source, "as_of": as_of or file.updated, "history": _history(record)}
                rows[row["prefix"]] = _in_order(row)
    return [rows[prefix] for prefix in sorted(rows)]


@dataclass
class _Record:
    """The dates of a record by attribute, its texts by element, and its references, each as type, target and label."""

    dates: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    references: list[tuple[str, str, str]] = field(default_factory=list)


class _File:
    """A file of IANA: the titles and the records of its registries, by their ids."""

    def __init__(self) -> None:
        self.id = self.updated = ""
        self.titles: dict[str, str] = {}
        self.records: dict[str, list[_Record]] = {}
        self._registries: list[str] = []
        self._open: list[tuple[str, dict[str, str], list[str]]] = []
        self._record: _Record | None = None

    @property
    def title(self) -> str:
        return self.titles.get(self.id, "")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "registry":
            self._registries.append(attributes.get("id", ""))
            self.id = self.id or self._registries[0]
        elif tag == "record":
            self._record = _Record(attributes)
        self._open.append((tag, attributes, []))

    def text(self, text: str) -> None:
        if self._open:
            self._open[-1][2].append(text)

    def end(self, tag: str) -> None:
        _, attributes, texts = self._open.pop()
        text = " ".join("".join(texts).split())
        parent = self._open[-1] if self._open else ("", {}, [])
        if tag == "record":
            if self._registries:
                self.records.setdefault(self._registries[-1], []).append(self._record or _Record())
            self._record = None
        elif tag == "registry":
            self._registries.pop()
        elif self._record is None:
            if parent[0] == "registry" and tag == "title":
                self.titles[self._registries[-1]] = text
            elif tag == "updated" and len(self._open) == 1:
                self.updated = text
        elif tag == "xref":
            if parent[0] in {"record", "reference", "spec"}:
                self._record.references.append((attributes.get("type", ""), attributes.get("data", ""), text))
        elif parent[0] == "record":
            self._record.texts[tag] = text


def _parse(xml: bytes) -> _File:
    if len(xml) > MAX_LIST:
        raise InvalidListFile(f"The file has {len(xml):,} octets.", f"The limit is {MAX_LIST:,}.")
    file = _File()
    parser = expat.ParserCreate(namespace_separator=" ")

    def refuse_document_type(*_: object) -> None:
        reason = "The file declares a document type, which could contain entities without end."
        raise InvalidListFile(reason, "Remove it.", line=parser.CurrentLineNumber)

    parser.StartDoctypeDeclHandler = refuse_document_type
    parser.StartElementHandler = lambda tag, attributes: file.start(tag.rpartition(" ")[2], attributes)
    parser.EndElementHandler = lambda tag: file.end(tag.rpartition(" ")[2])
    parser.CharacterDataHandler = file.text
    try:
        parser.Parse(xml, True)
    except expat.ExpatError as error:
        reason = f"The XML is not well-formed ({expat.ErrorString(error.code)})."
        raise InvalidListFile(reason, "Get the complete file.", line=error.lineno) from None
    except InvalidListFile:
        raise
    except (LookupError, ValueError):  # of Python's codecs
        reason = "The encoding that the file declares cannot be read."
        raise InvalidListFile(reason, "Use UTF-8.", line=1) from None
    return file


_NAME = re.compile(r"([^\s<>]+)(?:\s*<[^>]*>)?(?:\s+\(([^)]*)\))?")
_MARKS = {"DEPRECATED": "deprecated", "OBSOLETE": "retired", "OBSOLETED": "retired", "HISTORIC": "retired"}
_MARKED = re.compile(r"\s+\((?:DEPRECATED|OBSOLETED?|HISTORIC)\)", re.IGNORECASE)
_DAY = re.compile("[0-9]{4}-[0-9]{2}(-[0-9]{2})?")
_LONGEST_TITLE = 80  # A longer description is a sentence, and no title.


def _row(record: _Record, how: IanaList, nid: str) -> Row | None:
    """The row of a record; None if the record names nothing, or a name of another namespace."""
    found = _NAME.fullmatch(record.texts.get(how.name, ""))
    start = f"urn:{nid}:"
    if not found or not (name := how.prefix + found[1]).lower().startswith(start):
        return None
    title = _MARKED.sub("", record.texts.get(how.title, "")) if how.title else ""
    references, url = _references(record)
    prefix = name[len(start) :].rstrip(":.")
    if not prefix:
        return None
    return {
        "prefix": prefix,
        "title": title if 0 < len(title) <= _LONGEST_TITLE else _last_label(prefix),
        "status": _status(record, found[2] or ""),
        "reference": references,
        "url": url,
    }


def _history(record: _Record) -> list[dict[str, str]]:
    """When a record was registered and last changed, as far as its attributes say."""
    registered, updated = (record.dates.get(name, "") for name in ("date", "updated"))
    dated = [(registered, "registered"), (updated if updated > registered else "", "changed")]
    return [{"date": day, "change": change} for day, change in dated if _DAY.fullmatch(day)]


def _last_label(prefix: str) -> str:
    """The last label of a prefix, such as "police" or, because a version alone says nothing, "candidate 1.0"."""
    return re.split("[:.](?![0-9.]+$)", prefix)[-1].replace(":", " ")


def _status(record: _Record, mark: str) -> str:
    """ "" for an active name; marks stand after the name, before the notes, or in an element of their own."""
    notes = f"{record.texts.get('notes', '')} {record.texts.get('note', '')}".split()
    if record.texts.get("deprecated", "").upper() == "TRUE":
        return "deprecated"
    return _MARKS.get(mark.upper(), "") or _MARKS.get(notes[0].strip(".:()") if notes else "", "")


def _references(record: _Record) -> tuple[str, str]:
    """The references in words, such as "RFC 8620, Section 9.4", and the first web address among them."""
    words, url = [], ""
    for kind, target, label in record.references:
        if kind == "rfc":
            section = re.fullmatch(r"RFC ?[0-9]+(, Sections? [^()]+)", label)
            words.append(f"{target[:3].upper()} {target[3:]}{section[1] if section else ''}")
        elif kind == "draft":
            words.append(target)
        elif kind == "uri":
            words += [label] if label else []
            url = url or (target if target.startswith(("https://", "http://")) else "")
    return "; ".join(dict.fromkeys(words)), url


# Comparing


class Difference(NamedTuple):
    """What a new list changes: rows that it adds, pairs of an old and a new row that differ, and rows that it lacks."""

    added: tuple[Row, ...]
    changed: tuple[tuple[Row, Row], ...]
    gone: tuple[Row, ...]


def difference(
    old: Iterable[Row], new: Iterable[Row], normalize: Callable[[str], str] = str.lower
) -> Difference:
    """What a new list changes, in the order of the lists. The day on which a list was read does not count.

    `normalize` makes equivalent prefixes equal; it depends on the namespace.
    """
    olds = {normalize(row["prefix"]): row for row in old}
    news = {normalize(row["prefix"]): row for row in new}
    changed = [(olds[key], row) for key, row in news.items() if key in olds]
    return Difference(
        added=tuple(row for key, row in news.items() if key not in olds),
        changed=tuple((one, other) for one, other in changed if _undated(one) != _undated(other)),
        gone=tuple(row for key, row in olds.items() if key not in news),
    )


def _undated(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "as_of"}


def refreshed(
    old: Iterable[Row], read: Iterable[Row], normalize: Callable[[str], str] = str.lower
) -> list[Row]:
    """A list with what was read again from some of its sources, sorted by prefix.

    Rows of other sources, or that state none, stay. Of a row that was read again, what the curators of the list wrote stays: its
    title and all that the source does not state. Its history is only added to. A row that its source no longer has is retired,
    because a prefix is never assigned again.
    """
    rows = {normalize(row["prefix"]): row for row in old}
    news = {normalize(row["prefix"]): row for row in read}
    sources = {row["source"] for row in news.values() if row.get("source")}
    for key, row in rows.items():
        if key not in news and row.get("source") in sources:
            rows[key] = row | {"status": "retired"}
    for key, row in news.items():
        if key not in rows:
            rows[key] = row
        elif rows[key].get("source") in sources:
            rows[key] = _renewed(rows[key], row)
    return sorted(rows.values(), key=lambda row: row["prefix"])


def _renewed(old: Row, new: Row) -> Row:
    kept = {name: value for name, value in old.items() if name != "status"}
    known, stated = old.get("history", []), new.get("history", [])
    return _in_order(kept | new | {"title": old["title"], "history": [*known, *_later(stated, known)]})


def _later(stated: list[Row], known: list[Row]) -> list[Row]:
    """The records after those that are known. A date within the year or month of a known one may be the same, told more exactly."""
    if not known:
        return stated
    if known[-1]["change"] == "retired":
        return []
    end = max(each["date"] for each in known) + END_OF_DATE
    return [each for each in stated if each["date"] > end and each["change"] != "registered"]
