"""Interleaved measurement: every contestant runs once a round, so that a slow moment hits them all.

What counts is the time this process had the processor, so that other programs on the machine count less.
"""

import gc
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Contestant:
    """Something that is measured: a name, and a function that does the whole work once."""

    name: str
    run: Callable[[], object]
    remark: str = ""
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median of its rounds, in seconds."""
        return statistics.median(self.seconds)

    def ratio_to(self, other: "Contestant") -> float:
        """The median of its ratios to another contestant, each taken within one round."""
        return statistics.median(a / b for a, b in zip(self.seconds, other.seconds, strict=True))


def measure(contestants: list[Contestant], rounds: int, what: str) -> None:
    """Run all contestants `rounds` times in turn, after one round that does not count."""
    for number in range(rounds + 1):
        _tell(f"{what}: round {number} of {rounds}")
        for contestant in contestants:
            seconds = _timed(contestant.run)
            if number:
                contestant.seconds.append(seconds)
    _tell("")


def _timed(run: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        run()
        return time.process_time() - start
    finally:
        gc.enable()


def _tell(message: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{message}")
        sys.stderr.flush()
