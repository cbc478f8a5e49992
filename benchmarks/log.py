"""Benchmark: events, heads and proofs of a long log, and the cost of an event beside one of the former format."""

import json
import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from .bounds import Bound, print_bounds
from .candidates import Candidate
from .databases import ROOT, benchmark_databases

SUMMARY = (
    "events, heads and proofs with 1,000,000 events in the log, and events beside those of the former format"
)

MAX_FILL = 300.0  # seconds, for 1,000,000 events
MAX_HEAD, MAX_PROOF = 50.0, 2.0  # milliseconds
MAX_RATIO = 1.05
FORMER = ", former format"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--rounds", type=int, default=15, help="rounds (default: 15)")
    parser.add_argument(
        "--events", type=int, default=1_000_000, help="events in the log (default: 1,000,000)"
    )


def run(options: Namespace) -> bool:
    """Measure, print the table, and return whether every bound is met."""
    with benchmark_databases(0) as (bench_db,), tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "benchmarks.stored_log", str(options.rounds), str(options.events)]
        environment = bench_db.environment | {"LOG_SIGNING_KEY": str(Path(place, "key"))}
        output = subprocess.run(
            command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
        ).stdout
    found = json.loads(output)
    measured = {name: Candidate(name, figures=figures) for name, figures in found["rounds"].items()}
    print(f"{options.events:,} events were written in {found['fill']:,.0f} s, with a head of each thousand.")
    print(f"{'milliseconds':<34}{'median':>8}{'least':>8}")
    for name, each in measured.items():
        print(f"{name:<34}{each.median * 1000:>8.2f}{min(each.figures) * 1000:>8.2f}")
    print(f"(load of the machine in the last minute: {os.getloadavg()[0]:.1f})\n")
    bounds = [Bound(f"seconds to write {options.events:,} events", found["fill"], at_most=MAX_FILL)]
    for name, each in measured.items():
        if former := measured.get(f"{name}{FORMER}"):
            bounds.append(
                Bound(f"{name}, relative to the former format", each.ratio_to(former), at_most=MAX_RATIO)
            )
        elif not name.endswith(FORMER):
            limit = MAX_HEAD if name.startswith("head") else MAX_PROOF
            bounds.append(Bound(f"{name}, milliseconds", each.median * 1000, at_most=limit))
    return print_bounds(bounds)
