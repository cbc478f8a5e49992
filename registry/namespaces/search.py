"""Lists and full-text search of namespaces, in pages.

Every query is answered by an index, however many namespaces there are. Lists have an index for each kind, status and
order, and one for the changes since an instant (`migrations/lists.sql`); a list is merged from the beginnings of these.
Search has one index over NID, profile, registrant, purpose and current text (`migrations/search.sql`). It finds a limited
number of namespaces, and pages tell users if there are more; those with the words in their NID or profile are not left out.
"""

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet, TextChoices

from registry.core.pagination import Keyset, Page
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.queries import add_titles
from registry.namespaces.search_terms import searchable, subjects_named, terms_of, tier_of

MAX_RESULTS = 200  # namespaces found by a search; one more word helps more than one more page
SORT_LIMIT = 20_000  # up to this number of changes of a year are sorted in memory

# The texts that are searched until enough namespaces are found: those of the profile, from its title alone to its title,
# resource, subjects, keywords and summary (`migrations/search.sql`), then all. NIDs are always searched.
ALL_TEXTS = ""
CLOSEST_FIRST = ("^", "^$", "^$+", ALL_TEXTS)


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

    `registrant` contains beginnings of words of the registrant's name. `since` is an instant in UTC with microseconds, such as
    2026-01-31T12:00:00.000000, or its beginning; namespaces whose `changed_at` is then or later match.
    `subject` is one of `urnsyntax.profiles.profile.SUBJECTS`, `organisation` the key of an organisation.
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
    organisation: int | None = None

    @property
    def grammar(self) -> str:
        """`has_grammar` as an argument of the database functions."""
        return {None: "", True: "with", False: "without"}[self.has_grammar]

    @property
    def filter(self) -> Q:
        """Kind, status, grammar, organisation and subject as a condition."""
        condition = Q(kind=self.kind) if self.kind else Q()
        if self.status:
            condition &= Q(deprecated_at__isnull=self.status == Status.ACTIVE)
        if self.has_grammar is not None:
            condition &= Q(has_grammar=self.has_grammar)
        if self.organisation is not None:
            condition &= Q(organisation=self.organisation)
        return (
            condition & Q(profile__content__subjects__contains=[self.subject]) if self.subject else condition
        )


@dataclass(frozen=True, slots=True)
class SearchPage(Page[Namespace]):
    """A page of results.

    `exact`, on the first page, is the namespace whose NID is the text; `rows` exclude it. In the order of relevance, rows
    have the attribute `tier`, a `Tier`. `is_truncated` tells that more than MAX_RESULTS namespaces match, and some were left out.
    """

    exact: Namespace | None = None
    is_truncated: bool = False

    @property
    def namespaces(self) -> list[Namespace]:
        """The exact match, if there is one, and the rows."""
        return [*filter(None, [self.exact]), *self.rows]


def titled_page(query: SearchQuery, size: int) -> SearchPage:
    """A page as in `search_page`, of namespaces with `title` and `summary`."""
    page = search_page(query, size)
    # Not in the query for the page, which sorts more rows than the page has.
    add_titles(page.namespaces)
    return page


def search_page(query: SearchQuery, size: int) -> SearchPage:
    """One page of a search or of a list. The order of NIDs becomes, for a search, that of relevance."""
    query = replace(query, text=searchable(query.text))
    namespaces, is_truncated = search_namespaces(query, size + 1)
    exact, keyset = None, query.keyset
    if query.text:
        typed = query.text.lower()
        namespaces = namespaces.exclude(nid=typed)
        if keyset is BY_NID:
            namespaces, keyset = namespaces.annotate(tier=tier_of(terms_of(query.text))), BY_RELEVANCE
        exact = None if query.after else Namespace.objects.filter(query.filter, nid=typed).first()
    page = keyset.page(namespaces, query.after, size)
    matches = namespaces if _is_search(query) else Namespace.objects.filter(query.filter)
    span = partial(keyset.span, matches, page) if page.rows else None
    return SearchPage(page.rows, page.after, page.is_later, exact, is_truncated, span=span)


def search_namespaces(query: SearchQuery, limit: int) -> tuple[QuerySet[Namespace], bool]:
    """The matches, for `query.keyset` to order, and whether some were left out.

    With search terms or a subject these are up to MAX_RESULTS, those with the terms in their NID or profile first. A text
    without a letter or a digit matches nothing. Without search terms they contain the first `limit` after `query.after`.
    """
    query = replace(query, text=searchable(query.text), registrant=searchable(query.registrant))
    if not _is_search(query):
        return _list(query, limit) if query.organisation is None else _of_organisation(query), False
    found: dict[int, None] = {}
    for marks in CLOSEST_FIRST if query.text else (ALL_TEXTS,):
        found |= dict.fromkeys(_find(query, marks))
        if len(found) > MAX_RESULTS:
            break
    return Namespace.objects.filter(pk__in=[*found][:MAX_RESULTS]), len(found) > MAX_RESULTS


def _of_organisation(query: SearchQuery) -> QuerySet[Namespace]:
    """Without search terms: the namespaces of an organisation, which are few."""
    namespaces = Namespace.objects.filter(query.filter)
    if not query.since:
        return namespaces
    return namespaces.filter(changed_at__gte=datetime.fromisoformat(query.since).replace(tzinfo=UTC))


def _is_search(query: SearchQuery) -> bool:
    return bool(query.text or query.registrant or query.subject)


def is_found(text: str) -> bool:
    """Whether a search for the text finds a namespace."""
    return bool(_find(SearchQuery(searchable(text)), most=1))


def _find(query: SearchQuery, marks: str = ALL_TEXTS, most: int = 0) -> list[int]:
    """The primary keys of up to `most` matches, by default MAX_RESULTS and one more if there is one."""
    words = [query.text, marks, json.dumps(subjects_named(query.text))]
    organisation = "" if query.organisation is None else str(query.organisation)
    filters = [
        query.kind,
        query.status,
        query.grammar,
        query.subject,
        query.registrant,
        organisation,
        query.since,
    ]
    rows = _rows("SELECT namespaces_found", *words, *filters, most or MAX_RESULTS + 1)
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
