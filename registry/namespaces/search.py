"""Lists and full-text search of namespaces, in pages.

Every query is answered by an index, however many namespaces there are. Lists have an index for each kind, status and
order, and one for the changes since a day (`migrations/lists.sql`); a list is merged from the beginnings of these.
Search has one index over NID, profile, registrant, purpose and current text (`migrations/search.sql`). It finds a limited
number of namespaces, and pages tell users if there are more.
"""

import re
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import Any

from django.db import connection
from django.db.models import Case, IntegerField, Q, QuerySet, TextChoices, When
from django.db.models.fields.json import KeyTextTransform

from registry.core.characters import UNSTORABLE
from registry.core.pagination import Keyset, Page
from registry.namespaces.models import Kind, Namespace

MAX_QUERY_LENGTH = 200  # characters; the rest is ignored
MAX_RESULTS = 500  # namespaces found by a search; one more word helps more than one more page
SORT_LIMIT = 20_000  # up to this number of changes of a year are sorted in memory

PARTS = re.compile(r"[^\W_]+")
# What a list shows of the profiles, whose contents are too long for it.
OF_PROFILES = {name: KeyTextTransform(name, "profile__content") for name in ("title", "summary")}


class Status(TextChoices):
    ACTIVE = "active", "in use"
    DEPRECATED = "deprecated", "deprecated"


class Order(TextChoices):
    NID = "nid", "NID"
    NEWEST = "newest", "newest first"
    UPDATED = "updated", "latest update first"


BY_NID = Keyset("nid")
BY_RELEVANCE = Keyset("tier", "nid")
KEYSETS = {
    Order.NID.value: BY_NID,
    Order.NEWEST.value: Keyset("-registered_on", "-nid"),
    Order.UPDATED.value: Keyset("-updated_on", "-nid"),
}


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """Search terms, filters, and the page: the namespaces after the key `after` in the order of `keyset`.

    `registrant` contains beginnings of words of the registrant's name. `since` is a day or a month; namespaces that
    were registered, updated or deprecated then or later match. A date that is a month counts as its last day.
    `subject` is one of `urnsyntax.profiles.profile.SUBJECTS`.
    Empty values and None match everything.
    """

    text: str = ""
    kind: str = ""
    status: str = ""
    keyset: Keyset = BY_NID
    after: str = ""
    registrant: str = ""
    since: str = ""
    has_grammar: bool | None = None
    subject: str = ""

    @property
    def grammar(self) -> str:
        """`has_grammar` as an argument of the database functions."""
        return {None: "", True: "with", False: "without"}[self.has_grammar]

    @property
    def filter(self) -> Q:
        """Kind, status, grammar and subject as a condition."""
        condition = Q(kind=self.kind) if self.kind else Q()
        if self.status:
            condition &= Q(deprecated_at__isnull=self.status == Status.ACTIVE)
        if self.has_grammar is not None:
            condition &= Q(has_grammar=self.has_grammar)
        return (
            condition & Q(profile__content__subjects__contains=[self.subject]) if self.subject else condition
        )


@dataclass(frozen=True, slots=True)
class SearchPage(Page[Namespace]):
    """A page of results. `exact`, on the first page, is the namespace whose NID is the text; `rows` exclude it.

    `is_truncated` tells that more than MAX_RESULTS namespaces match, and some were left out.
    """

    exact: Namespace | None = None
    is_truncated: bool = False


def search_page(query: SearchQuery, size: int) -> SearchPage:
    """One page of a search or of a list, with the title and the summary of each profile.

    In the order of NIDs, matches in the NID come before others.
    """
    query = replace(query, text=_searchable(query.text))
    found, is_truncated = search_namespaces(query, size + 1)
    namespaces = found.annotate(**OF_PROFILES)
    if not query.text:
        page = query.keyset.page(namespaces, query.after, size)
        return SearchPage(page.rows, page.after, page.is_later, is_truncated=is_truncated)
    typed = query.text.lower()
    others = namespaces.exclude(nid=typed).annotate(tier=_tier(typed))
    keyset = BY_RELEVANCE if query.keyset is BY_NID else query.keyset
    page = keyset.page(others, query.after, size)
    is_exact = Namespace.objects.filter(query.filter, nid=typed).annotate(**OF_PROFILES)
    exact = None if query.after else is_exact.first()
    return SearchPage(page.rows, page.after, page.is_later, exact, is_truncated)


def search_namespaces(query: SearchQuery, limit: int) -> tuple[QuerySet[Namespace], bool]:
    """The matches, for `query.keyset` to order, and whether some were left out.

    With search terms or a subject these are up to MAX_RESULTS, those with the terms in their NID first. A text without a
    letter or a digit matches nothing. Without search terms they contain the first `limit` after `query.after`.
    """
    query = replace(query, text=_searchable(query.text), registrant=_searchable(query.registrant))
    if not (query.text or query.registrant or query.subject):
        return _list(query, limit), False
    found = _find(query, in_nid=False)
    if len(found) <= MAX_RESULTS:
        return Namespace.objects.filter(pk__in=found), False
    by_nid = _find(query, in_nid=True) if query.text else []
    first = list(dict.fromkeys([*by_nid, *found]))[:MAX_RESULTS]
    return Namespace.objects.filter(pk__in=first), True


def _searchable(text: str) -> str:
    return UNSTORABLE.sub(" ", text[:MAX_QUERY_LENGTH]).strip()


def _tier(text: str) -> Case:
    """0 for a namespace with all words of the text in its NID, 1 for others."""
    in_nid = reduce(and_, (Q(nid__contains=part) for part in PARTS.findall(text)), Q(nid__contains=""))
    return Case(When(in_nid, then=0), default=1, output_field=IntegerField())


def _find(query: SearchQuery, *, in_nid: bool) -> list[int]:
    """The primary keys of up to MAX_RESULTS matches, and of one more if there is one."""
    filters = [query.kind, query.status, query.grammar, query.subject, query.registrant, query.since]
    rows = _rows("SELECT id FROM namespaces_found", query.text, in_nid, *filters, MAX_RESULTS + 1)
    return [pk for (pk,) in rows]


def _list(query: SearchQuery, limit: int) -> QuerySet[Namespace]:
    """Without search terms: the beginnings of the lists of every kind and status, merged."""
    namespaces = Namespace.objects.all()
    (column, descends), *rest = query.keyset.columns
    date = column if rest else ""
    if not date and not query.since and not query.filter:
        return namespaces
    position = query.keyset.parse(namespaces, query.after) or ()
    after_date, after_nid = ("", "", *position)[-2:]
    kinds = [query.kind] if query.kind else Kind.values
    statuses = [query.status] if query.status else Status.values
    arguments = [query.since, kinds, statuses, query.grammar, date, descends, after_date, after_nid]
    keys = _rows("SELECT * FROM namespaces_listed", *arguments, SORT_LIMIT, limit)
    return namespaces.filter(nid__in=[nid for _, nid in sorted(keys, reverse=descends)[:limit]])


def _rows(select: str, *arguments: Any) -> list[tuple[Any, ...]]:
    """The rows of a set-returning function."""
    with connection.cursor() as cursor:
        cursor.execute(f"{select}({', '.join(['%s'] * len(arguments))})", arguments)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
