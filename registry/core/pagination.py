"""Lists that go on by key: a page costs the same wherever it stands, and however long the list is."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Generic, TypeVar

from django.db import models
from django.db.models import Q

Row = TypeVar("Row", bound=models.Model)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TIMESTAMP_KEY = re.compile(r"(?P<moment>[0-9]{1,17})-(?P<pk>[0-9]{1,18})")
NUMBER_KEY = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows, and the key after which the next page begins ("" on the last one)."""

    rows: Sequence[Row]
    after: str
    is_later: bool


def cut(rows: models.QuerySet[Row], size: int, *, key: Callable[[Row], str], is_later: bool) -> Page[Row]:
    """The first `size` of `rows`, which begin where the page begins."""
    found = list(rows[: size + 1])
    shown = found[:size]
    return Page(shown, key(shown[-1]) if len(found) > size else "", is_later)


def encode_timestamp_key(moment: datetime, pk: int) -> str:
    return f"{(moment - EPOCH) // timedelta(microseconds=1)}-{pk}"


def decode_timestamp_key(key: str) -> tuple[datetime, int] | None:
    """What a key of `encode_timestamp_key` says; None when it is none."""
    parts = TIMESTAMP_KEY.fullmatch(key)
    return parts and (EPOCH + timedelta(microseconds=int(parts["moment"])), int(parts["pk"]))


def after_timestamp_key(key: str, field: str) -> Q:
    """What comes after a key of `encode_timestamp_key`, the oldest first; everything, when it is no key."""
    found = decode_timestamp_key(key)
    if found is None:
        return Q()
    moment, pk = found
    return Q(**{f"{field}__gt": moment}) | Q(**{field: moment, "pk__gt": pk})


def number_of(key: str) -> int | None:
    """The number that a key is; None when it is none."""
    return int(key) if NUMBER_KEY.fullmatch(key) else None
