"""Lists and full-text search of namespaces, in pages.

Every query is answered by an index, however many namespaces there are. Lists have an index for each kind, status and
order, and one for the changes since an instant (`migrations/lists.sql`); a list is merged from the beginnings of these.
Search has one index over NID, profile, registrant, purpose and current text (`migrations/search.sql`). It finds a limited
number of namespaces, and pages tell users if there are more; those with the words in their NID or profile are not left out.
If few namespaces have all words, those that have some of them follow. A search of one word costs the same in any registry, and
a search of several words is a search for each.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from django.db import connection
from django.db.models import IntegerField, Q, QuerySet, TextChoices, Value

from registry.core.pagination import Keyset, Page
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.queries import add_titles, nid_of_urn
from registry.namespaces.search_terms import (
    Having,
    Term,
    corrections_of,
    has_changed_since,
    has_registrant,
    rank_of,
    searchable,
    terms_of,
)
from registry.namespaces.subject_words import subjects_named
from registry.namespaces.suggestions import suggestions_for
from urnsyntax.profiles import Suggestion

MAX_RESULTS = 200  # namespaces found by a search; one more word helps more than one more page
ENOUGH = 10  # namespaces with all words; if there are fewer, those with some of the words follow
SORT_LIMIT = 20_000  # up to this number of changes of a year are sorted in memory

# The texts that are searched until enough namespaces are found: those of the profile, from its title alone to its title,
# resource, subjects, keywords and summary (`migrations/search.sql`), then all. NIDs are always searched.
ALL_TEXTS = ""
CLOSEST_FIRST = ("^", "^$", "^$+", ALL_TEXTS)

# Functions that return the primary keys of namespaces of which another text has a word: those of their sub-namespaces.
OTHER_TEXTS: list[Callable[[Term], Sequence[int]]] = []


class Status(TextChoices):
    ACTIVE = "active", "in use"
    DEPRECATED = "deprecated", "deprecated"


class Order(TextChoices):
    NID = "nid", "relevance, or NID"
    NEWEST = "newest", "newest first"
    UPDATED = "updated", "latest update first"


BY_NID = Keyset("nid")
BY_RELEVANCE = Keyset("rank", "nid")
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

    @property
    def whole_filter(self) -> Q:
        """All filters as a condition, which is read for few rows only."""
        condition = self.filter
        if self.since:
            condition &= Q(has_changed_since(self.since))
        if self.registrant:
            condition &= Q(has_registrant(self.registrant))
        return condition


@dataclass(frozen=True, slots=True)
class Matches:
    """What a search finds: up to MAX_RESULTS namespaces, for a keyset to order; with words, they have the attribute `rank`.

    `text` is what was searched for: the NID of a URN, or the words with `corrections`, known words by words that nothing has.
    `unknown` are the other words that nothing has. `suggestions` are URNs that the text was probably meant to be.
    `having` contains, for each word, which namespaces have it. `is_truncated` tells that more match, and were left out.
    """

    namespaces: QuerySet[Namespace]
    is_truncated: bool = False
    text: str = ""
    corrections: Mapping[str, str] = field(default_factory=dict)
    unknown: Sequence[str] = ()
    suggestions: Sequence[Suggestion] = ()
    having: Mapping[str, Having] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchPage(Page[Namespace]):
    """A page of results.

    `exact`, on the first page, is the namespace whose NID is the text; `rows` exclude it. In the order of relevance, rows
    have the attribute `rank`.
    """

    matches: Matches
    exact: Namespace | None = None

    @property
    def is_truncated(self) -> bool:
        return self.matches.is_truncated

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


def _is_known_nowhere(_: Term) -> bool:
    return False


def search_page(
    query: SearchQuery, size: int, is_known: Callable[[Term], bool] = _is_known_nowhere
) -> SearchPage:
    """One page of a search or of a list. The order of NIDs becomes, for a search, that of relevance."""
    matches = search_namespaces(query, size + 1, is_known)
    namespaces, keyset, exact = matches.namespaces, query.keyset, None
    if matches.text:
        nid = matches.text.lower()
        namespaces = namespaces.exclude(nid=nid)
        keyset = BY_RELEVANCE if keyset is BY_NID else keyset
        exact = None if query.after else matches.namespaces.filter(nid=nid).first()
    page = keyset.page(namespaces, query.after, size)
    counted = namespaces if _is_search(query) else Namespace.objects.filter(query.filter)
    span = partial(keyset.span, counted, page) if page.rows else None
    return SearchPage(page.rows, page.after, page.is_later, matches, exact, span=span)


def search_namespaces(
    query: SearchQuery, limit: int, is_known: Callable[[Term], bool] = _is_known_nowhere
) -> Matches:
    """The matches of a search or of a list.

    A URN finds its namespace. A text without a letter or a digit matches nothing. Without search terms, the matches contain
    the first `limit` after `query.after`. A word is not corrected, and not unknown, if `is_known` knows it from elsewhere.
    """
    query = replace(query, text=searchable(query.text), registrant=searchable(query.registrant))
    if not _is_search(query):
        of_organisation = Namespace.objects.filter(query.whole_filter)  # which are few
        return Matches(_list(query, limit) if query.organisation is None else of_organisation)
    if not query.text:
        found = _find(query)
        return Matches(Namespace.objects.filter(pk__in=found[:MAX_RESULTS]), len(found) > MAX_RESULTS)
    if nid := nid_of_urn(query.text):
        of_urn = Namespace.objects.filter(query.whole_filter, nid=nid)
        if of_urn.exists():
            return Matches(of_urn.annotate(rank=Value(0, output_field=IntegerField())), text=nid)
        query = replace(query, text=nid)
    suggestions = _suggestions(query.text)
    matches = _matches(query, is_known, suggestions)
    corrections = corrections_of(matches.unknown, is_found)
    if not corrections:
        return matches
    words = [corrections.get(each.word, each.word) for each in terms_of(query.text)]
    better = _matches(replace(query, text=" ".join(words)), is_known, ())
    return replace(better, corrections=corrections)


def _suggestions(text: str) -> Sequence[Suggestion]:
    """URNs that were probably meant. Words alone are not meant as one, although “lex something” could be one."""
    is_name = ":" in text or any(character.isdigit() for character in text)
    return suggestions_for(text) if is_name else ()


def _matches(
    query: SearchQuery, is_known: Callable[[Term], bool], suggestions: Sequence[Suggestion]
) -> Matches:
    """The namespaces that have all words; if these are few, also those that have some; and those whose NID was typed."""
    terms = terms_of(query.text)
    found = _closest(query, terms) if terms else []
    is_truncated = len(found) > MAX_RESULTS
    found = found[:MAX_RESULTS]
    having = {each.word: Having(set(found), set()) for each in terms}
    meant = [each.word for each in terms] + [nid_of_urn(each.urn) for each in suggestions]
    if len(found) < ENOUGH and not is_truncated:
        some = _with_some(query, terms, having)
        is_truncated = len(some) > MAX_RESULTS
        found = some[:MAX_RESULTS]
    of_nid = Namespace.objects.filter(query.whole_filter, nid__in=meant).values_list("pk", flat=True)
    namespaces = Namespace.objects.filter(pk__in=[*dict.fromkeys([*of_nid, *found])][:MAX_RESULTS])
    # A stop word, without a stem, is in no index. Without a filter, the terms were searched for everywhere.
    lacking = [each for each in terms if each.stem and not (suggestions or having[each.word])]
    is_filtered = bool(query.whole_filter)
    unknown = [
        each.word for each in lacking if not (is_filtered and _is_anywhere(each)) and not is_known(each)
    ]
    return Matches(
        namespaces.annotate(rank=rank_of(terms, having, meant)),
        is_truncated,
        query.text,
        unknown=unknown,
        suggestions=suggestions,
        having=having,
    )


def _closest(query: SearchQuery, terms: Sequence[Term]) -> list[int]:
    """The namespaces that have all terms, more than MAX_RESULTS if there are more, the closest texts first."""
    of_terms = replace(query, text=" ".join(each.word for each in terms))
    found: dict[int, None] = {}
    for marks in CLOSEST_FIRST:
        found |= dict.fromkeys(_find(of_terms, marks))
        if len(found) > MAX_RESULTS:
            break
    return [*found]


def _with_some(query: SearchQuery, terms: Sequence[Term], having: Mapping[str, Having]) -> list[int]:
    """The namespaces that have some of the terms, those with more first; `having` learns which have each.

    A term that more than MAX_RESULTS namespaces have counts where the index found it first, and in the texts of `ranking`.
    """
    for term in terms:
        here = having[term.word]
        if len(terms) > 1:
            here.in_texts.update(_find(replace(query, text=term.word)))
        here.below.update(pk for texts in OTHER_TEXTS for pk in texts(term))
    common = [term for term in terms if len(having[term.word].in_texts) > MAX_RESULTS]
    if 1 < len(common) < len(terms):
        closest = _closest(query, common)
        for term in common:
            having[term.word].in_texts.update(closest)
    if condition := query.whole_filter:
        below = set().union(*(here.below for here in having.values()))
        kept = Namespace.objects.filter(condition, pk__in=below).values_list("pk", flat=True)
        for here in having.values():
            here.below.intersection_update(kept)
    found = set().union(*(here.in_texts | here.below for here in having.values()))

    def lacked(pk: int) -> tuple[int, int]:
        return sum(pk not in here for here in having.values()), -pk

    return sorted(found, key=lacked)


def _is_search(query: SearchQuery) -> bool:
    return bool(query.text or query.registrant or query.subject)


def is_found(text: str) -> bool:
    """Whether a namespace has all words of the text."""
    return bool(_find(SearchQuery(searchable(text)), most=1))


def _is_anywhere(term: Term) -> bool:
    """Whether a namespace has the term, without any filter, or a sub-namespace of one."""
    return is_found(term.word) or any(texts(term) for texts in OTHER_TEXTS)


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
