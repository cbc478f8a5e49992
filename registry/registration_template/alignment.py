"""Alignment of two sequences, with a limit on the work.

The algorithm is the greedy one of Myers ("An O(ND) Difference Algorithm and Its Variations", 1986): after `d`
differences, it knows for each diagonal how far both sequences can be followed. Its cost grows with the length of the
sequences times the number of differences. A budget ends the search, and what is not aligned by then counts as replaced.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


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
