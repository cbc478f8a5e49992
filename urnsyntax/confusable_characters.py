"""Characters that can't be seen, or that could be mistaken for others (UTS #39, Unicode Security Mechanisms).

`confusions` finds them in a text. What looks alike is in `confusable-characters.txt`, which `prototype` reads.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
# Default_Ignorable_Code_Point of Unicode without format characters, and the blank of Braille: letters, marks and a symbol
# without a visible form.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
# More marks on one letter than any language needs cover the lines around it (UTS #39, Section 5.4).
MAX_MARKS = 4
# The scripts that UAX #31, Table 5, recommends. Each stands alone in a word. Latin may also stand with those of Chinese,
# Japanese and Korean: the level “highly restrictive” (UTS #39, Section 5.2).
SCRIPTS_ALONE = (
    "Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati", "Gurmukhi",
    "Hebrew", "Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thaana", "Thai",
    "Tibetan",
)  # fmt: skip
SCRIPTS_TOGETHER = (
    ("Latin", "Han", "Hiragana", "Katakana"),
    ("Latin", "Han", "Bopomofo"),
    ("Latin", "Han", "Hangul"),
)
# The names of letters begin with their script; those of Han begin with “CJK”.
_SCRIPT_OF_NAME = {each.upper(): each for each in {*SCRIPTS_ALONE, *sum(SCRIPTS_TOGETHER, ())}} | {
    "CJK": "Han"
}


@dataclass(frozen=True, slots=True)
class Confusion:
    """What could be mistaken in a text, as a clause, at a 0-based position, and the section that says so."""

    position: int
    reason: str
    section: str


def is_unseen(character: str) -> bool:
    """Whether a character has no visible form of its own, or directs how others are read.

    >>> is_unseen("\\u202e"), is_unseen("\\u3164"), is_unseen("\\u00a0"), is_unseen("é")
    (True, True, True, False)
    """
    return unicodedata.category(character) in _UNSEEN or _BLANK.match(character) is not None


def prototype(character: str) -> str:
    """What a character in NFKC looks like (UTS #39, Section 4): itself, if nothing else.

    >>> prototype("\\u0440"), prototype("é"), prototype("1")
    ('p', 'é', 'l')
    """
    return _prototypes().get(character, character)


@cache
def _prototypes() -> Mapping[str, str]:
    lines = Path(__file__).with_name("confusable-characters.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {_character(source): "".join(map(_character, target)) for source, *target in rows}


def _character(code: str) -> str:
    return chr(int(code, 16))


def confusions(text: str) -> Iterator[Confusion]:
    """What can't be seen in a text, looks like ASCII, or mixes scripts; the first one of each word.

    >>> [(each.position, each.section) for each in confusions("p\\u0430y/\\u043c\\u0438r/\\u043c\\u0438\\u0440")]
    [(1, '4'), (6, '5.2')]
    >>> next(confusions("a\\u202eb")).reason
    "U+202E (RIGHT-TO-LEFT OVERRIDE) can't be seen, or changes how the text is read"
    """
    if text.isascii():
        return
    start = 0
    for is_word, group in groupby(text, _is_in_word):
        run = "".join(group)
        if not run.isascii():
            yield from _confusions_of_word(run, start) if is_word else _confusions_of_others(run, start)
        start += len(run)


def _is_in_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN" and not is_unseen(character)


def _confusions_of_word(word: str, start: int) -> Iterator[Confusion]:
    first = next(at for at, character in enumerate(word) if not character.isascii())
    looks = "".join(map(_in_ascii, word))
    if looks.isascii():
        reason = f"“{word}” could be mistaken for “{looks}”: “{word[first]}” is {_named(word[first])}"
        yield Confusion(start + first, reason, "4")
        return
    scripts: set[str] = set()
    for at, character in enumerate(word):
        scripts |= _scripts_of(character)
        if len(scripts) > 1 and not any(scripts <= {*each} for each in SCRIPTS_TOGETHER):
            yield Confusion(
                start + at, f"“{word}” mixes scripts: “{character}” is {_named(character)}", "5.2"
            )
            return


def _confusions_of_others(run: str, start: int) -> Iterator[Confusion]:
    for at, character in enumerate(run, start):
        if character.isascii() or "\ud800" <= character <= "\udfff":
            continue
        if is_unseen(character):
            yield Confusion(at, f"{_named(character)} can't be seen, or changes how the text is read", "3")
        elif (looks := _in_ascii(character)).isascii():
            yield Confusion(at, f"“{character}” is {_named(character)}, which looks like “{looks}”", "4")


def _in_ascii(character: str) -> str:
    if character.isascii():
        return character
    return "".join(map(prototype, unicodedata.normalize("NFKC", character)))


def _scripts_of(character: str) -> set[str]:
    """The script of a letter; none for marks, digits and letters of no script or of one that is not recommended."""
    word = unicodedata.name(character, "").partition(" ")[0] if character.isalpha() else ""
    return {_SCRIPT_OF_NAME[word]} if word in _SCRIPT_OF_NAME else set()


def _named(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X} ({name})" if name else f"U+{ord(character):04X}"
