"""Comparison of two templates by section, by paragraph or line, and by word in a changed one.

How prose is wrapped makes no difference: a paragraph is one line, see `unwrapped_lines`. Grammars, lists and tables are compared
as they are, and so are texts that are no prose.

Sequences are aligned by the greedy algorithm of Myers ("An O(ND) Difference Algorithm and Its Variations", 1986): after `d`
differences, it knows for each diagonal how far both sequences can be followed. Its cost grows with the length of the
sequences times the number of differences. A budget ends the search, and what is not aligned by then counts as replaced.

`compare_templates` returns a value, which pages and mails render; `compare_sections` does so for other documents. `Work`
limits their cost: when it is spent, the rest is shown as replaced.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest

from registry.registration_template.formatting import format_registrant
from registry.registration_template.normal_form import dedent
from registry.registration_template.paragraphs import unwrapped_lines
from registry.registration_template.sections import SECTIONS, Registrant, SectionFormat
from registry.registration_template.template import RegistrationTemplate


@dataclass(slots=True)
class Budget:
    """The number of steps that are left."""

    left: int

    def take(self, steps: int) -> bool:
        """Whether so many steps are left; they are then spent."""
        if steps > self.left:
            return False
        self.left -= steps
        return True


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of both sequences, as two ranges: either the same on both sides, or replaced."""

    is_same: bool
    start: int
    end: int
    other_start: int
    other_end: int


# A run of common elements: its start on both sides, its length, and the runs before it.
Runs = tuple[int, int, int, "Runs"] | None


def align(before: Sequence[str], after: Sequence[str], budget: Budget) -> Iterator[Segment]:
    """The segments of both sequences, in order. The common start and end need no search."""
    shorter = min(len(before), len(after))
    head = _common(before, after, shorter)
    tail = _common(before[head:][::-1], after[head:][::-1], shorter - head)
    end, other_end = len(before) - tail, len(after) - tail
    runs = [(end, other_end, tail)]
    is_search_needed = head < min(end, other_end) and budget.left > 0
    found = _search(before[head:end], after[head:other_end], budget) if is_search_needed else None
    while found:
        start, other_start, length, found = found
        runs.append((head + start, head + other_start, length))
    runs.append((0, 0, head))
    return _segments(reversed(runs))


def _common(before: Sequence[str], after: Sequence[str], most: int) -> int:
    """The number of elements, at most `most`, with which both begin."""
    pairs = zip(before[:most], after, strict=False)
    return next((index for index, (old, new) in enumerate(pairs) if old != new), most)


def _segments(runs: Iterable[tuple[int, int, int]]) -> Iterator[Segment]:
    """The common runs, and what lies between them."""
    at = other_at = 0
    for start, other_start, length in runs:
        if start > at or other_start > other_at:
            yield Segment(False, at, start, other_at, other_start)
        at, other_at = start + length, other_start + length
        if length:
            yield Segment(True, start, at, other_start, other_at)


def _search(before: Sequence[str], after: Sequence[str], budget: Budget) -> Runs:
    """The common runs of a path with the fewest differences or, once the budget is spent, of the longest path."""
    size, other_size = len(before), len(after)
    # By diagonal (position minus other position): the furthest position, and the runs that lead to it.
    furthest: dict[int, int] = {1: 0}
    trail: dict[int, Runs] = {1: None}
    for differences in range(size + other_size + 1):
        lowest = 2 * max(0, differences - other_size) - differences
        highest = differences - 2 * max(0, differences - size)
        left = budget.left
        for diagonal in range(lowest, highest + 1, 2):
            at, source = furthest.get(diagonal - 1, -1) + 1, diagonal - 1
            if at <= (down := furthest.get(diagonal + 1, -1)):
                at, source = down, diagonal + 1
            runs, start, other = trail[source], at, at - diagonal
            while at < size and other < other_size and before[at] == after[other]:
                at, other = at + 1, other + 1
                if at - start >= left:
                    break
            if at > start:
                runs = start, start - diagonal, at - start, runs
            furthest[diagonal], trail[diagonal] = at, runs
            left -= 1 + at - start
            if left <= 0 or (at >= size and other >= other_size):
                budget.left = left
                return trail[_longest(furthest) if left <= 0 else diagonal]
        budget.left = left
    return None


def _longest(furthest: dict[int, int]) -> int:
    """The diagonal of the path that has consumed the most of both sequences."""
    return max(furthest, key=lambda diagonal: 2 * furthest[diagonal] - diagonal)


CONTEXT = 2
_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MIN_SIMILARITY = 0.4
_MAX_STEPS_IN_LINE = 10_000
_CHARACTERS_IN_STEP = 4
_MOST_UNWRAPPED = 2_000  # lines of a section, on both sides together; more are compared as they are


