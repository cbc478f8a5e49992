"""Long lines in plain text: folded at 72 columns, and put together again.

A line is folded at a single space only. The folded part ends in two spaces, the one between the words and
one that says "this line goes on", as RFC 3676 does it with format=flowed and delsp=yes. Lines of a template
never end in spaces, so nothing else looks like that; in texts from elsewhere, lines are joined only where the
next word had no room.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from registry.registration_template.normal_form import LINE_BREAK

WIDTH = 72
_CONTINUES = "  "
_SINGLE_SPACE = re.compile(r"(?<=[^ \t]) (?=[^ \t])")
_DEEPEST_MARGIN = WIDTH // 2


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a template: where it begins in the text, and what it says without trailing spaces."""

    number: int
    text: str

    @property
    def indent(self) -> int:
        """The column of the first character."""
        expanded = self.text.expandtabs(8)
        return len(expanded) - len(expanded.lstrip(" "))

    @property
    def is_blank(self) -> bool:
        return not self.text.strip(" \t")


def fold(line: str, margin: str = "") -> list[str]:
    """The line behind a margin, in parts of at most 72 columns; a word longer than that stays whole."""
    whole = margin + line
    if len(whole) <= WIDTH:
        return [whole]
    own_indent = re.match(" *", line)[0] if len(margin) < _DEEPEST_MARGIN else ""  # type: ignore[index]
    continuation = (margin + own_indent)[:_DEEPEST_MARGIN]
    words = _SINGLE_SPACE.split(line)
    parts = []
    current = margin + words[0]
    for at, word in enumerate(words[1:], start=2):
        if _has_room(current, word, is_last=at == len(words)):
            current += " " + word
        else:
            parts.append(current + _CONTINUES)
            current = continuation + word
    return [*parts, current]


def _has_room(before: str, word: str, *, is_last: bool) -> bool:
    return len(before) + 1 + len(word) + (0 if is_last else len(_CONTINUES)) <= WIDTH


def unfold(text: str) -> list[Line]:
    """The lines of a text, folded ones joined, without spaces at their ends."""
    physical = LINE_BREAK.split(text)
    lines: list[Line] = []
    parts: list[str] = []
    start = 1
    for number, line in enumerate(physical, start=1):
        if not parts and not line.endswith(_CONTINUES):
            lines.append(Line(number, line.rstrip(" \t")))
            continue
        start = start if parts else number
        following = physical[number] if number < len(physical) else ""
        parts.append(line.lstrip(" \t") if parts else line)
        if _continues(line, following):
            parts[-1] = parts[-1].rstrip(" \t")
            continue
        lines.append(Line(start, " ".join(parts).rstrip(" \t")))
        parts = []
    return lines


def _continues(line: str, following: str) -> bool:
    content = line.rstrip(" \t")
    if not content or line[len(content) :] != _CONTINUES:
        return False
    rest = following.strip(" \t")
    if not rest:
        return False
    return not _has_room(content, _SINGLE_SPACE.split(rest, maxsplit=1)[0], is_last=False)


def text_of(lines: Iterable[Line]) -> str:
    """The lines as text again."""
    return "\n".join(line.text for line in lines)
