"""Which namespaces a list shows: found by words, filtered by kind and status, sorted, in pages.

Every query is answered by an index, however many namespaces there are. A page begins behind a namespace
(`after`), never at a number. Without words each of the four combinations of kind and status has an index in
each order, and another for what changed since a day; a list is what their beginnings merge to. With words, or
those of a registrant, there is one index over NID, registrant, purpose and the text of the current
registration, which the database keeps by itself; what is taken from it is bounded, and a page says so where
that leaves something out.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import BooleanField, QuerySet, TextChoices
from django.db.models.expressions import RawSQL

from registry.core.characters import UNSTORABLE
from registry.namespaces.models import Kind, Namespace

MAX_QUERY_LENGTH = 500  # characters; the database looks at no more of them
MAX_RESULTS = 500  # namespaces that a search finds: beyond it, one more word helps more than one more page
SORT_LIMIT = 20_000  # changes of a year: so many are sorted sooner than walked to


class Status(TextChoices):
    ACTIVE = "active", "in use"
    DEPRECATED = "deprecated", "deprecated"


class Order(TextChoices):
    NID = "nid", "NID"
    NEWEST = "newest", "newest first"
    UPDATED = "updated", "latest update first"


_PARTS = re.compile(r"[^\W_]+")
# What a date sorts by. Both columns run down, so that one index and one comparison of rows serve a page.
DATES: dict[str, str] = {Order.NEWEST: "registered_on", Order.UPDATED: "updated_on"}


@dataclass(frozen=True, slots=True)
class Filters:
    """Of which kind and status, with rules for their names or without; "" and None are any."""

    kind: str = ""
    status: str = ""
    has_rules: bool | None = None

    @property
    def lists(self) -> tuple[list[str], list[str], str]:
        """The kinds, the statuses, and `ruled`."""
        kinds = [self.kind] if self.kind else list(Kind.values)
        statuses = [self.status] if self.status else list(Status.values)
        return kinds, statuses, self.ruled

    @property
    def ruled(self) -> str:
        """`with` or `without` rules, as the database calls it."""
        return {None: "", True: "with", False: "without"}[self.has_rules]

    def includes(self, namespace: Namespace) -> bool:
        status = Status.DEPRECATED if namespace.is_deprecated else Status.ACTIVE
        return (
            self.kind in ("", namespace.kind)
            and self.status in ("", status)
            and self.has_rules in (None, namespace.rules_id is not None)
        )


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is asked for. An empty text asks for all; `after` is the NID behind which the page begins.

    `registrant` holds beginnings of words of a registrant's name, `since` the first day or month of a last change.
    """

    text: str = ""
    kind: str = ""
    status: str = ""
    order: str = Order.NID
    after: str = ""
    registrant: str = ""
    since: str = ""
    has_rules: bool | None = None

    @property
    def filters(self) -> Filters:
        return Filters(self.kind, self.status, self.has_rules)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the answer.

    `exact`, not among the others, is on the first page: its NID is what was typed. `is_truncated` says that more than
    MAX_RESULTS have the words, so that some of them are left out.
    """

    namespaces: Sequence[Namespace]
    has_more: bool = False
    exact: Namespace | None = None
    is_truncated: bool = False

    @property
    def next(self) -> str:
        """What `after` has to be for the page that follows; "" on the last one."""
        return self.namespaces[-1].nid if self.has_more else ""


class _Found(NamedTuple):
    """What a search knows of a namespace before it is fetched; `tier` is 0 where its NID has the words."""

    pk: int
    nid: str
    registered_on: str
    updated_on: str
    tier: int


@dataclass(frozen=True, slots=True)
class Sorting:
    """By NID, or by a date and then by NID, up or down; `beyond` is the key of `columns` that was passed already."""

    date: str = ""
    descends: bool = False
    beyond: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.date, "nid") if self.date else ("nid",)

    def sorted(self, found: QuerySet[Namespace]) -> QuerySet[Namespace]:
        """In this order, from behind the key on."""
        return self._beyond(found).order_by(*self.ordering)

    def first_of(self, found: "Iterable[_Found]", limit: int) -> "list[_Found]":
        """In this order, from behind the key on, the first of those that are known already."""

        def key(each: _Found) -> tuple[str, ...]:
            return tuple(getattr(each, column) for column in self.columns)

        def is_beyond(each: _Found) -> bool:
            return key(each) < self.beyond if self.descends else key(each) > self.beyond

        wanted = filter(is_beyond, found) if self.beyond else found
        return sorted(wanted, key=key, reverse=self.descends)[:limit]

    @property
    def ordering(self) -> tuple[str, ...]:
        return tuple(f"-{column}" if self.descends else column for column in self.columns)

    def _beyond(self, found: QuerySet[Namespace]) -> QuerySet[Namespace]:
        if not self.beyond:
            return found
        # One comparison of rows, which an index on both columns answers in one go.
        columns = ", ".join(f"namespaces_namespace.{column}" for column in self.columns)
        values = ", ".join(["%s"] * len(self.columns))
        rows = f"({columns}) {'<' if self.descends else '>'} ({values})"
        return found.filter(RawSQL(rows, self.beyond, output_field=BooleanField()))  # noqa: S611


def search_namespaces(query: SearchQuery, sorting: Sorting, limit: int) -> tuple[QuerySet[Namespace], bool]:
    """The first namespaces with every one of the words: in NIDs any part, elsewhere words and how they begin.

    Any text can be asked; one without a letter or digit finds nothing. It finds MAX_RESULTS at most, those with the words
    in their NID first, and says whether that left some out.
    """
    found, is_truncated = _search(
        replace(query, text=_searchable(query.text), registrant=_searchable(query.registrant))
    )
    first = sorting.first_of(found, limit)
    return sorting.sorted(Namespace.objects.filter(pk__in=[each.pk for each in first])), is_truncated


def search_page(query: SearchQuery, size: int) -> Page:
    """The answer's first `size` namespaces behind `query.after`.

    Found by words and sorted by NID, those that have the words in their NID come before the others.
    """
    query = replace(query, text=_searchable(query.text).strip())
    if query.text:
        return _searched(query, size)
    found = _listed(query, size + 1)
    return Page(found[:size], len(found) > size)


def _searchable(words: str) -> str:
    return UNSTORABLE.sub(" ", words[:MAX_QUERY_LENGTH])


def _searched(query: SearchQuery, size: int) -> Page:
    (found, is_truncated), typed = _search(query), query.text.lower()
    in_order = _in_order([each for each in found if each.nid != typed], query)
    passed = (place for place, each in enumerate(in_order, 1) if each.nid == query.after)
    start = next(passed, len(in_order)) if query.after else 0
    wanted = in_order[start : start + size]
    fetched = Namespace.objects.in_bulk([each.pk for each in wanted])
    return Page(
        [fetched[each.pk] for each in wanted],
        has_more=len(in_order) > start + size,
        exact=None if query.after else _exactly(typed, query.filters),
        is_truncated=is_truncated,
    )


def _exactly(nid: str, filters: Filters) -> Namespace | None:
    """The namespace itself, however many others have its NID in theirs."""
    found = Namespace.objects.filter(nid=nid).first()
    return found if found and filters.includes(found) else None


def _search(query: SearchQuery) -> tuple[list[_Found], bool]:
    """Those that have the words, up to MAX_RESULTS, and whether there are more: then those with them in their NID first."""
    found = _run(query, in_nid=False)
    if len(found) <= MAX_RESULTS:
        return found, False
    by_nid = _run(query, in_nid=True) if query.text else []
    known = {each.pk for each in by_nid}
    return [*by_nid, *(each for each in found if each.pk not in known)][:MAX_RESULTS], True


def _run(query: SearchQuery, *, in_nid: bool) -> list[_Found]:
    """Up to MAX_RESULTS, and one more where there is one."""
    parts = _PARTS.findall(query.text.lower())
    filters = [query.kind, query.status, query.filters.ruled, query.registrant, query.since]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT * FROM namespaces_found(%s, %s, %s, %s, %s, %s, %s, %s)",
            [query.text, in_nid, *filters, MAX_RESULTS + 1],
        )
        return [
            _Found(pk, nid, registered_on, updated_on, tier=int(any(part not in nid for part in parts)))
            for pk, nid, registered_on, updated_on in cursor.fetchall()
        ]


def _in_order(found: Iterable[_Found], query: SearchQuery) -> list[_Found]:
    if date := DATES.get(query.order):
        return sorted(found, key=attrgetter(date, "nid"), reverse=True)
    return sorted(found, key=attrgetter("tier", "nid"))


def _listed(query: SearchQuery, limit: int) -> list[Namespace]:
    date = DATES.get(query.order, "")
    beyond: tuple[str, ...] = (query.after,) if query.after else ()
    if date and query.after:
        last = Namespace.objects.filter(nid=query.after).values_list(date, "nid").first()
        if last is None:
            return []
        beyond = last
    sorting = Sorting(date, bool(date), beyond)
    return list(list_namespaces(Namespace.objects.all(), query.filters, sorting, limit))


def list_namespaces(
    namespaces: QuerySet[Namespace], filters: Filters, sorting: Sorting, limit: int, since: str = ""
) -> QuerySet[Namespace]:
    """Without words: the beginnings of the lists of every kind and status asked for, merged.

    `since` asks for those that were registered, updated or deprecated on a day (YYYY-MM-DD or YYYY-MM) or later. A
    date that is a month counts as the last of its days, since it may be any of them.
    """
    if not since and (sorting.date, filters) == ("", Filters()):
        return sorting.sorted(namespaces)[:limit]
    beyond_date, beyond_nid = ("", "", *sorting.beyond)[-2:]
    asked: list[Any] = [since, *filters.lists, sorting.date, sorting.descends]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT * FROM namespaces_listed(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [*asked, beyond_date, beyond_nid, SORT_LIMIT, limit],
        )
        first = sorted(cursor.fetchall(), reverse=sorting.descends)[:limit]
    return sorting.sorted(namespaces.filter(nid__in=[nid for _, nid in first]))
