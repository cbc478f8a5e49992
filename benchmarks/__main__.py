"""The command line of the benchmarks, with one subcommand per subject."""

import signal
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import NoReturn

from registry.core.processes.interruptions import raise_lost_interruptions

from . import (
    bulk_check,
    case_writes,
    escrow,
    lists,
    log,
    lookup,
    pages,
    profile_checks,
    registers,
    registry_files,
    resolve,
    search,
    sitemap,
    subnamespaces,
    urn_parsing,
)
from .terminal import BenchmarkError

SUBJECTS = {
    "lookup": lookup,
    "lists": lists,
    "log": log,
    "pages": pages,
    "resolve": resolve,
    "writes": case_writes,
    "search": search,
    "check": bulk_check,
    "urnsyntax": urn_parsing,
    "profiles": profile_checks,
    "subnamespaces": subnamespaces,
    "registers": registers,
    "files": registry_files,
    "escrow": escrow,
    "sitemap": sitemap,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure one subject; return 0 if every bound is met, otherwise 1."""
    parser = ArgumentParser(
        prog="run.py benchmark",
        description="Measure the speed of the project, compared with alternatives, and check that it meets its bounds.",
        epilog="Example: python3 run.py benchmark urnsyntax. Exit status: 0 bounds met; 1 a bound missed; 2 usage error.",
    )
    subparsers = parser.add_subparsers(metavar="SUBJECT", required=True)
    for name, subject in SUBJECTS.items():
        command = subparsers.add_parser(name, help=subject.SUMMARY, description=subject.SUMMARY)
        subject.add_arguments(command)
        command.set_defaults(run=subject.run)
    options = parser.parse_args(arguments)
    try:
        return 0 if options.run(options) else 1
    except BenchmarkError as reason:
        print(reason, file=sys.stderr)
        return 1


def end(number: int, _: object) -> NoReturn:
    """Exit on a signal, so that servers and databases are removed."""
    # psycopg cancels a running query only for this exception.
    raise KeyboardInterrupt(number)


if __name__ == "__main__":
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, end)
    raise_lost_interruptions()
    try:
        sys.exit(main())
    except KeyboardInterrupt as reason:
        sys.exit(128 + reason.args[0])
