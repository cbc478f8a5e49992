"""Benchmark: time and memory of an escrow, compared with pg_dump of the same database."""

import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from registry.devserver.embedded_postgres import find_programs

from .bounds import Bound, print_bounds
from .commands import Command
from .databases import ROOT, BenchmarkDatabase, benchmark_databases
from .servers import server_and_client_cores
from .terminal import show_progress

SUMMARY = "time and memory of an escrow, compared with pg_dump of the same database"
# The limits of the commands of the registry, for any number of namespaces. An escrow is made of JSON, with digests;
# pg_dump copies the rows as the server has them, but also those that an escrow leaves out.
MAX_MEGABYTES = 300
MAX_RATIO = 3.0
FEWEST = 100_000  # namespaces: with fewer, the time is that of the start


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument(
        "--namespaces", type=int, default=1_000_000, help="number of namespaces (default: 1,000,000)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds of writing (default: 3)")
    parser.add_argument("--no-restore", action="store_true", help="skip the restore, which takes longest")


def run(options: Namespace) -> bool:
    """Measure, print the table, and return whether every bound is met."""
    with (
        benchmark_databases(options.namespaces, 0) as (filled, empty),
        tempfile.TemporaryDirectory() as place,
    ):
        _add_events(filled)
        folder = Path(place, "escrow")
        write = _escrow("escrow", filled, folder)
        start = _escrow("escrow, no rows", empty, Path(place, "empty"))
        files = [Path(place, "plain"), Path(place, "custom")]
        dumps = [_dump(filled, file) for file in files]
        verify = _escrow("escrow --verify", filled, folder, "--verify")
        restore = _escrow("escrow --restore", empty, folder, "--restore", "--unproven")
        once = [verify] if options.no_restore else [verify, restore]
        _run_all([start, write, *dumps], once, options.rounds)
        for command, written in zip((write, *dumps), (folder / "current", *files), strict=True):
            command.remark = f"{_size(written) / 1e6:,.1f} MB"
    _print_table([start, write, *dumps, *once], options.namespaces)
    times = [_time_bound(start, write, dumps[0])] if options.namespaces >= FEWEST else []
    return print_bounds([*times, *map(_memory_bound, [write, *once])])


def _add_events(filled: BenchmarkDatabase) -> None:
    """Write an event for each namespace, as an import does."""
    show_progress("events are written")
    command = [sys.executable, "-m", "benchmarks.event_writer"]
    subprocess.run(command, cwd=ROOT, env=filled.environment, check=True)
    with filled.connect() as connection:
        connection.execute("VACUUM ANALYZE")


def _escrow(name: str, database: BenchmarkDatabase, folder: Path, *options: str) -> Command:
    words = [sys.executable, "manage.py", "escrow", *options, str(folder)]
    return Command(name, words, database.environment)


def _dump(database: BenchmarkDatabase, file: Path) -> Command:
    """Return a command that writes all tables, also those that an escrow derives from others; the file names the format."""
    options = (f"--format={file.name}", f"--file={file}", f"--dbname={database.environment['DATABASE_URL']}")
    return Command(
        f"pg_dump, {file.name}", [str(find_programs() / "pg_dump"), *options], database.environment
    )


def _run_all(writers: Sequence[Command], once: Sequence[Command], rounds: int) -> None:
    """Run the writers in turn, and then the others once, beside the core of the server."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, server_and_client_cores()[1])
    try:
        for command in [*(writers * rounds), *once]:
            show_progress(command.name)
            command.run()
    finally:
        os.sched_setaffinity(0, before)
        show_progress("")


def _size(path: Path) -> int:
    files = path.resolve().iterdir() if path.is_dir() else [path]
    return sum(each.stat().st_size for each in files)


def _print_table(commands: Sequence[Command], namespaces: int) -> None:
    print(f"{f'{namespaces:,} namespaces':22}seconds   peak MB")
    for each in commands:
        print(f"{each.name:18}{each.median:11.2f}{each.peak / 1e6:10.0f}  {each.remark}")
    print(f"(load of the machine in the last minute: {os.getloadavg()[0]:.1f})\n")


def _time_bound(start: Command, write: Command, dump: Command) -> Bound:
    """Return the bound on the time of writing, without the start of the command, which an empty database shows."""
    rounds = zip(write.figures, start.figures, dump.figures, strict=True)
    ratio = median((whole - begin) / other for whole, begin, other in rounds)
    return Bound(f"time of escrow without its start, relative to {dump.name}", ratio, at_most=MAX_RATIO)


def _memory_bound(command: Command) -> Bound:
    return Bound(f"peak memory of {command.name}, MB", command.peak / 1e6, at_most=MAX_MEGABYTES)
