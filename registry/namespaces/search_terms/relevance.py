"""The order of results: where a namespace has the words of a search."""

from collections.abc import Sequence
from enum import IntEnum

from django.db.models import IntegerField
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
    """The same texts, with a subject for each word that names one: “medical” names the subject health."""
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
# Whether the NID or a text has a term; the words and queries are parameters.
HAS_TERM = "(strpos(namespaces_namespace.nid, %s) > 0 OR namespaces_namespace.ranking @@ %s::tsquery)"


def tier_of(terms: Sequence[Term]) -> RawSQL:
    """The tier of a namespace that a search for these terms has found, as an SQL expression."""
    whens = [f"WHEN {' AND '.join([HAS_TERM] * len(terms)) or 'true'} THEN {tier:d}" for tier in WEIGHTS]
    values = [value for tier in WEIGHTS for term in terms for value in (term.word, _query(term, tier))]
    tier = f"CASE {' '.join(whens)} ELSE {Tier.TEXT:d} END"
    return RawSQL(tier, values, output_field=IntegerField())  # nosec B611  # words are parameters


def _query(term: Term, tier: Tier) -> str:
    """The tsquery for the texts of the tier that have the term."""
    weights = WEIGHTS[tier]
    ways = [f"'{term.word}':*{weights}"]
    if term.stem:
        ways.append(f"'{term.stem}':{weights}")
    if tier >= Tier.SUBJECT and (subject := subject_named(term.word)):
        ways.append(f"'{subject}':B")
    return " | ".join(ways)
