"""What differs between two templates: section by section, line by line, and word by word in a changed line.

A value for pages and mail alike: `compare_templates` finds the differences, whoever shows them decides how.
"""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

from registry.registration_template.formatting import format_registrant
from registry.registration_template.normal_form import dedent
from registry.registration_template.registrant import Registrant
from registry.registration_template.sections import SECTIONS
from registry.registration_template.template import RegistrationTemplate

CONTEXT = 2
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
# Words are compared only where it is cheap: so many pairs of words in one line, and so many in a section.
_MAX_PAIRS_IN_LINE = 250_000
_MAX_PAIRS_IN_SECTION = 2_000_000
_MAX_PAIRS_OF_LINES = 4_000_000
_MIN_SIMILARITY = 0.4


class Change(StrEnum):
    """What became of a section or a line."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    FOLDED = "folded"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a line, and whether it differs from the other side."""

    text: str
    is_changed: bool = False


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a comparison: a changed one has both sides, a folded one stands for `count` lines."""

    change: Change
    before: tuple[Span, ...] = ()
    after: tuple[Span, ...] = ()
    count: int = 1

    @property
    def before_text(self) -> str:
        return "".join(span.text for span in self.before)

    @property
    def after_text(self) -> str:
        return "".join(span.text for span in self.after)


@dataclass(frozen=True, slots=True)
class SectionDiff:
    """What became of one section. An unchanged section has no lines."""

    key: str
    title: str
    change: Change
    lines: tuple[DiffLine, ...] = ()


@dataclass(frozen=True, slots=True)
class TemplateDiff:
    """Two templates compared: all sections in the template's order."""

    sections: tuple[SectionDiff, ...]

    @property
    def changed(self) -> tuple[SectionDiff, ...]:
        """The sections that differ."""
        return tuple(section for section in self.sections if section.change is not Change.SAME)

    def __bool__(self) -> bool:
        return bool(self.changed)


def compare_templates(before: RegistrationTemplate, after: RegistrationTemplate) -> TemplateDiff:
    """What differs between two templates."""
    return TemplateDiff(
        tuple(
            _compare_section(
                section.key,
                section.title,
                section_lines(before, section.key),
                section_lines(after, section.key),
            )
            for section in SECTIONS
        )
    )


def section_lines(template: RegistrationTemplate, key: str) -> list[str]:
    """A section as lines, none when it is empty."""
    value = getattr(template, key)
    if isinstance(value, Registrant):
        return dedent(format_registrant(value))
    return str(value).split("\n") if value not in ("", None) else []


def _compare_section(key: str, title: str, before: list[str], after: list[str]) -> SectionDiff:
    if before == after:
        return SectionDiff(key, title, Change.SAME)
    change = Change.ADDED if not before else Change.REMOVED if not after else Change.CHANGED
    return SectionDiff(key, title, change, tuple(_compare_lines(before, after)))


def _compare_lines(before: list[str], after: list[str]) -> Iterator[DiffLine]:
    is_short = len(before) * len(after) <= _MAX_PAIRS_OF_LINES
    budget = _MAX_PAIRS_IN_SECTION if is_short else 0
    everything = [("replace", 0, len(before), 0, len(after))]
    opcodes = difflib.SequenceMatcher(None, before, after).get_opcodes() if is_short else everything
    for tag, start, end, other_start, other_end in opcodes:
        if tag == "equal":
            yield from _fold(before[start:end], is_first=start == 0, is_last=end == len(before))
            continue
        for old, new in zip_longest(before[start:end], after[other_start:other_end]):
            if old is None or new is None or not budget:
                yield from _one_sided(old, new)
                continue
            line, cost = _compare_words(old, new, budget)
            budget = max(0, budget - cost)
            yield from _one_sided(old, new) if line is None else [line]


def _one_sided(old: str | None, new: str | None) -> Iterator[DiffLine]:
    if old is not None:
        yield DiffLine(Change.REMOVED, before=(Span(old, is_changed=True),))
    if new is not None:
        yield DiffLine(Change.ADDED, after=(Span(new, is_changed=True),))


def _fold(lines: Sequence[str], *, is_first: bool, is_last: bool) -> Iterator[DiffLine]:
    """Unchanged lines: those next to a change, and how many there are besides."""
    head = 0 if is_first else CONTEXT
    tail = 0 if is_last else CONTEXT
    if len(lines) <= head + tail + 1:
        head, tail = len(lines), 0
    folded = len(lines) - head - tail
    yield from map(_same, lines[:head])
    if folded:
        yield DiffLine(Change.FOLDED, count=folded)
        yield from map(_same, lines[len(lines) - tail :])


def _same(line: str) -> DiffLine:
    return DiffLine(Change.SAME, (Span(line),), (Span(line),))


def _compare_words(before: str, after: str, budget: int) -> tuple[DiffLine | None, int]:
    """A changed line with its changed words, and what finding them cost; no line when little is the same."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    cost = len(old) * len(new)
    if cost > min(budget, _MAX_PAIRS_IN_LINE):
        return None, 0
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    opcodes = matcher.get_opcodes()
    common = sum(_weight(old[start:end]) for tag, start, end, _, _ in opcodes if tag == "equal")
    if 2 * common < _MIN_SIMILARITY * (_weight(old) + _weight(new)):
        return None, cost
    old_spans = _spans((tag, "".join(old[start:end])) for tag, start, end, _, _ in opcodes)
    new_spans = _spans((tag, "".join(new[start:end])) for tag, _, _, start, end in opcodes)
    return DiffLine(Change.CHANGED, old_spans, new_spans), cost


def _weight(words: Sequence[str]) -> int:
    return sum(len(word) for word in words if not word.isspace())


def _spans(pieces: Iterator[tuple[str, str]]) -> tuple[Span, ...]:
    """The pieces of one side; a space between two changed words counts as changed."""
    spans: list[Span] = []
    for tag, text in pieces:
        if not text:
            continue
        is_changed = tag != "equal"
        if is_changed and len(spans) > 1 and spans[-1].text.isspace() and spans[-2].is_changed:
            space, changed = spans.pop(), spans.pop()
            text = changed.text + space.text + text
        spans.append(Span(text, is_changed))
    return tuple(spans)


def format_diff(diff: TemplateDiff) -> str:
    """The changed sections as plain text: `-` and `+` before lines, [-removed-] and {+added+} words."""
    blocks = []
    for section in diff.changed:
        lines = [f"{section.title} ({section.change.value})", ""]
        blocks.append("\n".join([*lines, *(text for line in section.lines for text in _format_line(line))]))
    return "\n\n".join(blocks)


def _format_line(line: DiffLine) -> Iterator[str]:
    if line.change is Change.SAME:
        yield f"  {line.before_text}".rstrip()
    elif line.change is Change.FOLDED:
        yield f"  … {line.count} unchanged lines …"
    else:
        is_marked = line.change is Change.CHANGED
        if line.before or line.change in (Change.REMOVED, Change.CHANGED):
            yield "- " + "".join(_mark(span, "[-", "-]", is_marked) for span in line.before)
        if line.after or line.change in (Change.ADDED, Change.CHANGED):
            yield "+ " + "".join(_mark(span, "{+", "+}", is_marked) for span in line.after)


def _mark(span: Span, opening: str, closing: str, is_marked: bool) -> str:
    return f"{opening}{span.text}{closing}" if is_marked and span.is_changed else span.text
