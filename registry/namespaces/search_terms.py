"""The terms of a search: words, spelling, and how relevant a namespace is to them."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import BooleanField, IntegerField
from django.db.models.expressions import RawSQL

from registry.core.validators import UNSTORABLE
from registry.namespaces.models import SearchWord
from registry.namespaces.subject_words import SUBJECT_WORDS, WORD, subject_named
from urnsyntax.nid import one_edit_away


def unused_words(*texts: str) -> list[str]:
    """The words of texts that the vocabulary has although no namespace has them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM namespaces_unused_words(%s) ORDER BY 1", [list(texts)])
        return [word for (word,) in cursor.fetchall()]


def forget_unused_words(*texts: str) -> None:
    """Remove the words of texts that no namespace has."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT namespaces_forget(%s)", [list(texts)])


MIN_LENGTH = 4  # letters; among shorter words, each is near to many others
MAX_CANDIDATES = 5  # words that are tried


def corrections_of(words: Iterable[str], is_found: Callable[[str], bool]) -> dict[str, str]:
    """The nearest known word for each of these words that has one. `is_found` says whether a word finds anything."""
    nearest = {word: _correction(word, is_found) for word in words if not subject_named(word)}
    return {word: better for word, better in nearest.items() if better}


def _correction(word: str, is_found: Callable[[str], bool]) -> str:
    if len(word) < MIN_LENGTH or any(character.isdigit() for character in word):
        return ""
    return next((each for each in _nearest(word) if is_found(each)), "")


def _nearest(word: str) -> list[str]:
    """The known words that differ by one typing error, the likeliest first.

    Few people mistype the first letter, and two neighbours that are swapped are likelier than another letter.
    """
    near = one_edit_away(word)
    known = set(SearchWord.objects.filter(word__any=near).values_list("word", flat=True).distinct())
    known |= near & SUBJECT_WORDS

    def unlikelihood(candidate: str) -> tuple[bool, bool, str]:
        return candidate[0] != word[0], sorted(candidate) != sorted(word), candidate

    return sorted(known, key=unlikelihood)[:MAX_CANDIDATES]


MAX_QUERY_LENGTH = 200  # characters; the rest is ignored


@dataclass(frozen=True, slots=True)
class Term:
    """A word in lower case and without accents, and its stem; the stem of a stop word such as “of” is empty."""

    word: str
    stem: str

    def is_in(self, text: str) -> bool:
        """Whether a word of the text begins with this one, or is another form of it."""
        return any(self.matches(each) for each in WORD.findall(text))

    def matches(self, word: str) -> bool:
        """Whether a word begins with this one, or is probably another form of it."""
        other = without_accents(word).lower()
        # The stem of “library” and “libraries” is “librari”.
        stem = self.stem.removesuffix("i")
        is_inflected = len(stem) > 2 and other.startswith(stem) and len(other) - len(stem) <= 3
        return other.startswith(self.word) or is_inflected


def without_accents(text: str) -> str:
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def searchable(text: str) -> str:
    """The beginning of a text, with spaces for characters that the database can't store."""
    return UNSTORABLE.sub(" ", text[:MAX_QUERY_LENGTH]).strip()


