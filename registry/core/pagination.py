"""Keyset pagination: a page begins after a key, so its cost depends neither on its position nor on the list's length."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Generic, TypeVar

from django.db.models import BooleanField, DateTimeField, IntegerField, Model, Q, QuerySet

from registry.core.validators import UNSTORABLE

Row = TypeVar("Row", bound=Model)

CHUNK = 100
MAX_PAGE_TEXT = 2_000_000
MOST_COUNTED = 1000  # rows of a list; so that a count costs little, however long the list is
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
# What a key contains of a column of each type; all other columns are text.
PATTERNS = {BooleanField: "[01]", IntegerField: "[0-9]{1,18}", DateTimeField: "[0-9]{1,17}"}


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Rows of a list. `after` is the key of the next page, "" on the last page.

    `span` counts the place of the rows in the list when it is called, as templates do; None if there are no rows.
    """

    rows: Sequence[Row]
    after: str
    is_later: bool
    span: "Callable[[], Span] | None" = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Span:
    """The place of a page in its list. `before` and `total` are None if they are more than MOST_COUNTED."""

    before: int | None
    size: int
    total: int | None

    def __str__(self) -> str:
        """The place in words, with an en dash between the numbers."""
        if self.before is None:
            return f"{self.size:,} after the first {MOST_COUNTED:,}"
        total = f"more than {MOST_COUNTED:,}" if self.total is None else f"{self.total:,}"
        return f"{self.before + 1:,}\N{EN DASH}{self.before + self.size:,} of {total}"


class Keyset:
    """An order of rows, and the keys that name a position in it.

    `ordering` names columns or annotations of boolean, integer, timestamp or text type, as for `order_by`. Together they
    must be unique. A key contains their values, joined by dots: numbers in decimal, timestamps in microseconds since
    1970, and text as it is. To keep keys unambiguous, at most one column may contain text with dots.
    """

    def __init__(self, *ordering: str) -> None:
        self.ordering = ordering
        self.columns = [(name.removeprefix("-"), name.startswith("-")) for name in ordering]

    @property
    def reversed(self) -> "Keyset":
        """The opposite order."""
        return Keyset(*(name if descends else f"-{name}" for name, descends in self.columns))

    def page(
        self, rows: QuerySet[Row], after: str, size: int, length: Callable[[Row], int] = lambda _: 0
    ) -> Page[Row]:
        """Up to `size` rows after the key `after`; an invalid key is the beginning of the list."""
        values = self.parse(rows, after)
        shown, has_more = take(self.after(rows, values), size, length)
        page = Page(shown, self.key_of(shown[-1]) if has_more else "", values is not None)
        return replace(page, span=partial(self.span, rows, page)) if shown else page

    def span(self, rows: QuerySet[Row], page: Page[Row]) -> Span:
        """The place of a page that has rows among all `rows`."""
        before: int | None = 0
        if page.is_later:
            first = self.parse(rows, self.key_of(page.rows[0]))
            before = _counted(self.reversed.after(rows, first))
        if page.after or before is None:
            return Span(before, len(page.rows), _counted(rows))
        return Span(before, len(page.rows), before + len(page.rows))

    def after(self, rows: QuerySet[Row], values: Sequence[Any] | None) -> QuerySet[Row]:
        """The rows in order, from after the position `values` on; all rows if it is None."""
        return (rows.filter(self._beyond(values)) if values else rows).order_by(*self.ordering)

    def key_of(self, row: Model) -> str:
        return ".".join(_encode(getattr(row, name)) for name, _ in self.columns)

    def parse(self, rows: QuerySet[Any], key: str) -> tuple[Any, ...] | None:
        """The values of a key; None if it is not a key of this order."""
        fields = [_field(rows, name) for name, _ in self.columns]
        parts = re.fullmatch(r"\.".join(f"({_pattern(field)})" for field in fields), key)
        if not key or parts is None or UNSTORABLE.search(key):
            return None
        return tuple(_decode(field, part) for field, part in zip(fields, parts.groups(), strict=True))

    def _beyond(self, values: Sequence[Any]) -> Q:
        """The lexicographic comparison. The bound on the first column lets an index begin there."""
        beyond = Q()
        for (name, descends), value in reversed(list(zip(self.columns, values, strict=True))):
            further = Q(**{f"{name}__{'lt' if descends else 'gt'}": value})
            beyond = further | (Q(**{name: value}) & beyond) if beyond else further
        name, descends = self.columns[0]
        bound = Q(**{f"{name}__{'lte' if descends else 'gte'}": values[0]})
        return beyond if len(values) == 1 else bound & beyond


def in_both_directions(ascending: Mapping[str, Keyset]) -> dict[str, Keyset]:
    """The orders by their names, and the opposite ones by the same names with “-” before them."""
    return {**ascending, **{f"-{name}": keyset.reversed for name, keyset in ascending.items()}}


def take(
    rows: QuerySet[Row], size: int, length: Callable[[Row], int] = lambda _: 0
) -> tuple[list[Row], bool]:
    """The first `size` rows, or fewer if they have more than MAX_PAGE_TEXT characters, and whether more follow.

    `length` counts the characters of a row's texts.
    """
    shown: list[Row] = []
    total = 0
    # A large page is read in chunks, so that rows after an early end are not fetched.
    found = rows[: size + 1]
    for row in found if size <= CHUNK else found.iterator(chunk_size=CHUNK):
        if len(shown) == size or total > MAX_PAGE_TEXT:
            return shown, True
        shown.append(row)
        total += length(row)
    return shown, False


def _counted(rows: QuerySet[Any]) -> int | None:
    """The number of rows, up to MOST_COUNTED."""
    number = rows.order_by().values("pk")[: MOST_COUNTED + 1].count()
    return number if number <= MOST_COUNTED else None


def _field(rows: QuerySet[Any], name: str) -> Any:
    if name in rows.query.annotations:
        return rows.query.annotations[name].output_field
    options = rows.model._meta
    return options.pk if name == "pk" else options.get_field(name)


def _pattern(field: Any) -> str:
    return next((pattern for kind, pattern in PATTERNS.items() if isinstance(field, kind)), ".*")


def _encode(value: Any) -> str:
    if isinstance(value, datetime):
        return str((value - EPOCH) // MICROSECOND)
    return str(int(value)) if isinstance(value, int) else str(value)


def _decode(field: Any, text: str) -> Any:
    if isinstance(field, DateTimeField):
        return EPOCH + int(text) * MICROSECOND
    if isinstance(field, BooleanField):
        return text == "1"
    return int(text) if isinstance(field, IntegerField) else text


def number_of(text: str) -> int | None:
    """The primary key that a text contains; None if it is not a number of up to 18 digits."""
    return int(text) if re.fullmatch(PATTERNS[IntegerField], text) else None
