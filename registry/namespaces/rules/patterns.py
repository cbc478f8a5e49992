"""Patterns of names in the syntax of RE2: limits, compilation, and messages that say where RE2 refuses one.

RE2 matches in linear time. A pattern is matched against the whole NSS in the form of RFC 8141, section 3.1, so with
percent-encodings in upper case.
"""

import re
from http import HTTPStatus
from itertools import islice

import re2

from registry.core.exceptions import RegistryError

MAX_PATTERN = 2_000
LONGEST_NSS = 8_192  # characters that are held against a pattern
MAX_MEMORY = 1024 * 1024  # octets for each pattern; `re2` itself keeps the last 128 compiled
# What RE2 unfolds a pattern to. Time goes with this times the length of the NSS: a third of a second at worst.
MOST_STEPS = 2_000
_NO_CHARACTER_OF_A_PATTERN = re.compile(r"[^!-~]")
_HINTS = {
    "invalid perl operator": "Lookahead, lookbehind and the like are not in RE2.",
    "invalid repetition size": "Repetitions go up to 1,000, one inside of the other multiplied.",
    "invalid escape sequence": "Back-references are not in RE2; a letter needs no backslash.",
    "pattern too large - compile failed": "Repeat less, or fewer things.",
}
_SOMEWHERE = ("missing )", "unexpected )")
_MOST_PLACES = 50


class InvalidPattern(RegistryError):
    """RE2 does not take the pattern, or it is too large, or holds what no NSS does."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This is no pattern for names"


def parse_pattern(text: str) -> str:
    """The pattern, as it is. Raises InvalidPattern, which says where RE2 refuses it, and why."""
    if len(text) > MAX_PATTERN:
        raise InvalidPattern(f"The pattern has {len(text):,} characters; {MAX_PATTERN:,} are the most.")
    if wrong := _NO_CHARACTER_OF_A_PATTERN.search(text):
        raise InvalidPattern(
            f"Character {wrong.start() + 1} of the pattern is {describe_character(wrong[0])}, which no NSS holds: all "
            "but visible ASCII characters is percent-encoded there. Remove it, or write it so (%20)."
        )
    try:
        steps = compiled(text).programsize
    except re2.error as refusal:
        raise InvalidPattern(_refused(text, refusal)) from refusal
    if steps > MOST_STEPS:
        raise InvalidPattern(
            f"The pattern unfolds to {steps:,} steps; {MOST_STEPS:,} are the most. Repeat less, or fewer things."
        )
    return text


def compiled(pattern: str) -> "re2._Regexp":
    return re2.compile(pattern.encode("ascii"), _OPTIONS)


def _bounded() -> re2.Options:
    options = re2.Options()
    options.max_mem = MAX_MEMORY
    options.log_errors = False
    options.never_capture = True
    # An NSS is ASCII: one octet a character keeps what RE2 makes of a pattern small.
    options.encoding = re2.Options.Encoding.LATIN1
    return options


_OPTIONS = _bounded()


def _refused(pattern: str, refusal: re2.error) -> str:
    """What RE2 says, at which character, and what helps."""
    said = refusal.args[0].decode("latin-1")
    reason, _, fragment = said.partition(": ")
    # Of a parenthesis RE2 knows no more than that.
    place = None if reason in _SOMEWHERE else _place_of(pattern, fragment, said)
    where = "" if place is None else f" at character {place + 1}"
    shown = f" “{shortened(fragment)}”" if fragment else ""
    return f"RE2 refuses the pattern{where}: {reason}{shown}. {_HINTS.get(reason, '')}".rstrip()


def _place_of(pattern: str, fragment: str, said: str) -> int | None:
    """Where the fragment stands that RE2 names: where the pattern, cut off behind it, is refused alike."""
    found = re.finditer(f"(?={re.escape(fragment)})", pattern) if fragment else iter(())
    places = [match.start() for match in islice(found, _MOST_PLACES)]
    for place in places:
        try:
            compiled(pattern[: place + len(fragment)])
        except re2.error as refusal:
            if refusal.args[0].decode("latin-1") == said:
                return place
    return places[0] if len(places) == 1 else None


def describe_character(character: str) -> str:
    return f"“{character}”" if "!" <= character <= "~" else f"U+{ord(character):04X}"


def shortened(text: str, longest: int = 100) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
