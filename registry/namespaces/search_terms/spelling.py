"""Corrections of misspelt words: the nearest known word for each word that finds nothing."""

from collections.abc import Callable

from registry.namespaces.models import SearchWord
from registry.namespaces.search_terms.subjects import SUBJECT_WORDS
from registry.namespaces.search_terms.words import terms_of
from urnsyntax.nid import one_edit_away

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
