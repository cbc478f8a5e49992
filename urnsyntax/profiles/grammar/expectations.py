"""The characters that a grammar expects at a place of a name, in words."""

import string

from ...grammar import PCHAR

NSS_CHARACTERS = "".join(
    sorted(
        {*string.ascii_letters, *string.digits, *(c for c in PCHAR if not c.isalnum() and c != "\\"), *"/%"}
    )
)
"""The characters of which an NSS consists (RFC 8141, Section 2), with "%" for percent-encodings."""

_DIGITS, _UPPER, _LOWER = (
    frozenset(each) for each in (string.digits, string.ascii_uppercase, string.ascii_lowercase)
)
_HEX = frozenset(string.hexdigits)
# The largest sets first. Each takes its characters away from the ones after it.
_SETS = (
    (frozenset(NSS_CHARACTERS), "any character"),
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
_MAX_LISTED = 8


def in_words(characters: frozenset[str], may_end: bool) -> str:
    """What is expected, such as "a digit, “:” or the end"; "" if nothing is.

    >>> in_words(frozenset("0123456789:"), True)
    'a digit, “:” or the end'
    >>> in_words(frozenset("Xx"), False), in_words(frozenset("12345"), False)
    ('“X”', '“1” to “5”')
    """
    phrases = []
    rest = set(characters)
    for each, phrase in _SETS:
        if each <= rest:
            phrases.append(phrase)
            rest -= each
    listed = _runs(sorted(c for c in rest if not (c.islower() and c.upper() in rest)))
    phrases += listed[:_MAX_LISTED]
    if len(listed) > _MAX_LISTED:
        phrases.append("another character")
    if may_end:
        phrases.append("the end")
    return " or ".join(filter(None, [", ".join(phrases[:-1]), *phrases[-1:]]))


def _runs(characters: list[str]) -> list[str]:
    """The characters, with runs of letters and digits as ranges."""
    runs: list[list[str]] = []
    for each in characters:
        if runs and each.isalnum() and ord(each) == ord(runs[-1][-1]) + 1:
            runs[-1].append(each)
        else:
            runs.append([each])
    phrases = []
    for run in runs:
        if len(run) > 2:
            phrases.append(f"“{run[0]}” to “{run[-1]}”")
        else:
            phrases += [f"“{each}”" for each in run]
    return phrases
