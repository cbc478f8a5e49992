"""How long a search and a page of the list take, with a million namespaces, whatever is asked."""

import http.client
import os
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import closing

from .bounds import Bound, memory_bound, print_bounds
from .places import ROOT, CannotMeasure, a_free_port, cores, databases, most_memory, registry_server, tell
from .search_questions import Question, questions_to

SUMMARY = "how long a search and a page of the list take, with a million namespaces"
WARMING_UP = 10  # requests of each kind that do not count


def add_arguments(parser: ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--requests", type=int, default=100, help="requests of each kind (default: 100)")
    parser.add_argument("--namespaces", type=int, default=1_000_000, help="default: 1,000,000")
    parser.add_argument("--only", metavar="TEXT", default="", help="the kinds whose name has this text alone")


def run(options: Namespace) -> bool:
    """Measure, print the table, and say whether every bound is met."""
    with databases(options.namespaces) as (registered,):
        collect = [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"]
        subprocess.run(collect, cwd=ROOT, env=registered.environment, check=True)
        port = a_free_port()
        with registry_server(registered, port) as process:
            questions = [each for each in questions_to(registered) if options.only in each.name]
            if not questions:
                raise CannotMeasure(f"No kind of request has “{options.only}” in its name.")
            before = os.sched_getaffinity(0)
            os.sched_setaffinity(0, cores()[1])
            try:
                _ask_all(questions, port, options.requests)
            finally:
                os.sched_setaffinity(0, before)
            memory = most_memory(process)
    _print_table(questions)
    return print_bounds([*_bounds(questions), memory_bound(memory)])


def _bounds(questions: Sequence[Question]) -> list[Bound]:
    """For each limit, the kind of request that came nearest to it or beyond."""
    slowest: dict[float, Question] = {}
    for each in sorted(questions, key=lambda each: each.percentile(95)):
        slowest[each.longest] = each
    return [
        Bound(f"95 of 100 answers, ms ({each.name})", each.percentile(95) * 1000, at_most=longest * 1000)
        for longest, each in slowest.items()
    ]


def _ask_all(questions: Sequence[Question], port: int, requests: int) -> None:
    """One of each kind in turn."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        for number in range(-WARMING_UP, requests):
            tell(f"request {max(number, 0)} of {requests}")
            for question in questions:
                seconds = _ask(connection, question.path())
                if number >= 0:
                    question.seconds.append(seconds)
    tell("")


def _ask(connection: http.client.HTTPConnection, path: str) -> float:
    began = time.perf_counter()
    connection.request("GET", path)
    response = connection.getresponse()
    response.read()
    if response.status != 200:
        raise CannotMeasure(f"{path} was answered with {response.status}")
    return time.perf_counter() - began


def _print_table(questions: Sequence[Question]) -> None:
    width = max(len(each.name) for each in questions)
    print(f"{'milliseconds':<{width}}{'p50':>9}{'p95':>9}{'p99':>9}")
    for each in questions:
        times = "".join(f"{each.percentile(p) * 1000:>9.1f}" for p in (50, 95, 99))
        print(f"{each.name:<{width}}{times}{'' if each.is_quick else '  over'}")
    print(f"(load of the machine in the last minute: {os.getloadavg()[0]:.1f})\n")
