"""The terms of a search: words, spelling, subjects, and how relevant a namespace is to them."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from django.db import connection
from django.db.models import IntegerField
from django.db.models.expressions import RawSQL

from registry.core.validators import UNSTORABLE
from registry.namespaces.models import SearchWord
from urnsyntax.nid import one_edit_away
from urnsyntax.profiles.profile import SUBJECTS


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


def corrected(text: str, is_found: Callable[[str], bool]) -> str:
    """The words of a search with corrections; "" if no word has one. `is_found` says whether a word finds anything."""
    words = [term.word for term in terms_of(text)]
    better = {word: _correction(word, is_found) for word in words if not is_found(word)}
    if not any(better.values()):
        return ""
    return " ".join(better.get(word) or word for word in words)


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
WORD = re.compile(r"[^\W_]+")


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


# Other words for each subject; a plural is recognised by itself. A word that names only a part of a subject, such as
# “aviation” of transport, is not listed: the namespaces that have it say so.
SYNONYMS = {
    "bibliography": "bibliographic bibliographical library",
    "education": "educational teaching learning school university",
    "finance": "financial bank banking payment",
    "geography": "geographic geographical geospatial geodata",
    "government": "governmental authority administration",
    "health": "healthcare medical medicine clinical",
    "identity": "identification identities",
    "industry": "industrial manufacturing",
    "internet": "web network",
    "law": "legal legislation legislative",
    "logistics": "logistic shipping freight",
    "media": "multimedia audiovisual broadcasting",
    "science": "scientific research",
    "security": "cybersecurity",
    "software": "computing programming",
    "standards": "standardisation standardization",
    "telecommunications": "telecom telecommunication telephony telephone",
    "transport": "transportation traffic",
}
_SUBJECT_BY_WORD = {subject: subject for subject in SUBJECTS} | {
    word: subject for subject, words in SYNONYMS.items() for word in words.split()
}
SUBJECT_WORDS = frozenset(_SUBJECT_BY_WORD)


def subject_named(word: str) -> str:
    """The subject that a word in lower case names, in the singular or the plural; "" if it names none."""
    singulars = (word, word.removesuffix("s"), re.sub("ies$", "y", word))
    return next((_SUBJECT_BY_WORD[each] for each in singulars if each in _SUBJECT_BY_WORD), "")


def subjects_named(text: str) -> dict[str, str]:
    """The subjects that words of a text name, by these words in lower case."""
    named = {word: subject_named(word) for word in WORD.findall(text.lower())}
    return {word: subject for word, subject in named.items() if subject}


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
