"""Benchmark: response times of searches and list pages with a million namespaces."""

import http.client
import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import closing

from urnsyntax.profiles import load_profiles

from .bounds import Bound, memory_bound, print_bounds
from .databases import ROOT, BenchmarkDatabase, benchmark_databases
from .search_requests import API, RequestKind, all_request_kinds
from .servers import (
    collect_static_files,
    free_port,
    peak_memory,
    registry_server,
    server_and_client_cores,
)
from .terminal import BenchmarkError, show_progress

SUMMARY = "response times of searches and list pages with a million namespaces"
PROFILES = ROOT / "fixtures" / "profiles"
WARMING_UP = 10  # warm-up requests of each kind


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument(
        "--requests", type=int, default=100, help="number of requests of each kind (default: 100)"
    )
    parser.add_argument(
        "--namespaces", type=int, default=1_000_000, help="number of namespaces (default: 1,000,000)"
    )
    parser.add_argument(
        "--only", metavar="TEXT", default="", help="only the kinds of requests whose name contains TEXT"
    )


def run(options: Namespace) -> bool:
    """Measure, print the table, and return whether every bound is met."""
    with benchmark_databases(options.namespaces) as (bench_db,):
        bench_db.add_profiles(load_profiles(PROFILES))
        with bench_db.connect() as connection:
            connection.execute("VACUUM ANALYZE")
        collect_static_files(bench_db.environment)
        port = free_port()
        with registry_server(bench_db.environment, port) as process:
            request_kinds = [each for each in all_request_kinds(bench_db) if options.only in each.name]
            if not request_kinds:
                raise BenchmarkError(f"No kind of request has “{options.only}” in its name.")
            _store_list_items(bench_db, port)
            before = os.sched_getaffinity(0)
            os.sched_setaffinity(0, server_and_client_cores()[1])
            try:
                _ask_all(request_kinds, port, options.requests)
            finally:
                os.sched_setaffinity(0, before)
            memory = peak_memory(process)
    _print_table(request_kinds)
    return print_bounds([*_bounds(request_kinds), memory_bound(memory)])


def _bounds(request_kinds: Sequence[RequestKind]) -> list[Bound]:
    """Return, for each limit, the bound of the slowest kind of request relative to it."""
    slowest: dict[float, RequestKind] = {}
    for each in sorted(request_kinds, key=lambda each: each.percentile(95)):
        slowest[each.longest] = each
    return [
        Bound(f"95 of 100 answers, ms ({each.name})", each.percentile(95) * 1000, at_most=longest * 1000)
        for longest, each in slowest.items()
    ]


def _store_list_items(bench_db: BenchmarkDatabase, port: int) -> None:
    """Store the entries of lists, as operators do after an update of the registry."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        _ask(connection, API)
    show_progress("entries of lists are stored")
    bench_db.store_list_items()
    with bench_db.connect() as database:
        database.execute("VACUUM ANALYZE namespaces_cachedlookup")


def _ask_all(request_kinds: Sequence[RequestKind], port: int, requests: int) -> None:
    """Send one request of each kind in turn."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        for number in range(-WARMING_UP, requests):
            show_progress(f"request {max(number, 0)} of {requests}")
            for request_kind in request_kinds:
                seconds = _ask(connection, request_kind.path())
                if number >= 0:
                    request_kind.seconds.append(seconds)
    show_progress("")


def _ask(connection: http.client.HTTPConnection, path: str) -> float:
    began = time.perf_counter()
    connection.request("GET", path)
    response = connection.getresponse()
    response.read()
    if response.status not in (200, 302):  # the search in the header redirects from a NID to its namespace
        raise BenchmarkError(f"{path} was answered with {response.status}")
    return time.perf_counter() - began


def _print_table(request_kinds: Sequence[RequestKind]) -> None:
    width = max(len(each.name) for each in request_kinds)
    print(f"{'milliseconds':<{width}}{'p50':>9}{'p95':>9}{'p99':>9}")
    for each in request_kinds:
        times = "".join(f"{each.percentile(p) * 1000:>9.1f}" for p in (50, 95, 99))
        print(f"{each.name:<{width}}{times}{'' if each.is_quick else '  over'}")
    print(f"(load of the machine in the last minute: {os.getloadavg()[0]:.1f})\n")