@lru_cache(maxsize=1_000)
def terms_of(text: str) -> tuple[Term, ...]:
    """The first ten words of a search in their order, without stop words if there are others."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT word, coalesce(stem, '') FROM namespaces_asked(%s)", [searchable(text)])
        return tuple(Term(word, stem) for word, stem in cursor.fetchall())


class Tier(IntEnum):
    """Where a namespace has a word of a search, the most relevant first."""

    NID = 0
    """The word is the NID."""
    BEGINNING = 1
    """The NID begins with the word."""
    NAME = 2
    """NID and title."""
    TERMS = 3
    """Resource, subjects and keywords."""
    SUMMARY = 4
    SUBJECT = 5
    """A subject that the word names: “medical” names the subject health."""
    PART = 6
    """Some letters within the NID."""
    ORGANISATION = 7
    """Organisation and registrant."""
    BELOW = 8
    """Sub-namespaces."""
    TEXT = 9
    """Purpose, references and registration."""


@dataclass(frozen=True, slots=True)
class Having:
    """The primary keys of namespaces that have a word: in their own texts, and in those of their sub-namespaces."""

    in_texts: set[int]
    below: set[int]

    def __contains__(self, pk: int) -> bool:
        return pk in self.in_texts or pk in self.below

    def __bool__(self) -> bool:
        return bool(self.in_texts or self.below)


LACKING = 1_000  # in a rank, more than all places of ten words
# The weights in the column `ranking` (`migrations/search.sql`) of the texts of each tier with those before it: for a word, and
# for what only begins with it or has its stem, which is one tier less relevant: “university” has the stem of “universal”.
WEIGHTS = {
    Tier.NAME: ("A", ""),
    Tier.TERMS: ("AB", "A"),
    Tier.SUMMARY: ("ABC", "AB"),
    Tier.ORGANISATION: ("ABCD", "ABCD"),
}
ID, NID = "namespaces_namespace.id", "namespaces_namespace.nid"


def rank_of(terms: Sequence[Term], having: Mapping[str, Having], nids: Sequence[str]) -> RawSQL:
    """How relevant a namespace is to a search, as an SQL expression: a whole number, the smallest first.

    Those that lack fewer terms come first, among them those that have the terms in closer texts, and among these those that have
    them in sub-namespaces too. One with one of `nids` may lack a term more than others.
    """
    cases = [f"CASE WHEN {NID} = ANY(%s) THEN 0 ELSE {LACKING} END"]
    values: list[Any] = [[*nids]]
    for term in terms:
        places = _places(term, having[term.word])
        whens = " ".join(f"WHEN {condition} THEN {2 * tier}" for tier, condition, _ in places)
        cases += [f"CASE {whens} ELSE {LACKING} END", f"CASE WHEN {ID} = ANY(%s) THEN 0 ELSE 1 END"]
        values += [*(value for _, _, value in places), [*having[term.word].below]]
    return RawSQL(" + ".join(cases), values, output_field=IntegerField())  # nosec B611  # words are parameters


def _places(term: Term, having: Having) -> list[tuple[Tier, str, Any]]:
    """The tiers in their order, each with the condition that a namespace has the term there, and its parameter."""
    in_ranking = "namespaces_namespace.ranking @@ %s::tsquery"
    subject = subject_named(term.word)
    places = [
        (Tier.NID, f"{NID} = %s", term.word),
        (Tier.BEGINNING, f"starts_with({NID}, %s)", term.word),
        *((tier, in_ranking, _query(term, *weights)) for tier, weights in WEIGHTS.items()),
        *([(Tier.SUBJECT, in_ranking, f"'{subject}':B")] if subject else []),
        (Tier.PART, f"strpos({NID}, %s) > 0", term.word),
        (Tier.BELOW, f"{ID} = ANY(%s)", [*having.below]),
        (Tier.TEXT, f"{ID} = ANY(%s)", [*having.in_texts]),
    ]
    return sorted(places, key=lambda place: place[0])


def _query(term: Term, weights: str, of_similar: str) -> str:
    """The tsquery for texts with the first weights that have the term, and texts with the second that have a similar word."""
    word = term.word
    plurals = {f"{word}s", f"{word}es", re.sub("y$", "ies", word)}
    singulars = {word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word)}
    ways = [f"'{each}':{weights}" for each in sorted({word} | plurals | singulars) if each]
    if of_similar:
        ways += [f"'{word}':*{of_similar}", *([f"'{term.stem}':{of_similar}"] if term.stem else [])]
    return " | ".join(ways)


def has_registrant(name: str) -> RawSQL:
    """Whether a word of the registrant's name begins with each word of `name`."""
    return RawSQL(  # nosec B611  # the name is a parameter
        "namespaces_namespace.words @@ ALL (namespaces_registrant_keys(%s))", [name], BooleanField()
    )


def has_changed_since(since: str) -> RawSQL:
    """Whether the last change was at an instant, or its beginning, or later."""
    return RawSQL(  # nosec B611  # the instant is a parameter
        "namespaces_namespace.changed >= %s", [since], BooleanField()
    )
