"""What was promised of a figure, and whether it holds."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """A figure, and what it may be."""

    promise: str
    figure: float
    at_least: float = float("-inf")
    at_most: float = float("inf")

    @property
    def is_met(self) -> bool:
        """Whether the figure is within what was promised."""
        return self.at_least <= self.figure <= self.at_most

    @property
    def limit(self) -> str:
        """The limit in words."""
        return f"at most {self.at_most:g}" if self.at_most < float("inf") else f"at least {self.at_least:g}"


def memory_bound(octets: int) -> Bound:
    """What a worker may hold, whatever it answers."""
    return Bound("most memory of a worker, MB", octets / 1e6, at_most=150)


def print_bounds(bounds: Sequence[Bound]) -> bool:
    """Say of each bound whether it is met; whether all are."""
    for bound in bounds:
        verdict = "met   " if bound.is_met else "MISSED"
        print(f"{verdict}  {bound.promise}: {bound.figure:.3f}, {bound.limit}")
    return all(bound.is_met for bound in bounds)
