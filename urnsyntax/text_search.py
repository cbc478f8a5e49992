"""Search for URNs in running text.

A URN ends before the first character that cannot be part of it (RFC 2141, Section 2.4). `find` uses the
grammar of RFC 8141, `rfc2141.find` that of RFC 2141.

A URN does not begin in the middle of a word: after a letter or digit of any script, "_" or "-". It does not
begin after the colon of another scheme either, because there it is a part of another URI, as in
"info:urn:example:a". A number before a colon is not a scheme, as in "12:urn:example:a".
"""

import re
import string
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from .grammar import NAMESTRING, SCHEME
from .regex import compile_pattern

_start = compile_pattern(rf"(?<![\w\-])(?={SCHEME})")
_namestring = compile_pattern(NAMESTRING)
# RFC 3986:  scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
_LETTERS = frozenset(string.ascii_letters)
_SCHEME_CHARACTERS = _LETTERS | frozenset(string.digits + "+-.")
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
    return found_by(_namestring, text)


def found_by(pattern: re.Pattern[str], text: str) -> Iterator[FoundURN]:
    """Yield the URNs in a text that a pattern matches."""
    end = 0
    for candidate in _start.finditer(text):
        start = candidate.start()
        if start >= end and not _is_inside(text, start) and (match := pattern.match(text, start)):
            end = match.end()
            yield FoundURN(start, end, match[0])


def _is_inside(text: str, start: int) -> bool:
    """Whether a word or another URI goes on here.

    The scheme "urn" is not another one: RFC 2141 reserves the NID "urn", so "urn:urn:a:b" contains "urn:a:b". A number
    is not a scheme, but can be a part of a URI, as in "info:12:urn:a:b".
    """
    if text[start - 1 : start] != ":":
        return _is_of_a_word(text[start - 1 : start])
    first = start - 1
    while first and text[first - 1] in _SCHEME_CHARACTERS:
        first -= 1
    scheme, before = text[first : start - 1], text[first - 1 : first]
    if scheme.lower() == "urn":
        return before == ":" or _is_of_a_word(before)
    return bool(scheme) and (before == ":" or not _LETTERS.isdisjoint(scheme))


def _is_of_a_word(character: str) -> bool:
    """Whether a character, or none, is a letter, a digit, "_" or a part of a letter, such as an accent."""
    return (
        character == "_"
        or character.isalnum()
        or (character != "" and unicodedata.category(character)[0] == "M")
    )
