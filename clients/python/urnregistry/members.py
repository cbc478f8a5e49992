"""Reading of JSON objects as dataclasses. Members that this version of the client does not know are left out.

A response can be anything: what is not of the form that the API describes raises one of `MALFORMED`.
"""

import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, TypeVar

T = TypeVar("T")
# RuntimeError: nesting that is too deep (RecursionError), or a generator that finds nothing.
MALFORMED = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError, StopIteration)
NID = re.compile("[0-9A-Za-z-]{1,32}")
LARGEST = 2**63 - 1  # what SQLite can keep


def read(kind: type[T], members: Mapping[str, Any], /, **parsed: Any) -> T:
    """An object of the dataclass. `parsed` are members in another form than that of the JSON."""
    known = [each.name for each in fields(kind)]  # type: ignore[arg-type]  # a dataclass
    return kind(**{name: members[name] for name in known if name in members} | parsed)


def read_all(kind: type[T], rows: list[Mapping[str, Any]]) -> tuple[T, ...]:
    return tuple(read(kind, each) for each in rows)


def whole(value: Any) -> int:
    """The value, if it is a number of an event, or of events. Raises ValueError."""
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise ValueError(f"{str(value)[:40]!r} is not the number of an event.")
    return value


def as_nid(value: Any) -> str:
    """The value, if it is a NID. Raises ValueError."""
    if not isinstance(value, str) or not NID.fullmatch(value):
        raise ValueError(f"{str(value)[:40]!r} is not a NID.")
    return value


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def instant_or_none(text: str | None) -> datetime | None:
    return instant(text) if text else None
