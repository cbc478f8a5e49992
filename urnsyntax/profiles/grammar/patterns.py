"""RE2 patterns for names: limits, compilation, and errors with a position.

RE2 matches in linear time. A pattern is matched against the whole NSS, normalized as in RFC 8141, Section 3.1, with
percent-encodings in upper case.
"""

import re
from collections.abc import Callable
from itertools import islice

import re2

from ..errors import InvalidPattern

MAX_PATTERN = 2_000
MAX_NSS_LENGTH = 8_192  # characters; a longer NSS is not matched
MAX_MEMORY = 1024 * 1024  # octets per pattern; `re2` caches the last 128 compiled patterns
# The size of the compiled pattern. Matching time is proportional to this size and to the length of the NSS; the
# maximum is 0.3 s.
MAX_STEPS = 2_000
MAX_EFFORT = MAX_STEPS * MAX_NSS_LENGTH  # steps times characters of one match
# A grammar in ABNF may be larger; its names may then be less long, so that the effort is the same.
MAX_GRAMMAR_STEPS = 10_000
_NO_CHARACTER_OF_A_PATTERN = re.compile(r"[^!-~]")
QuickTest = Callable[[bytes], list[int]]
"""What it returns for a name is only empty if the name does not match, or if RE2 had not enough memory."""
_HINTS = {
    "invalid perl operator": "RE2 does not support lookahead and lookbehind.",
    "invalid repetition size": "At most 1,000 repetitions are allowed; nested repetitions multiply.",
    "invalid escape sequence": "RE2 does not support back-references. Letters need no backslash.",
    "pattern too large - compile failed": "Use fewer or smaller repetitions.",
}
_SOMEWHERE = ("missing )", "unexpected )")
_MAX_PLACES = 50


def parse_pattern(text: str) -> str:
    """The pattern, unchanged. Raises `InvalidPattern`, with the position and the reason.

    >>> parse_pattern("[0-9]+")
    '[0-9]+'
    >>> parse_pattern("a(?=b)")
    Traceback (most recent call last):
    ...
    urnsyntax.profiles.errors.InvalidPattern: RE2 rejects the pattern at character 2: invalid perl operator “(?=”. \
RE2 does not support lookahead and lookbehind.
    """
    if len(text) > MAX_PATTERN:
        raise InvalidPattern(f"The pattern has {len(text):,} characters; the limit is {MAX_PATTERN:,}.")
    if wrong := _NO_CHARACTER_OF_A_PATTERN.search(text):
        raise InvalidPattern(
            f"Character {wrong.start() + 1} of the pattern is {describe_character(wrong[0])}, which no NSS can "
            "contain.",
            "Remove it, or percent-encode it (a space is %20).",
            text=text,
            position=wrong.start(),
        )
    try:
        steps = compiled(text).programsize
    except re2.error as refusal:
        raise _refused(text, refusal) from refusal
    if steps > MAX_STEPS:
        raise InvalidPattern(
            f"The pattern compiles to {steps:,} steps; the limit is {MAX_STEPS:,}.",
            "Use fewer or smaller repetitions.",
        )
    return text


def compiled(pattern: str) -> "re2._Regexp":
    """The compiled pattern without groups. Raises `re2.error`."""
    return re2.compile(pattern.encode("ascii"), _TESTING)


def compiled_with_groups(pattern: str) -> "re2._Regexp":
    """The compiled pattern with its groups, which is slower. Raises `re2.error`."""
    return re2.compile(pattern.encode("ascii"), _CAPTURING)


def quick_test(pattern: str) -> QuickTest:
    """A test for an accepted pattern that takes half the time of a match, because RE2 makes no match object."""
    patterns = re2.Set.FullMatchSet(_TESTING)
    try:
        patterns.Add(pattern.encode("ascii"))
        patterns.Compile()
    except re2.error:  # a set needs more memory than a pattern
        return lambda name: []
    test: QuickTest = patterns.Match
    return test


def _options(*, captures: bool, memory: int = MAX_MEMORY) -> re2.Options:
    options = re2.Options()
    options.max_mem = memory
    options.log_errors = False
    options.never_capture = not captures
    # An NSS is ASCII. One octet per character keeps the compiled patterns small.
    options.encoding = re2.Options.Encoding.LATIN1
    return options


_TESTING = _options(captures=False)
_CAPTURING = _options(captures=True, memory=4 * MAX_MEMORY)


def _refused(pattern: str, refusal: re2.error) -> InvalidPattern:
    """The error of RE2, with its position and a hint."""
    message = refusal.args[0].decode("latin-1")
    reason, _, fragment = message.partition(": ")
    # RE2 does not report the position of a parenthesis.
    place = None if reason in _SOMEWHERE else _place_of(pattern, fragment, message)
    where = "" if place is None else f" at character {place + 1}"
    shown = f" “{shortened(fragment)}”" if fragment else ""
    sentence = f"RE2 rejects the pattern{where}: {reason}{shown}."
    return InvalidPattern(sentence, _HINTS.get(reason, ""), text=pattern, position=place)


def _place_of(pattern: str, fragment: str, message: str) -> int | None:
    """The position of the fragment in RE2's error: where the pattern up to it fails with the same error."""
    found = re.finditer(f"(?={re.escape(fragment)})", pattern) if fragment else iter(())
    places = [match.start() for match in islice(found, _MAX_PLACES)]
    for place in places:
        try:
            compiled(pattern[: place + len(fragment)])
        except re2.error as refusal:
            if refusal.args[0].decode("latin-1") == message:
                return place
    return places[0] if len(places) == 1 else None


def describe_character(character: str) -> str:
    """A character in quotation marks, or its code point if it is not visible ASCII.

    >>> describe_character("a"), describe_character(" ")
    ('“a”', 'U+0020')
    """
    return f"“{character}”" if "!" <= character <= "~" else f"U+{ord(character):04X}"


def shortened(text: str, longest: int = 100) -> str:
    """The text, with an ellipsis if it is longer."""
    return text if len(text) <= longest else f"{text[:longest]}…"
