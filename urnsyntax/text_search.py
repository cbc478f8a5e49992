"""Search for URNs in running text.

A URN ends before the first character that cannot be part of it (RFC 2141, Section 2.4). `find` uses the
grammar of RFC 8141, `rfc2141.find` that of RFC 2141.

A URN does not begin in the middle of a word: after a letter or digit of any script, "_" or "-". It does not
begin after the colon of another scheme either, because there it is a part of another URI, as in
"info:urn:example:a".
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .grammar import NAMESTRING
from .regex import compile_pattern

# RFC 3986:  scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
# The scheme "urn" is not another one: RFC 2141 reserves the NID "urn", so "urn:urn:a:b" contains "urn:a:b".
NOT_IN_A_WORD = r"(?<![\w\-])(?:(?<![A-Za-z0-9+\-.]:)|(?<=(?<![\w+\-.:])[Uu][Rr][Nn]:))"

_find = compile_pattern(NOT_IN_A_WORD + NAMESTRING).finditer
_PUNCTUATION = frozenset(".,;:!?'")
_INTRODUCERS = ("?+", "?=")


@dataclass(frozen=True, slots=True)
class FoundURN:
    """A URN found in a text: ``urn == text[start:end]``."""

    start: int
    end: int
    urn: str

    def without_punctuation(self) -> "FoundURN":
        """Return the URN without trailing punctuation that probably belongs to the sentence.

        The grammar allows a URN to end with a full stop, but in prose it rarely does. A closing parenthesis
        without an opening one in the URN is removed too.

        >>> [found.without_punctuation().urn for found in find("(See urn:isbn:0451450523.)")]
        ['urn:isbn:0451450523']
        """
        shortest = self.urn.index(":", len("urn:")) + 2
        unopened = self.urn.count(")") - self.urn.count("(")
        end = len(self.urn)
        while end > shortest:
            last = self.urn[end - 1]
            if last == ")" and unopened > 0:
                unopened -= 1
            elif last not in _PUNCTUATION and not self.urn.endswith(_INTRODUCERS, 0, end):
                break
            end -= 1
        return FoundURN(self.start, self.start + end, self.urn[:end])


def find(text: str) -> Iterator[FoundURN]:
    """Find the URNs of RFC 8141 in running text.

    >>> [(found.start, found.urn) for found in find("<urn:isbn:0451450523> and urn:oid:1.2, too")]
    [(1, 'urn:isbn:0451450523'), (26, 'urn:oid:1.2,')]
    >>> list(find("saturn:a:b, my-urn:a:b, info:urn:aa:b"))
    []
    """
    return found_by(_find, text)


def found_by(finditer: Callable[[str], Iterator[re.Match[str]]], text: str) -> Iterator[FoundURN]:
    """Yield the URNs that a pattern finds in a text."""
    return (
        FoundURN(match.start(), match.end(), match[0])
        for match in finditer(text)
        if not _follows_combining_character(text, match.start())
    )


def _follows_combining_character(text: str, start: int) -> bool:
    """Whether the character before is a part of a letter, such as an accent; no class of `re` contains these."""
    return start > 0 and unicodedata.category(text[start - 1])[0] == "M"
