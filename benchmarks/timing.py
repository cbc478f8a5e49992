"""Interleaved measurement: every candidate runs once a round, so that a slow moment affects all of them.

The CPU time of this process is measured, so that other programs have less influence.
"""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass

from .candidates import Candidate
from .terminal import show_progress


@dataclass
class TimedFunction(Candidate):
    """A function that does the whole work once. Its figures are seconds."""

    run: Callable[[], object]


def measure(candidates: list[TimedFunction], rounds: int, what: str) -> None:
    """Run all candidates `rounds` times in turn, after one warm-up round."""
    for number in range(rounds + 1):
        show_progress(f"{what}: round {number} of {rounds}")
        for candidate in candidates:
            seconds = _timed(candidate.run)
            if number:
                candidate.figures.append(seconds)
    show_progress("")


def _timed(run: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        run()
        return time.process_time() - start
    finally:
        gc.enable()
