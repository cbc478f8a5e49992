"""The normal form of the texts in a template, and their limits.

- Every line break (CRLF, CR, form feed, U+0085, U+2028, U+2029) becomes LF.
- Spaces and tabs at the end of a line are removed, and so are blank lines at the beginning and end of a text, and
  indentation that all lines share.
- In a one-line field (identifier, date, organisation, contact person, e-mail, phone), white space becomes a single
  space.
- The identifier is in lower case (it is case-insensitive, RFC 8141, Section 3.1). A full stop after a date is removed.

Other line breaks, blank lines and indentation are kept, and lines may have any length.
"""

import re
import string
from collections.abc import Mapping
from dataclasses import fields

from registry.core.validators import UNSTORABLE, first_of, shortened
from registry.registration_template.exceptions import (
    InvalidCharacter,
    TemplateTooLong,
    UnknownField,
    WrongType,
)

MAX_CHARACTERS = 250_000
MAX_VERSION = 2**31 - 1

LINE_BREAK = re.compile("\r{1,2}\n|[\n\r\v\f\x85\u2028\u2029]")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_DATE_WITH_STOP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\.", re.ASCII)


def normalize_text(text: str) -> str:
    """A text in normal form."""
    lines = [line.rstrip(" \t") for line in LINE_BREAK.split(text)]
    filled = [number for number, line in enumerate(lines) if line]
    return "\n".join(dedent(lines[filled[0] : filled[-1] + 1])) if filled else ""


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


def normalize_identifier(text: str) -> str:
    """A NID in normal form."""
    return normalize_line(text).translate(_LOWER)


def normalize_date(text: str) -> str:
    """A date in normal form."""
    line = normalize_line(text)
    match = _DATE_WITH_STOP.fullmatch(line)
    return match[1] if match else line


def check_text(name: str, text: object) -> str:
    """`text`, if it is valid. Raises InvalidTemplate."""
    if not isinstance(text, str):
        raise WrongType(f"{name} must be text, not {type(text).__name__}.", section=name)
    if len(text) > MAX_CHARACTERS:
        raise TemplateTooLong(
            f"{name} has {len(text):,} characters; the limit for the whole template is {MAX_CHARACTERS:,}. "
            "Move details to a specification, and cite it under Documentation.",
            section=name,
        )
    if bad := UNSTORABLE.search(text):
        line = len(LINE_BREAK.split(text[: bad.start()]))
        raise InvalidCharacter(
            f"{name} contains the character U+{ord(bad[0]):04X} in line {line}, which is not allowed. Remove it.",
            section=name,
        )
    return text


def check_version(version: object) -> None:
    """Raise WrongType unless `version` is None or a whole number that the database can store."""
    if version is None:
        return
    if isinstance(version, bool) or not isinstance(version, int):
        raise WrongType("version must be a whole number or absent.", section="version")
    if not 0 <= version <= MAX_VERSION:
        raise WrongType(f"version must be a whole number from 1 to {MAX_VERSION:,}.", section="version")


def check_fields(cls: type, mapping: object, name: str) -> None:
    """Raise InvalidTemplate unless `mapping` is a mapping whose keys are fields of the dataclass `cls`."""
    if not isinstance(mapping, Mapping):
        raise WrongType(f"The {name} must be a JSON object.", section=name)
    known = {each.name for each in fields(cls)}
    if unknown := sorted(shortened(str(key)) for key in mapping if key not in known):
        raise UnknownField(
            f"The {name} has no field {first_of(unknown)}. Its fields are {', '.join(sorted(known))}."
        )
