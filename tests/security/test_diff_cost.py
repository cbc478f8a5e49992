"""The cost of a comparison is limited for every pair of texts, however they are built.

The limit is counted in executed lines of Python, which a trace function counts: the same on every machine. A comparison
that exceeds it is stopped, so that a cubic one does not run for minutes.
"""

import random
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from registry.registration_template.diff import TemplateDiff, compare_templates
from registry.registration_template.template import RegistrationTemplate

LENGTH = 200_000
# 0.1 s, at about twenty million lines a second.
MAX_LINES_OF_PYTHON = 1_000_000
MAX_SHOWN_LINES = 5_000
MAX_SPANS = 20_000

chance = random.Random(16)


def numbered(count: int, stem: str = "line") -> list[str]:
    return [f"{stem} {number}" for number in range(count)]


def shuffled(items: list[str]) -> list[str]:
    return chance.sample(items, len(items))


def interleaved(items: list[str], other: list[str]) -> list[str]:
    return [each for pair in zip(items, other, strict=False) for each in pair]


def lines(before: list[str], after: list[str]) -> tuple[str, str]:
    return "\n".join(before)[:LENGTH], "\n".join(after)[:LENGTH]


def words(before: list[str], after: list[str], per_line: int) -> tuple[str, str]:
    """The same as words, with `per_line` of them on each line."""
    texts = []
    for items in (before, after):
        rows = (" ".join(items[at : at + per_line]) for at in range(0, len(items), per_line))
        texts.append("\n".join(rows)[:LENGTH])
    return texts[0], texts[1]


def of_two(count: int) -> list[str]:
    return chance.choices("ab", k=count)


PAIRS: dict[str, tuple[str, str]] = {
    "one line repeated, and one more": lines(["a"] * 90_000, ["b", *["a"] * 90_000, "c"]),
    "two lines in turn, shifted": lines(["a", "b"] * 45_000, ["b", "a", "a"] * 30_000),
    "two lines in turn, short enough for pairs": lines(["a", "b"] * 1_000, ["b", "a", "a"] * 660),
    "random choices of two lines": lines(of_two(90_000), of_two(90_000)),
    "a run between different ends": lines(
        [*numbered(500, "x"), *["a"] * 80_000], ["b", *["a"] * 80_000, *numbered(500, "y")]
    ),
    "a permutation": lines(numbered(15_000), shuffled(numbered(15_000))),
    "reversed": lines(numbered(15_000), numbered(15_000)[::-1]),
    "no common line": lines(numbered(15_000, "old"), numbered(15_000, "new")),
    "every second line is new": lines(
        numbered(9_000), interleaved(numbered(9_000), numbered(9_000, "added"))
    ),
    "long lines with a common start": lines(
        [f"{'x' * 400}{number}" for number in range(480)], [f"{'x' * 400}{number}y" for number in range(480)]
    ),
    "empty lines": lines([""] * 200_000, ["a", *[""] * 100_000, "b", *[""] * 90_000]),
    "all removed": ("\n".join(numbered(15_000)), ""),
    "all added": ("", "a" + "\n" * (LENGTH - 2) + "b"),
    "a giant word": ("a" * LENGTH, "a" * (LENGTH - 1) + "b"),
    "a giant line of signs": ("-" * LENGTH, "+" + "-" * (LENGTH - 2)),
    "a giant line of signs in turn": ("-+" * (LENGTH // 2), "+--" * (LENGTH // 3)),
    "a giant line of words": words(of_two(90_000), of_two(90_000), 90_000),
    "repeated words on lines of 500": words(["a"] * 90_000, ["b", *["a"] * 90_000], 500),
    "random words on lines of 250": words(of_two(90_000), of_two(90_000), 250),
    "random words on lines of 20": words(of_two(90_000), of_two(90_000), 20),
    "permuted words on lines of 100": words(numbered(9_000, "w"), shuffled(numbered(9_000, "w")), 100),
    "white space": ("x \t" * (LENGTH // 3), "x\t \t" * (LENGTH // 4)),
}
SECTIONS = ("purpose", "syntax", "assignment", "resolution", "documentation")


class TooMuchWork(Exception):
    """More lines of Python were executed than a comparison may take."""


def counted(compare: Callable[[], TemplateDiff]) -> tuple[TemplateDiff, int]:
    """The result of `compare`, and the number of lines of Python that it took."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if event == "line":
            count += 1
            if count > MAX_LINES_OF_PYTHON:
                raise TooMuchWork
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return compare(), count
    finally:
        sys.settrace(before)


def several_sections(text: str) -> dict[str, str]:
    """The text in equal parts in several sections."""
    part = len(text) // len(SECTIONS) + 1
    return {key: text[at * part : (at + 1) * part] for at, key in enumerate(SECTIONS)}


def spans_of(diff: TemplateDiff) -> Iterator[Any]:
    for section in diff.changed:
        for line in section.lines:
            yield from (*line.before, *line.after)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("is_divided", [False, True], ids=["one section", "several sections"])
@pytest.mark.parametrize("name", PAIRS)
def test_no_pair_of_texts_takes_more_work_than_is_allowed(name: str, is_divided: bool) -> None:
    before, after = (
        RegistrationTemplate(**(several_sections(text) if is_divided else {"purpose": text}))
        for text in PAIRS[name]
    )
    diff, count = counted(lambda: compare_templates(before, after))
    assert diff
    assert count <= MAX_LINES_OF_PYTHON
    assert sum(len(section.lines) for section in diff.changed) <= MAX_SHOWN_LINES
    assert sum(1 for _ in spans_of(diff)) <= MAX_SPANS


def test_one_line_leaves_work_for_the_words_of_the_others() -> None:
    before, after = (
        RegistrationTemplate(purpose=f"{' '.join(of_two(20_000))}\nA catalogue of {trees}.")
        for trees in ("oaks", "firs")
    )
    (section,) = compare_templates(before, after).changed
    last = section.lines[-1]
    assert [span.text for span in last.after if span.is_changed] == ["firs"]
