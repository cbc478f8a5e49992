"""Candidates of a benchmark, with one figure for each round."""

import statistics
from dataclasses import dataclass, field


@dataclass
class Candidate:
    """Something that is measured. Candidates take turns in each round."""

    name: str
    remark: str = field(default="", kw_only=True)
    figures: list[float] = field(default_factory=list, kw_only=True)

    @property
    def median(self) -> float:
        """Return the median of the rounds."""
        return statistics.median(self.figures)

    def ratio_to(self, other: "Candidate") -> float:
        """Return the median of the ratios to another candidate, each taken within one round."""
        return statistics.median(a / b for a, b in zip(self.figures, other.figures, strict=True))
