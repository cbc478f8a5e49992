"""The completed template as a value: frozen, in one normal form, with a JSON form and a digest.

The normal form is applied when a value is made, so that two values are equal exactly when they say the same:

- a line ends in LF; every other line break (CRLF, CR, form feed, U+0085, U+2028, U+2029) becomes one;
- a text has no spaces or tabs at the end of a line, no blank lines at its beginning or end, and no
  indentation that all its lines share;
- a one-line field (identifier, date, organization, contact person, e-mail, phone) has single spaces only;
- the identifier is in lower case (its case says nothing, RFC 8141, Section 3.1); a date loses a full stop.

Line breaks, blank lines and indentation inside a text are kept, and so is a line of any length.
"""

import hashlib
import json
import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from registry.core.characters import UNSTORABLE
from registry.registration_template.exceptions import (
    InvalidCharacter,
    TemplateTooLong,
    UnknownField,
    WrongType,
)

MAX_CHARACTERS = 250_000
MAX_VERSION = 2**31 - 1

LINE_BREAK = re.compile("\r\n|[\n\r\v\f\x85\u2028\u2029]")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_DATE_WITH_STOP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\.", re.ASCII)


def normalize_text(text: str) -> str:
    """A text in normal form (see the module)."""
    lines = [line.rstrip(" \t") for line in LINE_BREAK.split(text)]
    while lines and not lines[0]:
        del lines[0]
    while lines and not lines[-1]:
        del lines[-1]
    return "\n".join(dedent(lines))


def dedent(lines: list[str]) -> list[str]:
    """The lines without the indentation that all of them share."""
    margins = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip(" \t")]
    if not margins:
        return lines
    first, last = min(margins), max(margins)
    shared = next(
        (at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last))
    )
    return [line[shared:] for line in lines]


def normalize_line(text: str) -> str:
    """A one-line field in normal form."""
    return " ".join(text.split())


def _normalize_identifier(text: str) -> str:
    return normalize_line(text).translate(_LOWER)


def _normalize_date(text: str) -> str:
    line = normalize_line(text)
    match = _DATE_WITH_STOP.fullmatch(line)
    return match[1] if match else line


def _check_text(name: str, text: object) -> str:
    if not isinstance(text, str):
        raise WrongType(f"{name} has to be text, not {type(text).__name__}.", section=name)
    if len(text) > MAX_CHARACTERS:
        raise TemplateTooLong(
            f"{name} has {len(text):,} characters; a template may have {MAX_CHARACTERS:,} in all. "
            "Put details into a specification and point to it under Documentation.",
            section=name,
        )
    if bad := UNSTORABLE.search(text):
        line = len(LINE_BREAK.split(text[: bad.start()]))
        raise InvalidCharacter(
            f"{name} holds the character U+{ord(bad[0]):04X} in line {line}, which can't be kept. Remove it.",
            section=name,
        )
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Registrant:
    """Who registers the namespace, and whom to ask (RFC 8141, Appendix A)."""

    organization: str = ""
    address: str = ""
    contact_person: str = ""
    email: str = ""
    phone: str = ""
    postal_address: str = ""
    fast_track: bool = False
    other: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.fast_track, bool):
            raise WrongType("fast_track has to be true or false.", section="registrant")
        for name in ("organization", "contact_person", "email", "phone"):
            object.__setattr__(self, name, normalize_line(_check_text(name, getattr(self, name))))
        for name in ("address", "postal_address", "other"):
            object.__setattr__(self, name, normalize_text(_check_text(name, getattr(self, name))))

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types under the names of the fields."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_json(cls, mapping: Mapping[str, Any]) -> Self:
        """The registrant that `to_json` wrote; missing fields are empty, unknown ones refused."""
        _check_fields(cls, mapping, "registrant")
        return cls(**mapping)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationTemplate:
    """One completed template. A section that is absent is empty."""

    namespace_identifier: str = ""
    version: int | None = None
    date: str = ""
    registrant: Registrant = field(default_factory=Registrant)
    purpose: str = ""
    syntax: str = ""
    assignment: str = ""
    security_and_privacy: str = ""
    interoperability: str = ""
    resolution: str = ""
    documentation: str = ""
    additional_information: str = ""
    revision_information: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.registrant, Registrant):
            raise WrongType("registrant has to be a Registrant.", section="registrant")
        _check_version(self.version)
        normalizers = {"namespace_identifier": _normalize_identifier, "date": _normalize_date}
        for name in (*normalizers, *TEXT_SECTIONS):
            normalize = normalizers.get(name, normalize_text)
            object.__setattr__(self, name, normalize(_check_text(name, getattr(self, name))))
        self._check_length()

    def _check_length(self) -> None:
        registrant = self.registrant.to_json().values()
        texts = (
            *registrant,
            *(getattr(self, name) for name in TEXT_SECTIONS),
            self.namespace_identifier,
            self.date,
        )
        total = sum(len(text) for text in texts if isinstance(text, str))
        if total > MAX_CHARACTERS:
            raise TemplateTooLong(
                f"The sections have {total:,} characters together; a template may have {MAX_CHARACTERS:,}. "
                "Put details into a specification and point to it under Documentation."
            )

    def is_filled(self, key: str) -> bool:
        """Whether anything stands in the section of this key."""
        return getattr(self, key) not in ("", None, Registrant())

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types under the keys of the sections, in the template's order."""
        return {
            each.name: self.registrant.to_json() if each.name == "registrant" else getattr(self, each.name)
            for each in fields(self)
        }

    @classmethod
    def from_json(cls, mapping: Mapping[str, Any]) -> Self:
        """The template that `to_json` wrote; missing fields are empty, unknown ones refused."""
        _check_fields(cls, mapping, "template")
        values = dict(mapping)
        if "registrant" in values:
            values["registrant"] = Registrant.from_json(values["registrant"])
        return cls(**values)

    def digest(self) -> str:
        """SHA-256, in hexadecimal, of the JSON form in UTF-8: keys sorted, no spaces, no needless escapes."""
        canonical = json.dumps(self.to_json(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


TEXT_SECTIONS = (
    "purpose",
    "syntax",
    "assignment",
    "security_and_privacy",
    "interoperability",
    "resolution",
    "documentation",
    "additional_information",
    "revision_information",
)


def _check_version(version: object) -> None:
    if version is None:
        return
    if isinstance(version, bool) or not isinstance(version, int):
        raise WrongType("version has to be a whole number or absent.", section="version")
    if not 0 <= version <= MAX_VERSION:
        raise WrongType(
            "version has to be a number that counts registrations, from 1 upwards.", section="version"
        )


def _check_fields(cls: type, mapping: object, name: str) -> None:
    if not isinstance(mapping, Mapping):
        raise WrongType(f"The {name} has to be a JSON object.", section=name)
    known = {each.name for each in fields(cls)}
    if unknown := sorted(str(key) for key in mapping if key not in known):
        raise UnknownField(
            f"The {name} has no field {', '.join(unknown)}; it has {', '.join(sorted(known))}."
        )
