"""How long a search and a page of the list take, with a million namespaces."""

import http.client
import os
import random
import statistics
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from urllib.parse import quote_plus

from .bounds import Bound, memory_bound, print_bounds
from .places import (
    ROOT,
    WORDS,
    CannotMeasure,
    Registered,
    a_free_port,
    cores,
    databases,
    most_memory,
    registry_server,
    tell,
)

SUMMARY = "how long a search and a page of the list take, with a million namespaces"
API, PAGES = "/api/v1/namespaces/", "/namespaces/"
LONGEST = 0.050  # seconds, for 95 of 100


@dataclass
class Question:
    """A kind of request, another one each time, and how long each answer took, in seconds."""

    name: str
    path: Callable[[], str]
    seconds: list[float] = field(default_factory=list)

    def percentile(self, which: int) -> float:
        """So many of a hundred answers took no longer."""
        return statistics.quantiles(self.seconds, n=100, method="inclusive")[which - 1]


def add_arguments(parser: ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--requests", type=int, default=200, help="requests of each kind (default: 200)")
    parser.add_argument("--namespaces", type=int, default=1_000_000, help="default: 1,000,000")


def run(options: Namespace) -> bool:
    """Measure, print the table, and say whether every bound is met."""
    with databases(options.namespaces) as (registered,):
        collect = [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"]
        subprocess.run(collect, cwd=ROOT, env=registered.environment, check=True)
        port = a_free_port()
        with registry_server(registered, port) as process:
            questions = _questions(registered)
            before = os.sched_getaffinity(0)
            os.sched_setaffinity(0, cores()[1])
            try:
                _ask_all(questions, port, options.requests)
            finally:
                os.sched_setaffinity(0, before)
            memory = most_memory(process)
    _print_table(questions)
    slowest = max(questions, key=lambda each: each.percentile(95))
    return print_bounds(
        [
            Bound(
                f"95 of 100 answers, ms ({slowest.name})",
                slowest.percentile(95) * 1000,
                at_most=LONGEST * 1000,
            ),
            memory_bound(memory),
        ]
    )


def _questions(registered: Registered) -> list[Question]:
    chance = random.Random(8141)
    nids = registered.nids(1000)
    with registered.connect() as connection:
        query = "SELECT split_part(purpose, 'collection ', 2) FROM namespaces_namespace WHERE nid = ANY (%s)"
        rare = [words[:32] for (words,) in connection.execute(query, [nids]).fetchall()]

    def asking(start: str, words: Callable[[], str]) -> Callable[[], str]:
        return lambda: f"{start}?q={quote_plus(words())}"

    def some_words() -> dict[str, Callable[[], str]]:
        return {
            "a word that few have": lambda: chance.choice(rare),
            "a word that many have": lambda: chance.choice(WORDS),
            "two words that many have": lambda: " ".join(chance.sample(WORDS, 2)),
            "a word that all have": lambda: "collection",
            "a NID": lambda: chance.choice(nids),
            "the beginning of a NID": lambda: chance.choice(nids)[:5],
            "a number of a registrant": lambda: f"Body {chance.randrange(registered.size)}",
            "a word that none has": lambda: f"zzz{chance.randrange(10**6)}",
        }

    found = [Question(f"API: {name}", asking(API, words)) for name, words in some_words().items()]
    found += [Question(f"page: {name}", asking(PAGES, words)) for name, words in some_words().items()]
    found += [
        Question("API: a page of the list", lambda: f"{API}?after={chance.choice(nids)}"),
        Question("API: of one kind", lambda: f"{API}?kind=formal&status=active&after={chance.choice(nids)}"),
        Question("page: the list", lambda: PAGES),
        Question("page: a page of the list", lambda: f"{PAGES}?after={chance.choice(nids)}"),
    ]
    return found


def _ask_all(questions: list[Question], port: int, requests: int) -> None:
    """One of each kind in turn; the first ten of each do not count."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        for number in range(-10, requests):
            tell(f"request {max(number, 0)} of {requests}")
            for question in questions:
                path = question.path()
                began = time.perf_counter()
                connection.request("GET", path)
                response = connection.getresponse()
                response.read()
                if response.status != 200:
                    raise CannotMeasure(f"{path} was answered with {response.status}")
                if number >= 0:
                    question.seconds.append(time.perf_counter() - began)
    tell("")


def _print_table(questions: list[Question]) -> None:
    width = max(len(each.name) for each in questions)
    print(f"{'milliseconds':<{width}}{'p50':>9}{'p95':>9}{'p99':>9}")
    for each in questions:
        print(f"{each.name:<{width}}" + "".join(f"{each.percentile(p) * 1000:>9.1f}" for p in (50, 95, 99)))
    print(f"(load of the machine in the last minute: {os.getloadavg()[0]:.1f})\n")
