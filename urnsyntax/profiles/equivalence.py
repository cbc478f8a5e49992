"""Equivalence of names in one namespace: other spellings, and the characters that a profile can ignore."""

import re
from collections.abc import Sequence
from dataclasses import replace

from stdnum import isbn

from ..namespace_equivalence import (
    EQUIVALENCES as WITHOUT_SPELLINGS,
)
from ..namespace_equivalence import ISBN_13, ISSN, Equivalence, equivalence_rules, isbn_13_digit
from .errors import InvalidIgnoredCharacters
from .grammar.patterns import describe_character

# The characters of an NSS (Section 2: pchar and "/") except letters, digits and "%".
IGNORABLE = "!$&'()*+,-./:;=@_~"
_NOT_IGNORABLE = re.compile(f"[^{re.escape(IGNORABLE)}]")


def _isbn_spellings(key: str) -> Sequence[str]:
    if not (ISBN_13.fullmatch(key) and isbn_13_digit(key[:12]) == key[12]):
        return ()
    # ISO 2108, Section 4: a hyphenated ISBN has all elements. They are empty where the range of the group or of the
    # registrant is not known.
    elements = isbn.split(key)
    is_divided = all(elements)
    spellings = [key, *(["-".join(elements)] if is_divided else [])]
    if key.startswith("978"):
        ten = isbn.to_isbn10(key)
        spellings += [*(["-".join([*elements[1:-1], ten[-1]])] if is_divided else []), ten]
    return spellings


EQUIVALENCES = WITHOUT_SPELLINGS | {"isbn": replace(WITHOUT_SPELLINGS["isbn"], others=_isbn_spellings)}
"""The closed, reviewed set of functions, by name. The spellings of an ISBN need the ranges of python-stdnum."""


def parse_ignored(text: str) -> str:
    """The characters to ignore, sorted and without duplicates. Raises `InvalidIgnoredCharacters`.

    >>> parse_ignored("--.")
    '-.'
    """
    if wrong := _NOT_IGNORABLE.search(text):
        raise InvalidIgnoredCharacters(
            f"Character {wrong.start() + 1} is {describe_character(wrong[0])}.",
            f"Only these can be ignored: {IGNORABLE}",
            text=text,
            position=wrong.start(),
        )
    return "".join(sorted(set(text)))


__all__ = [
    "EQUIVALENCES",
    "IGNORABLE",
    "ISBN_13",
    "ISSN",
    "Equivalence",
    "equivalence_rules",
    "parse_ignored",
]
