"""Charts in SVG: bars, and curves.

Lengths are percentages of the width and text has a fixed size, so one drawing fits small and large screens.
Series differ in pattern, not only in colour. There are no inline styles, because the Content Security Policy
forbids them; therefore no drawing library is used.
"""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

from urnsyntax import csv_cells

BAR, GAP, TOP = 16, 8, 22  # pixels: height of a bar, gap between rows, height of a legend line
MAX_LABEL_WIDTH, VALUE_WIDTH = 45, 14  # percent of the width
FILL_PATTERNS = ("solid", "hatched", "dotted", "outlined")
CURVE_HEIGHT, AXIS_HEIGHT, AXIS_WIDTH, MOST_TICKS = 200, 24, 10, 6  # the width in percent


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a label and a number for each series, or None."""

    label: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """The geometry of a bar: `x` and `width` in percent of the plot, `y` in pixels."""

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
    """A drawn row: `numbers` are the values after its bars, as (x, y, text)."""

    label: str
    y: int
    bars: tuple[Bar, ...]
    numbers: tuple[tuple[float, int, str], ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a curve: `x` in percent of the plot, `y` in pixels."""

    x: float
    y: float
    description: str


@dataclass(frozen=True)
class Chart:
    """A bar chart. `label` is the head of the first column; `unit` follows numbers in text, and is "" for counts;
    `stacked` adds up the values of a row.
    """

    slug: str
    title: str
    explanation: str
    label: str
    series: tuple[str, ...]
    rows: Sequence[Row]
    unit: str = ""
    stacked: bool = False
    note: str = ""
    template: ClassVar[str] = "statistics/bar_chart.svg"

    @property
    def is_empty(self) -> bool:
        """Whether the chart has no data: no numbers, or only zeros in a stacked chart."""
        values = [value for row in self.rows for value in row.values]
        return not any(values) if self.stacked else all(value is None for value in values)

    @cached_property
    def label_width(self) -> float:
        """The width of the labels in percent; a character takes about 2.2 on a small screen."""
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
        """Return the numbers as CSV (RFC 4180), with empty cells for None. A label is never a formula (`urnsyntax.csv_cells`)."""
        written = io.StringIO()
        writer = csv.writer(written)
        writer.writerow(map(csv_cells.written, (self.label, *self.series)))
        for row in self.rows:
            writer.writerow(
                [
                    csv_cells.written(row.label),
                    *("" if value is None else number(value) for value in row.values),
                ]
            )
        return written.getvalue()


class Curve(Chart):
    """A chart with a line for each series over rows at equal distances, such as years; without gaps."""

    template = "statistics/curve.svg"

    label_width = AXIS_WIDTH
    plot_width = 100 - 2 * AXIS_WIDTH
    end = AXIS_WIDTH + plot_width

    @property
    def height(self) -> int:
        return self._top + CURVE_HEIGHT + AXIS_HEIGHT

    @property
    def bottom(self) -> int:
        return self._top + CURVE_HEIGHT

    @property
    def _top(self) -> int:
        return len(self.legend) * TOP + GAP + BAR

    @property
    def curves(self) -> list[tuple[str, list[tuple[float, float, float, float]], list[Point]]]:
        """For each series the pattern of its line, the parts of the line as x1, y1, x2 and y2, and its points."""
        drawn = []
        for at in range(len(self.series)):
            points = [self._point(place, at) for place in range(len(self.rows))]
            lines = [(start.x, start.y, end.x, end.y) for start, end in pairwise(points)]
            drawn.append((FILL_PATTERNS[at], lines, points))
        return drawn

    def _point(self, place: int, at: int) -> Point:
        row = self.rows[place]
        return Point(self._x(place), self._y(row.values[at] or 0), self._description(row, at))

    def _x(self, place: int) -> float:
        return round(100 * place / max(len(self.rows) - 1, 1), 3)

    def _y(self, value: float) -> float:
        return round(self.bottom - CURVE_HEIGHT * value / self._scale, 1)

    @property
    def levels(self) -> list[tuple[float, str]]:
        """The horizontal lines: where, and their numbers. At most five, at multiples of 1, 2 or 5 times a power of ten."""
        magnitude = 10 ** max(math.floor(math.log10(self._scale)) - 1, 0)
        step = next(
            each * magnitude for each in (1, 2, 5, 10, 20, 50) if self._scale / (each * magnitude) < 5
        )
        return [(self._y(value), number(value)) for value in range(0, math.floor(self._scale) + 1, step)]

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """The labels below: where, and which. The last one is there, and others at equal distances from it."""
        step = math.ceil(len(self.rows) / MOST_TICKS)
        return [
            (self._x(place), self.rows[place].label) for place in range(len(self.rows) - 1, -1, -max(step, 1))
        ]


def number(value: float | None) -> str:
    """Format a number with at most one decimal place, None as an en dash."""
    return "\N{EN DASH}" if value is None else f"{value:.1f}".removesuffix(".0")
