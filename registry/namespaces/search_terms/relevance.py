"""The order of results: where a namespace has the words of a search."""

from collections.abc import Iterable
from enum import IntEnum
from functools import reduce
from operator import and_

from django.db.models import BooleanField, Case, IntegerField, Q, When
from django.db.models.expressions import RawSQL

from registry.namespaces.search_terms.subjects import subject_named
from registry.namespaces.search_terms.words import Term


class Tier(IntEnum):
    """The texts that together have all words of a search, the most relevant first; each includes those before it."""

    NAME = 0
    """NID and title."""
    TERMS = 1
    """Resource, subjects and keywords."""
    SUMMARY = 2
    SUBJECT = 3
    """A subject that a word names, such as “medical” that of health."""
    ORGANISATION = 4
    """Organisation and registrant."""
    TEXT = 5
    """Purpose, references and registration."""


# The weights in the column `ranking` (`migrations/search.sql`) of the texts of each tier.
WEIGHTS = {
    Tier.NAME: "A",
    Tier.TERMS: "AB",
    Tier.SUMMARY: "ABC",
    Tier.SUBJECT: "ABC",
    Tier.ORGANISATION: "ABCD",
}


def tier_of(terms: Iterable[Term]) -> Case:
    """The tier of a namespace that a search for these terms has found, as an SQL expression."""
    terms = list(terms)
    whens = [
        When(reduce(and_, (_has(term, tier, weights) for term in terms), Q(nid__contains="")), then=tier)
        for tier, weights in WEIGHTS.items()
    ]
    return Case(*whens, default=Tier.TEXT, output_field=IntegerField())


def _has(term: Term, tier: Tier, weights: str) -> Q:
    """Whether the NID or a text with one of the weights has the term."""
    ways = [f"'{term.word}':*{weights}"]
    if term.stem:
        ways.append(f"'{term.stem}':{weights}")
    if tier >= Tier.SUBJECT and (subject := subject_named(term.word)):
        ways.append(f"'{subject}':B")
    condition = RawSQL(  # nosec B611  # the query is a parameter
        "namespaces_namespace.ranking @@ %s::tsquery", [" | ".join(ways)], output_field=BooleanField()
    )
    return Q(nid__contains=term.word) | Q(condition)
