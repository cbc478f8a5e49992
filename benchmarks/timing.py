"""Interleaved measurement: every candidate runs once a round, so that a slow moment hits them all.

What counts is the time this process had the processor, so that other programs on the machine count less.
"""

import gc
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Candidate:
    """Something that is measured: a name, and a function that does the whole work once."""

    name: str
    run: Callable[[], object]
    remark: str = ""
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median of its rounds, in seconds."""
        return statistics.median(self.seconds)

    def ratio_to(self, other: "Candidate") -> float:
        """The median of its ratios to another candidate, each taken within one round."""
        return statistics.median(a / b for a, b in zip(self.seconds, other.seconds, strict=True))


def measure(candidates: list[Candidate], rounds: int, what: str) -> None:
    """Run all candidates `rounds` times in turn, after one round that does not count."""
    for number in range(rounds + 1):
        _show_progress(f"{what}: round {number} of {rounds}")
        for candidate in candidates:
            seconds = _timed(candidate.run)
            if number:
                candidate.seconds.append(seconds)
    _show_progress("")


def _timed(run: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        run()
        return time.process_time() - start
    finally:
        gc.enable()


def _show_progress(message: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{message}")
        sys.stderr.flush()
