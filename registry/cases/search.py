"""Full-text search of open cases."""

from collections.abc import Sequence

from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

from registry.cases.models import CLOSED_STATES, Case, CaseQuerySet
from registry.namespaces.search_terms.words import Term


def search_cases(terms: Sequence[Term]) -> CaseQuerySet:
    """The open public cases with all words in their NID, organisation or purpose, newest first.

    A prefix of a word is enough. The column `words` is empty before a case is public (`migrations/search.sql`).
    """
    if not terms:
        return Case.objects.none()
    query = " & ".join(f"('{term.word}':* | '{term.stem or term.word}')" for term in terms)
    condition = RawSQL(  # nosec B611  # the query is a parameter
        "cases_case.words @@ %s::tsquery", [query], output_field=BooleanField()
    )
    # The condition of the index `open_cases_by_words`.
    return Case.objects.public().exclude(state__in=sorted(CLOSED_STATES)).filter(condition).order_by("-pk")
