"""Folding of long lines at 72 columns, and unfolding.

Lines are folded at single spaces. A folded line ends in two spaces: the one between the words, and one that marks
the continuation, as in RFC 3676 with format=flowed and delsp=yes. Lines of a template never end in spaces, so this
is unambiguous. In other texts, lines are joined only if the next word did not fit.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from registry.registration_template.normal_form import LINE_BREAK

WIDTH = 72
_CONTINUES = "  "
_SINGLE_SPACE = re.compile(r"(?<=[^ \t]) (?=[^ \t])")
_MAX_MARGIN = WIDTH // 2


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a template: its line number, and its text without trailing spaces."""

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
    """The line, indented by `margin`, in parts of at most 72 columns. Longer words are not divided."""
    whole = margin + line
    if len(whole) <= WIDTH:
        return [whole]
    own_indent = re.match(" *", line)[0] if len(margin) < _MAX_MARGIN else ""  # type: ignore[index]
    continuation = (margin + own_indent)[:_MAX_MARGIN]
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
    """The lines of a text, with folded lines joined and trailing spaces removed."""
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
    """The lines as text."""
    return "\n".join(line.text for line in lines)
