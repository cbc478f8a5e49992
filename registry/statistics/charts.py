"""A chart: rows of numbers, drawn as bars.

Lengths are shares of the picture's width and text keeps its size, so one drawing serves a telephone and a desk.
Series differ in their fill_pattern, not only in their colour. Nothing is styled from inside, since the Content
Security Policy refuses that; so no drawing library is used, and rectangles are all there is to draw.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

BAR, GAP, TOP = 16, 8, 22  # pixels: a bar, the space between rows, a line of the legend
MAX_LABEL_WIDTH, VALUE_WIDTH = 45, 14  # per cent of the width
FILL_PATTERNS = ("solid", "hatched", "dotted", "outlined")


@dataclass(frozen=True, slots=True)
class Row:
    """One line: a label and a number for each series; None where there is none."""

    label: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """Geometry: `x` and `width` in per cent of the plot, `y` in pixels of the picture."""

    x: float
    y: int
    width: float
    fill_pattern: str
    description: str


@dataclass(frozen=True, slots=True)
class Legend:
    name: str
    fill_pattern: str
    y: int


@dataclass(frozen=True, slots=True)
class Line:
    """A row as it is drawn: `numbers` are the values written behind its bars, as (x, y, text)."""

    label: str
    y: int
    bars: tuple[Bar, ...]
    numbers: tuple[tuple[float, int, str], ...]


@dataclass(frozen=True)
class Chart:
    """`label` heads the first column, `unit` follows a number in words, but for things counted; `stacked` adds a row's values up."""

    slug: str
    title: str
    explanation: str
    label: str
    series: tuple[str, ...]
    rows: Sequence[Row]
    unit: str = ""
    stacked: bool = False
    note: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to see: a share of nothing, or no number at all."""
        values = [value for row in self.rows for value in row.values]
        return not any(values) if self.stacked else all(value is None for value in values)

    @cached_property
    def label_width(self) -> float:
        """Per cent of the picture's width; about 2.2 for a character on a telephone."""
        longest = max((len(row.label) for row in self.rows), default=0)
        return min(MAX_LABEL_WIDTH, 3 + 2.2 * longest)

    @property
    def plot_width(self) -> float:
        return 100 - self.label_width - VALUE_WIDTH

    @property
    def legend(self) -> list[Legend]:
        if len(self.series) == 1:
            return []
        return [Legend(name, FILL_PATTERNS[at], at * TOP) for at, name in enumerate(self.series)]

    @property
    def height(self) -> int:
        return len(self.legend) * TOP + GAP + len(self.rows) * self._row_height

    @property
    def _row_height(self) -> int:
        return (BAR if self.stacked else BAR * len(self.series)) + GAP

    @cached_property
    def _scale(self) -> float:
        combine = sum if self.stacked else max
        return max((combine(value or 0 for value in row.values) for row in self.rows), default=0) or 1

    @property
    def lines(self) -> list[Line]:
        top = len(self.legend) * TOP + GAP
        draw = self._stacked if self.stacked else self._side_by_side
        return [draw(row, top + at * self._row_height) for at, row in enumerate(self.rows)]

    def _stacked(self, row: Row, y: int) -> Line:
        bars, x = [], 0.0
        for at, value in enumerate(row.values):
            if value:
                width = 100 * value / self._scale
                bars.append(
                    Bar(round(x, 3), y, round(width, 3), FILL_PATTERNS[at], self._description(row, at))
                )
                x += width
        total = sum(value or 0 for value in row.values)
        return Line(row.label, y + BAR - 4, tuple(bars), ((round(x, 3), y + BAR - 4, number(total)),))

    def _side_by_side(self, row: Row, y: int) -> Line:
        bars, numbers = [], []
        for at, value in enumerate(row.values):
            if value is not None:
                width, top = round(100 * value / self._scale, 3), y + at * BAR
                bars.append(Bar(0, top, width, FILL_PATTERNS[at], self._description(row, at)))
                numbers.append((width, top + BAR - 4, number(value)))
        return Line(row.label, y + BAR - 4, tuple(bars), tuple(numbers))

    def _description(self, row: Row, at: int) -> str:
        return f"{row.label}, {self.series[at]}: {number(row.values[at])} {self.unit}".rstrip()

    @property
    def table(self) -> list[tuple[str, list[str]]]:
        return [(row.label, [number(value) for value in row.values]) for row in self.rows]

    @property
    def csv(self) -> str:
        """The same numbers after RFC 4180; an empty cell where there is none."""
        written = io.StringIO()
        writer = csv.writer(written)
        writer.writerow([self.label, *self.series])
        for row in self.rows:
            writer.writerow([row.label, *("" if value is None else number(value) for value in row.values)])
        return written.getvalue()


def number(value: float | None) -> str:
    """At most one decimal place; an en dash where there is none."""
    return "\N{EN DASH}" if value is None else f"{value:.1f}".removesuffix(".0")
