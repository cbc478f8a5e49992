"""IANA's urn-namespaces registry as values, exactly as in its files, and errors in files with their positions."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from registry.core.exceptions import RegistryError


class MalformedFile(RegistryError):
    """The file is malformed. `line` and `column` count from 1, or are 0 if unknown."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The file is malformed"

    def __init__(self, reason: str, *, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line, self.column = reason, line, column
        self.name = ""

    def __str__(self) -> str:
        place = f", line {self.line}" if self.line else ""
        place += f", column {self.column}" if self.column else ""
        return f"{self.name}{place}: {self.reason}" if self.name else f"{self.reason}{place}"


class NothingToRead(RegistryError):
    """The file does not exist, or the directory contains no file of the registry."""

    status = HTTPStatus.NOT_FOUND
    title = "Nothing to import"

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")


class URLNotAllowed(RegistryError):
    """The registry does not download from this URL."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This URL is not allowed"

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url!a}: {reason}")


class DownloadFailed(RegistryError):
    """The download failed or was incomplete."""

    status = HTTPStatus.BAD_GATEWAY
    title = "The download failed"

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{url}: {reason}")


REGISTRY_ID = "urn-namespaces"
XREF_TYPES = ("uri", "rfc", "rfc-errata", "draft", "registry", "person", "text", "note", "unicode")


@dataclass(frozen=True, slots=True)
class Xref:
    """A reference. `label` is its text, if any; `attributes` are section, page, lastupdated …"""

    type: str
    target: str = ""
    label: str = ""
    attributes: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """Return the form in the audit log and in reports: `uri:https://example.org/[Example]`."""
        inside = "".join(f";{name}={value}" for name, value in self.attributes)
        return f"{self.type}:{self.target}{inside}" + (f"[{self.label}]" if self.label else "")

    @property
    def display_text(self) -> str:
        """Return the label of IANA's tables and CSV files, without brackets."""
        if self.type == "person":
            return self.target
        if self.label:
            return self.label
        if self.type == "rfc":
            return self.target.upper()
        return f"RFC Errata {self.target}" if self.type == "rfc-errata" else self.target

    @property
    def url(self) -> str:
        """Return the URL of the reference, "" if it has none."""
        match self.type:
            case "uri":
                return self.target if re.match(r"https?://", self.target) else ""
            case "rfc":
                return _rfc_url(self.target) + "".join(
                    f"#{name}-{value}" for name, value in self.attributes if name in {"section", "appendix"}
                )
            case "rfc-errata":
                return f"https://www.rfc-editor.org/errata/eid{self.target}"
            case "draft":
                return f"https://datatracker.ietf.org/doc/html/{draft_name(self.target)}"
            case "registry":
                return f"https://www.iana.org/assignments/{self.target}"
        return ""

    def to_json(self) -> dict[str, str]:
        return {"type": self.type, "data": self.target, "label": self.label, **dict(self.attributes)}

    @classmethod
    def from_json(cls, stored: dict[str, str]) -> "Xref":
        attributes = tuple((name, stored[name]) for name in sorted(stored.keys() - {"type", "data", "label"}))
        return cls(stored["type"], stored["data"], stored["label"], attributes)


def _rfc_url(number: str) -> str:
    folder = "rfc" if number.startswith("rfc") else "info"
    return f"https://www.rfc-editor.org/{folder}/{number}"


def draft_name(target: str) -> str:
    """Return the Internet-Draft of `RFC-ietf-core-dev-urn-11`, an approved RFC without a number."""
    return re.sub(r"^RFC-(draft-)?", "draft-", target)


# Text with references in between, in order: what IANA's schema calls text_with_references.
Mixed = tuple[str | Xref, ...]


def xrefs_in(mixed: Mixed | None) -> Iterator[Xref]:
    return (part for part in mixed or () if isinstance(part, Xref))


def mixed_to_json(mixed: Mixed | None) -> list[Any] | None:
    if mixed is None:
        return None
    return [part.to_json() if isinstance(part, Xref) else part for part in mixed]


def mixed_from_json(stored: list[Any] | None) -> Mixed | None:
    if stored is None:
        return None
    return tuple(part if isinstance(part, str) else Xref.from_json(part) for part in stored)


def mixed_as_line(mixed: Iterable[str | Xref] | None) -> str:
    """Return a mixed text as one line, for reports and for the audit log."""
    if mixed is None:
        return ""
    return " ".join(str(part) for part in mixed) or "(empty)"


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the head of a file, or a person, stored and published unchanged."""

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()
    content: tuple["str | Element", ...] = ()
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.content)

    @property
    def display_text(self) -> str:
        """Return the text and its references as one line."""
        if self.tag == "xref":
            return f"{self.attribute('type')}:{self.attribute('data')}" + (
                f"[{self.text}]" if self.text else ""
            )
        return "".join(part if isinstance(part, str) else part.display_text for part in self.content)

    @property
    def children(self) -> tuple["Element", ...]:
        return tuple(part for part in self.content if isinstance(part, Element))

    def attribute(self, name: str) -> str:
        return dict(self.attributes).get(name, "")

    def to_json(self) -> list[Any]:
        content = [part if isinstance(part, str) else part.to_json() for part in self.content]
        return [self.tag, dict(self.attributes), content]

    @classmethod
    def from_json(cls, stored: list[Any]) -> "Element":
        tag, attributes, content = stored
        parts = tuple(part if isinstance(part, str) else cls.from_json(part) for part in content)
        return cls(tag, tuple(sorted(attributes.items())), parts)


@dataclass(frozen=True, slots=True)
class Record:
    """One entry. In a formal one `references` is the Reference column and `template` the Template column;
    in an informal one `references` is the Template column and `contact` the Reference column.
    """

    name: str
    is_formal: bool
    date: str = ""
    updated: str = ""
    references: tuple[Xref, ...] = ()
    template: Mixed | None = None
    contact: Mixed | None = None
    line: int = field(default=0, compare=False)

    @property
    def nid(self) -> str:
        """Return the NID in lower case: NIDs are case-insensitive (RFC 8141, Section 2.1)."""
        return self.name.lower()

    @property
    def template_column(self) -> tuple[Xref, ...]:
        if self.is_formal:
            return tuple(xrefs_in(self.template))
        if self.contact is None:  # before 2017-06-26 one list contained both
            return tuple(xref for xref in self.references if xref.type == "uri")
        return self.references

    @property
    def reference_column(self) -> tuple[Xref, ...]:
        if self.is_formal:
            return self.references
        if self.contact is None:
            return tuple(xref for xref in self.references if xref.type != "uri")
        return tuple(xrefs_in(self.contact))

    def field_texts(self) -> dict[str, str]:
        """Return the fields of the entry as single lines, by their names in the file."""
        return {
            "name": self.name,
            "date": self.date,
            "updated": self.updated,
            "references": mixed_as_line(self.references or None),
            "template": mixed_as_line(self.template),
            "contact": mixed_as_line(self.contact),
        }


@dataclass(frozen=True, slots=True)
class IanaFile:
    """One version of the registry: head, two lists and people. There may be many records.

    `is_partial` marks a CSV file, which has no head or people, only one list, and only labels.
    """

    updated: str
    records: Sequence[Record]
    head: tuple[Element, ...] = ()
    formal_head: tuple[Element, ...] = ()
    informal_head: tuple[Element, ...] = ()
    people: tuple[Element, ...] = ()
    is_partial: bool = False
