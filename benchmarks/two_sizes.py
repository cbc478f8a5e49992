"""The same requests and writes with little and with much in one database, in turn, in a process of their own with Django."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from .bounds import Bound
from .candidates import Candidate
from .databases import ROOT, BenchmarkDatabase
from .servers import collect_static_files
from .terminal import show_progress

CALLS = 5  # in a round, of which the fastest counts: other programs have less influence


class Measured(Protocol):
    """What is measured of one namespace."""

    def actions(self) -> dict[str, Callable[[], object]]:
        """What is measured, by name."""


def compared(
    bench_db: BenchmarkDatabase, module: str, sizes: Mapping[str, int], rounds: int, what: str
) -> list[Bound]:
    """Run a module that calls `print_times`, print the times, and return a bound for the ratio of each.

    `sizes` has the short and the long one by NID; `what` says what has this size.
    """
    collect_static_files(bench_db.environment)
    command = [sys.executable, "-m", f"benchmarks.{module}", str(rounds), *sizes]
    output = subprocess.run(
        command, cwd=ROOT, env=bench_db.environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    few, many = sizes.values()
    print(f"{'milliseconds':<44}{f'{what} of {few:,}':>24}{f'{what} of {many:,}':>24}")
    bounds = []
    for name, figures in json.loads(output).items():
        short, long = (Candidate(name, figures=each) for each in figures)
        print(f"{name:<44}{short.median * 1000:>24,.1f}{long.median * 1000:>24,.1f}")
        bounds.append(Bound(f"{name}, {what} of {many:,} / {few:,}", long.ratio_to(short), at_most=1.2))
    return bounds


def print_times(kind: Callable[[str], Measured]) -> None:
    """Print the seconds of each round as JSON, by name and for each namespace, after one warm-up round.

    The arguments of the process are the number of rounds and the NIDs.
    """
    rounds, nids = int(sys.argv[1]), sys.argv[2:]
    measured = [kind(nid).actions() for nid in nids]
    found: dict[str, list[list[float]]] = {name: [[] for _ in nids] for name in measured[0]}
    for number in range(rounds + 1):
        show_progress(f"round {number} of {rounds}")
        for name, figures in found.items():
            for actions, seconds in zip(measured, figures, strict=True):
                fastest = min(_timed(actions[name]) for _ in range(CALLS))
                if number:
                    seconds.append(fastest)
    show_progress("")
    print(json.dumps(found))


def _timed(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began
