"""The words of a search, as the search index has them."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from django.db import connection

from registry.core.characters import UNSTORABLE

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
