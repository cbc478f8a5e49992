"""The filters of lists of cases: the page, its download and the API share these conditions.

They narrow a list of public cases. Each reads only what is public in such a case: its latest round, its registrant, its
verdicts, and the time since when it is in its state.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import BooleanField, Q
from django.db.models.expressions import Combinable, RawSQL

from registry.accounts.models import User
from registry.cases.models.rounds import Review
from registry.namespaces.search_terms.words import Term, searchable, terms_of
from registry.organisations.models import Organisation

# Later days are like this one: no day follows the last one of the calendar.
LAST_DAY = date(2999, 12, 31)


def has_words(terms: Sequence[Term]) -> Combinable:
    """Whether a public case has all words in its NID, or in the organisation or purpose of its latest round.

    A prefix of a word is enough. The column `words` is empty before a case is public (`migrations/search.sql`).
    """
    query = " & ".join(f"('{term.word}':* | '{term.stem or term.word}')" for term in terms)
    return RawSQL(  # nosec B611  # the query is a parameter
        "cases_case.words @@ %s::tsquery", [query], output_field=BooleanField()
    )


def _has_text(text: str) -> Q:
    terms = terms_of(text)
    return Q(has_words(terms)) if terms else Q(pk__in=[])


def _is_reviewed_by(name: str) -> Q:
    reviews = Review.objects.filter(expert__in=User.objects.named(searchable(name)))
    return Q(pk__in=reviews.values("round__case"))


def _is_of(name: str) -> Q:
    """Whether the registrant, or the organisation, has these words in its name.

    A union, because PostgreSQL reads no index for conditions on two tables that are joined by OR.
    """
    people = User.objects.named(searchable(name)).filter(cases__isnull=False, cases__organisation=None)
    organisations = Organisation.objects.filter(name__icontains=name.strip())
    return Q(pk__in=people.values("cases").union(organisations.values("cases"), all=True))


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


FILTERS: Mapping[str, Callable[[Any], Q]] = {
    "q": _has_text,
    "registrant": _is_of,
    "expert": _is_reviewed_by,
    "since": lambda day: Q(state_since__gte=_start_of(day)),
    "until": lambda day: Q(state_since__lt=_start_of(min(day, LAST_DAY) + timedelta(days=1))),
}
