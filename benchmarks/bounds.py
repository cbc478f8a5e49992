"""Bounds for measured values."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """A measured value and its limit."""

    promise: str
    figure: float
    at_least: float = float("-inf")
    at_most: float = float("inf")

    @property
    def is_met(self) -> bool:
        """Whether the value is within the limit."""
        return self.at_least <= self.figure <= self.at_most

    @property
    def limit(self) -> str:
        """Return the limit as text."""
        return f"at most {self.at_most:g}" if self.at_most < float("inf") else f"at least {self.at_least:g}"


def memory_bound(octets: int) -> Bound:
    """Return the bound on the memory of a worker."""
    return Bound("peak memory of a worker, MB", octets / 1e6, at_most=150)


def print_bounds(bounds: Sequence[Bound]) -> bool:
    """Print whether each bound is met; return whether all are."""
    for bound in bounds:
        verdict = "met   " if bound.is_met else "MISSED"
        print(f"{verdict}  {bound.promise}: {bound.figure:.3f}, {bound.limit}")
    return all(bound.is_met for bound in bounds)
