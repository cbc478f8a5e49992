"""The open cases that a search finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from registry.cases.models import Case, CaseQuerySet, Round
from registry.cases.models.search import has_words
from registry.namespaces.search_terms.words import Term
from registry.search.excerpts import excerpt, marked


@dataclass(frozen=True, slots=True)
class FoundCase:
    """A case, with the organisation and the purpose in its latest round."""

    case: Case
    organisation: SafeString
    purpose: SafeString


def search_cases(terms: Sequence[Term]) -> CaseQuerySet:
    """The open public cases with all words in their NID, organisation or purpose, newest first."""
    if not terms:
        return Case.objects.none()
    return Case.objects.public().open().filter(has_words(terms)).order_by("-pk")


def found_cases(terms: Sequence[Term], most: int) -> list[FoundCase]:
    """The newest cases with all terms, at most `most`. One query reads the rounds."""
    cases = list(search_cases(terms).select_related("namespace")[:most])
    rounds = Round.objects.filter(case__in=[case.pk for case in cases]).order_by("case_id", "-number")
    latest = {each.case_id: each for each in rounds.distinct("case_id").only("case", "content")}
    return [_found(case, latest[case.pk].content, terms) for case in cases]


def _found(case: Case, content: Mapping[str, Any], terms: Sequence[Term]) -> FoundCase:
    organisation = content.get("registrant", {}).get("organization", "")
    purpose = excerpt(content.get("purpose", ""), terms)
    return FoundCase(case, marked(organisation, terms), marked(purpose, terms))
