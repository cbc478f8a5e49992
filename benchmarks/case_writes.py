"""Benchmark: cases begun and submitted by API, compared with a plain REST framework view that saves their text."""

import contextlib
import json
import os
import subprocess
import sys
import time
import uuid
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection
from itertools import count
from statistics import median, quantiles
from typing import Any

from registry.registration_template.parsing.parser import parse_template

from .bounds import Bound, memory_bound, print_bounds
from .candidates import Candidate
from .databases import ROOT, BenchmarkDatabase, benchmark_databases
from .servers import (
    free_port,
    granian,
    peak_memory,
    registry_server,
    running_server,
    server_and_client_cores,
)
from .terminal import BenchmarkError, show_progress

SUMMARY = "cases begun and submitted by API, compared with a plain REST framework view"
SIZE = 1000
CLIENTS = (1, 8)
UNLIMITED = {"DRAFTS_AN_HOUR": "999999999", "ROUNDS_AN_HOUR": "999999999"}
TEXT = ROOT / "fixtures" / "cases" / "example-museums.txt"
NUMBERS = count(1)  # of the requested NIDs


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--cases", type=int, default=10, help="cases of each client in a round (default: 10)")


@dataclass
class Write(Candidate):
    """A kind of request. Its figures are requests per second; `seconds` are those of each request."""

    send: Callable[[HTTPConnection, str, Any], Any]
    port: int
    seconds: list[float] = field(default_factory=list, kw_only=True)


def run(options: Namespace) -> bool:
    """Measure, print the table, and return whether every bound is met."""
    bounds = []
    with benchmark_databases(SIZE) as (filled,), contextlib.ExitStack() as stack:
        environment = filled.environment | UNLIMITED
        tokens = _tokens(filled, max(CLIENTS))
        port, plain_port = free_port(), free_port()
        process = stack.enter_context(registry_server(environment, port))
        command = granian("benchmarks.baseline_cases:application", plain_port)
        stack.enter_context(running_server(command, plain_port, environment))
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, server_and_client_cores()[1])
        stack.callback(os.sched_setaffinity, 0, before)
        for clients in CLIENTS:
            bounds += _measured(tokens[:clients], port, plain_port, options)
        memory = peak_memory(process)
    return print_bounds([*bounds, memory_bound(memory)])


def _measured(tokens: list[str], port: int, plain_port: int, options: Namespace) -> list[Bound]:
    plain = Write("save, the plain way", _save, plain_port, remark="the baseline: one row")
    begin = Write("begin", _begin, port, remark="with an Idempotency-Key")
    submit = Write("submit", _submit, port, remark="round, event, mails to staff and subscribers")
    for number in range(options.rounds + 1):
        show_progress(f"{len(tokens)} clients: round {number} of {options.rounds}")
        keep = number > 0  # the first round warms up
        texts = [[_sections() for _ in range(options.cases)] for _ in tokens]
        _send_all(plain, tokens, texts, keep=keep)
        begun = _send_all(begin, tokens, texts, keep=keep)
        _send_all(submit, tokens, begun, keep=keep)
    show_progress("")
    _print_table(len(tokens), [plain, begin, submit])
    return [
        Bound(
            f"{each.name} per second, relative to the plain view, clients: {len(tokens)}",
            each.ratio_to(plain),
            at_least=least,
        )
        for each, least in ((begin, 0.3), (submit, 0.1))
    ]


def _send_all(write: Write, tokens: list[str], values: list[list[Any]], *, keep: bool) -> list[list[Any]]:
    """Send the requests of each client one after the other, those of all clients at the same time."""
    started = time.perf_counter()
    with ThreadPoolExecutor(len(tokens)) as pool:
        answers = list(pool.map(lambda token, mine: _send(write, token, mine), tokens, values))
    elapsed = time.perf_counter() - started
    if keep:
        write.figures.append(sum(map(len, values)) / elapsed)
        write.seconds += [seconds for mine in answers for _, seconds in mine]
    return [[answer for answer, _ in mine] for mine in answers]


def _send(write: Write, token: str, values: list[Any]) -> list[tuple[Any, float]]:
    answers = []
    with contextlib.closing(HTTPConnection("127.0.0.1", write.port, timeout=60)) as connection:
        for value in values:
            started = time.perf_counter()
            answers.append((write.send(connection, token, value), time.perf_counter() - started))
    return answers


def _save(connection: HTTPConnection, token: str, sections: dict[str, Any]) -> Any:
    return _post(connection, "/plain/", token, {"kind": "formal", "draft": sections})


def _begin(connection: HTTPConnection, token: str, sections: dict[str, Any]) -> Any:
    return _post(connection, "/api/v1/cases/", token, {"kind": "formal", "sections": sections})


def _submit(connection: HTTPConnection, token: str, case: dict[str, Any]) -> Any:
    stamp = {"draft_stamp": case["draft_stamp"]}
    return _post(connection, f"/api/v1/cases/{case['number']}/submit/", token, stamp)


def _post(connection: HTTPConnection, path: str, token: str, body: Any) -> Any:
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Idempotency-Key": f'"{uuid.uuid4()}"',
    }
    connection.request("POST", path, json.dumps(body), headers)
    response = connection.getresponse()
    text = response.read()
    if response.status not in {HTTPStatus.OK, HTTPStatus.CREATED}:
        raise BenchmarkError(f"{path}: {response.status} {text[:500].decode(errors='replace')}")
    return json.loads(text)


def _sections() -> dict[str, Any]:
    """The sections of a request, each time for another NID."""
    text = TEXT.read_text().replace("example-museums", f"museums-{next(NUMBERS)}")
    return parse_template(text).template.to_json()


def _tokens(filled: BenchmarkDatabase, people: int) -> list[str]:
    command = [sys.executable, "-m", "benchmarks.writers", str(people)]
    made = subprocess.run(
        command, cwd=ROOT, env=filled.environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return made.stdout.split()


def _print_table(clients: int, writes: list[Write]) -> None:
    print(f"\n{f'clients: {clients}':22}requests/s   p50 ms   p95 ms to baseline")
    for each in writes:
        p95 = quantiles(each.seconds, n=20)[-1] * 1000
        p50 = median(each.seconds) * 1000
        ratio = each.ratio_to(writes[0])
        print(f"{each.name:22}{each.median:10.1f}{p50:9.1f}{p95:9.1f}{ratio:12.2f}  {each.remark}")
