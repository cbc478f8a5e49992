"""Reading of JSON objects as dataclasses. Members that this version of the client does not know are left out."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, TypeVar

T = TypeVar("T")


def read(kind: type[T], members: Mapping[str, Any], /, **parsed: Any) -> T:
    """An object of the dataclass. `parsed` are members in another form than that of the JSON."""
    known = [each.name for each in fields(kind)]  # type: ignore[arg-type]  # a dataclass
    return kind(**{name: members[name] for name in known if name in members} | parsed)


def read_all(kind: type[T], rows: list[Mapping[str, Any]]) -> tuple[T, ...]:
    return tuple(read(kind, each) for each in rows)


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def instant_or_none(text: str | None) -> datetime | None:
    return instant(text) if text else None
