"""The characters that a grammar expects at a place of a name, in words."""

import string
from collections.abc import Iterable

from ...grammar import PCHAR

NSS_CHARACTERS = "".join(
    sorted(
        {*string.ascii_letters, *string.digits, *(c for c in PCHAR if not c.isalnum() and c != "\\"), *"/%"}
    )
)
"""The characters of which an NSS consists (RFC 8141, Section 2), with "%" for percent-encodings."""

ANY = "another character"
ANY_BUT = "any character but "

_DIGITS, _UPPER, _LOWER = (
    frozenset(each) for each in (string.digits, string.ascii_uppercase, string.ascii_lowercase)
)
_HEX = frozenset(string.hexdigits)
# The largest sets first. Each takes its characters away from the ones after it.
_SETS = (
    (frozenset(NSS_CHARACTERS), ANY),
    (_DIGITS | _UPPER | _LOWER, "a letter or digit"),
    (_DIGITS | _UPPER, "an upper-case letter or digit"),
    (_DIGITS | _LOWER, "a lower-case letter or digit"),
    (_UPPER | _LOWER, "a letter"),
    (_UPPER, "an upper-case letter"),
    (_LOWER, "a lower-case letter"),
    (_HEX, "a hexadecimal digit"),
    (_HEX - _LOWER, "an upper-case hexadecimal digit"),
    (_HEX - _UPPER, "a lower-case hexadecimal digit"),
    (_DIGITS, "a digit"),
)
_ALL = frozenset(NSS_CHARACTERS)
_ALPHANUMERIC = _DIGITS | _UPPER | _LOWER
_MAX_LISTED = 8  # characters that are excluded
_MAX_PHRASES = 12


def in_words(characters: frozenset[str], texts: Iterable[str] = (), *, may_end: bool = False) -> str:
    """What is expected, such as "a digit, “:” or the end"; "" if nothing is.

    `texts` are expected as a whole. What begins with one of `characters` is not mentioned a second time.

    >>> in_words(frozenset("0123456789:"), ["rfc:", "9x"], may_end=True)
    'a digit, “:”, “rfc:” or the end'
    >>> in_words(frozenset("Xx")), in_words(frozenset("12345"))
    ('“x”', '“1” to “5”')
    """
    phrases = _phrases(characters)
    phrases += [f"“{text}”" for text in sorted(set(texts)) if text[0] not in characters]
    if len(phrases) > _MAX_PHRASES:
        phrases[_MAX_PHRASES:] = ["something else"]
    if may_end:
        phrases.append("the end")
    return _joined(phrases)


def _phrases(characters: frozenset[str]) -> list[str]:
    missing = _ALL - characters
    if characters >= _ALPHANUMERIC and 0 < len(missing) <= _MAX_LISTED:
        return [f"{ANY_BUT}{_joined(_listed(missing))}"]
    phrases = []
    rest = set(characters)
    for each, phrase in _SETS:
        if each <= rest:
            phrases.append(phrase)
            rest -= each
    return phrases + _listed({each for each in rest if not (each.isupper() and each.lower() in rest)})


def _joined(phrases: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(phrases[:-1]), *phrases[-1:]]))


def _listed(characters: Iterable[str]) -> list[str]:
    """The characters one by one, with runs of letters and digits as ranges."""
    runs: list[list[str]] = []
    for each in sorted(characters):
        if runs and each.isalnum() and ord(each) == ord(runs[-1][-1]) + 1:
            runs[-1].append(each)
        else:
            runs.append([each])
    phrases = []
    for run in runs:
        if len(run) > 2:
            phrases.append(f"“{run[0]}” to “{run[-1]}”")
        else:
            phrases += ["a percent-encoding" if each == "%" else f"“{each}”" for each in run]
    return phrases