class Change(StrEnum):
    """How a section or a line differs."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    FOLDED = "folded"


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a line, and whether it differs from the other side."""

    text: str
    is_changed: bool = False


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a comparison. A changed line has both sides; a folded line stands for `count` unchanged lines.

    A removed or added line can be a block of `count` lines that were not compared one by one.
    """

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
class SectionPair:
    """The lines of one section in two documents; none if a document does not have it. `is_prose` says that it may have
    paragraphs, whose line breaks are not compared.
    """

    key: str
    title: str
    before: list[str]
    after: list[str]
    is_prose: bool = False

    @property
    def compared(self) -> tuple[list[str], list[str]]:
        """The lines as they are compared."""
        is_short = len(self.before) + len(self.after) <= _MOST_UNWRAPPED
        if self.is_prose and is_short and self.before != self.after:
            return unwrapped_lines(self.before), unwrapped_lines(self.after)
        return self.before, self.after


@dataclass(frozen=True, slots=True)
class SectionDiff:
    """The comparison of one section. An unchanged section has no lines; `is_empty` says that both documents lack it."""

    key: str
    title: str
    change: Change
    lines: tuple[DiffLine, ...] = ()
    is_empty: bool = False


@dataclass(frozen=True, slots=True)
class TemplateDiff:
    """The comparison of two documents: all sections, in their order."""

    sections: tuple[SectionDiff, ...]

    @property
    def changed(self) -> tuple[SectionDiff, ...]:
        """The sections that differ."""
        return tuple(section for section in self.sections if section.change is not Change.SAME)

    @property
    def unchanged(self) -> tuple[SectionDiff, ...]:
        """The sections that are the same, without the empty ones."""
        return tuple(each for each in self.sections if each.change is Change.SAME and not each.is_empty)

    def __bool__(self) -> bool:
        return bool(self.changed)


@dataclass(frozen=True, slots=True)
class Work:
    """The work that one comparison may take, for all sections together."""

    # A step compares two lines or two words, or divides a few characters into words. It takes about half a microsecond.
    lines: Budget = field(default_factory=lambda: Budget(25_000))
    words: Budget = field(default_factory=lambda: Budget(50_000))
    # Pages render each line of a difference.
    shown_lines: Budget = field(default_factory=lambda: Budget(500))


def compare_templates(
    before: RegistrationTemplate, after: RegistrationTemplate, work: Work | None = None
) -> TemplateDiff:
    """Compare two templates."""
    return compare_sections(_section_pairs(before, after), work)


def unchanged_sections(before: RegistrationTemplate, after: RegistrationTemplate) -> frozenset[str]:
    """The keys of the sections in which no word differs."""
    pairs = ((each.key, each.compared) for each in _section_pairs(before, after))
    return frozenset(key for key, (old, new) in pairs if old == new)


def _section_pairs(before: RegistrationTemplate, after: RegistrationTemplate) -> Iterator[SectionPair]:
    for each in SECTIONS:
        old, new = (section_lines(template, each.key) for template in (before, after))
        yield SectionPair(each.key, each.title, old, new, is_prose=each.format is SectionFormat.TEXT)


def compare_sections(sections: Iterable[SectionPair], work: Work | None = None) -> TemplateDiff:
    """Compare two documents by their sections."""
    work = work or Work()
    return TemplateDiff(tuple(_compare_section(each, work) for each in sections))


def section_lines(template: RegistrationTemplate, key: str) -> list[str]:
    """The lines of a section; none if it is empty."""
    value = getattr(template, key)
    if isinstance(value, Registrant):
        return dedent(format_registrant(value))
    return str(value).split("\n") if value not in ("", None) else []


def _compare_section(section: SectionPair, work: Work) -> SectionDiff:
    before, after = section.compared
    if before == after:
        return SectionDiff(section.key, section.title, Change.SAME, is_empty=not before)
    change = Change.ADDED if not before else Change.REMOVED if not after else Change.CHANGED
    return SectionDiff(section.key, section.title, change, tuple(_compare_lines(before, after, work)))


def _compare_lines(before: list[str], after: list[str], work: Work) -> Iterator[DiffLine]:
    for segment in align(before, after, work.lines):
        old = before[segment.start : segment.end]
        if segment.is_same:
            yield from _fold(old, is_first=segment.start == 0, is_last=segment.end == len(before))
        else:
            yield from _replace(old, after[segment.other_start : segment.other_end], work)


def _replace(before: list[str], after: list[str], work: Work) -> Iterator[DiffLine]:
    """Lines that differ, in pairs or, if they are too many to be shown one by one, as two blocks."""
    if not work.shown_lines.take(max(len(before), len(after))):
        yield from _block(Change.REMOVED, before)
        yield from _block(Change.ADDED, after)
        return
    for old, new in _pairs(before, after, work.words):
        if old is None or new is None:
            yield from _one_sided(old, new)
        elif old == new:
            yield _same(old)
        elif line := _compare_words(old, new, work.words):
            yield line
        else:
            yield from _one_sided(old, new)


def _pairs(before: list[str], after: list[str], budget: Budget) -> Iterator[tuple[str | None, str | None]]:
    """Lines to be compared with each other, in order: each with the next one that has much in common with it, if one side has
    more lines, and otherwise by their places.
    """
    if len(before) == len(after) or not budget.take(sum(map(len, [*before, *after])) // _CHARACTERS_IN_STEP):
        yield from zip_longest(before, after)
        return
    words = [_words(line) for line in after]
    at = 0
    for old in before:
        own = _words(old)
        found = next((to for to in range(at, len(after)) if _is_similar(own, words[to], budget)), None)
        if found is not None:
            yield from ((None, new) for new in after[at:found])
            at = found + 1
        yield old, None if found is None else after[found]
    yield from ((None, new) for new in after[at:])


# The words of a line, each with its number, and the number of their characters.
_Words = tuple[Counter[str], int]


def _words(line: str) -> _Words:
    words = line.split()
    return Counter(words), sum(map(len, words))


def _is_similar(before: _Words, after: _Words, budget: Budget) -> bool:
    """Whether two lines have enough words in common. The cost is the number of different words in the one that has fewer."""
    fewer, more = sorted((before[0], after[0]), key=len)
    if not budget.take(1 + len(fewer)):
        return False
    common = sum(len(word) * min(count, more[word]) for word, count in fewer.items())
    return 2 * common >= _MIN_SIMILARITY * (before[1] + after[1])


def _block(change: Change, lines: list[str]) -> Iterator[DiffLine]:
    if lines:
        text = (Span("\n".join(lines), is_changed=True),)
        before, after = (text, ()) if change is Change.REMOVED else ((), text)
        yield DiffLine(change, before, after, len(lines))


def _one_sided(old: str | None, new: str | None) -> Iterator[DiffLine]:
    if old is not None:
        yield DiffLine(Change.REMOVED, before=(Span(old, is_changed=True),))
    if new is not None:
        yield DiffLine(Change.ADDED, after=(Span(new, is_changed=True),))


def _fold(lines: Sequence[str], *, is_first: bool, is_last: bool) -> Iterator[DiffLine]:
    """Unchanged lines: those next to a change, and the number of the others."""
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


def _compare_words(before: str, after: str, budget: Budget) -> DiffLine | None:
    """A changed line with its changed words; None if the two have little in common or take too long to compare."""
    if not budget.take((len(before) + len(after)) // _CHARACTERS_IN_STEP):
        return None
    old, new = _WORD.findall(before), _WORD.findall(after)
    search = Budget(min(budget.left, _MAX_STEPS_IN_LINE))
    budget.left -= search.left
    segments = list(align(old, new, search))
    budget.left += search.left
    common = sum(_weight(old[each.start : each.end]) for each in segments if each.is_same)
    if search.left <= 0 or 2 * common < _MIN_SIMILARITY * (_weight(old) + _weight(new)):
        return None
    return DiffLine(
        Change.CHANGED,
        _spans((each.is_same, "".join(old[each.start : each.end])) for each in segments),
        _spans((each.is_same, "".join(new[each.other_start : each.other_end])) for each in segments),
    )


def _weight(words: Sequence[str]) -> int:
    return sum(len(word) for word in words if not word.isspace())


def _spans(pieces: Iterator[tuple[bool, str]]) -> tuple[Span, ...]:
    """The parts of one side. A space between two changed words counts as changed."""
    spans: list[Span] = []
    for is_same, text in pieces:
        if not text:
            continue
        is_changed = not is_same
        if is_changed and len(spans) > 1 and spans[-1].text.isspace() and spans[-2].is_changed:
            space, changed = spans.pop(), spans.pop()
            text = changed.text + space.text + text
        spans.append(Span(text, is_changed))
    return tuple(spans)


def format_diff(diff: TemplateDiff) -> str:
    """The changed sections as plain text, with `-` and `+` before lines, and [-removed-] and {+added+} words."""
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
    elif line.change is Change.CHANGED:
        yield "- " + "".join(_mark(span, "[-", "-]") for span in line.before)
        yield "+ " + "".join(_mark(span, "{+", "+}") for span in line.after)
    else:
        sign, text = ("-", line.before_text) if line.change is Change.REMOVED else ("+", line.after_text)
        yield from (f"{sign} {each}" for each in text.split("\n"))


def _mark(span: Span, opening: str, closing: str) -> str:
    return f"{opening}{span.text}{closing}" if span.is_changed else span.text
