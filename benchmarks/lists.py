"""Benchmark: lists of 100 namespaces, and their conditional requests, compared with a plain view."""

import contextlib
import json
import urllib.request
from argparse import Namespace

from .bounds import Bound, memory_bound, print_bounds
from .databases import benchmark_databases
from .servers import free_port, granian, peak_memory, registry_server, running_server
from .wrk_load import LoadedServer, add_arguments, check_wrk, print_table, run_rounds

__all__ = ["add_arguments"]

SUMMARY = "lists of namespaces and their conditional requests, compared with a plain REST framework view"
SIZE = 1000
PAGE = 100
LIST, PLAIN = "/api/v1/namespaces/", "/plain/"


def run(options: Namespace) -> bool:
    """Measure, print the table, and return whether every bound is met."""
    check_wrk()
    with benchmark_databases(SIZE) as (filled,), contextlib.ExitStack() as stack:
        port, plain_port = free_port(), free_port()
        process = stack.enter_context(registry_server(filled.environment, port))
        command = granian("benchmarks.baseline_namespaces:application", plain_port)
        stack.enter_context(running_server(command, plain_port, filled.environment))
        ours = LoadedServer("list", port, [LIST], remark=f"{PAGE} namespaces, as deployed")
        plain = LoadedServer("the plain way", plain_port, [PLAIN], remark="the baseline: a model serializer")
        _check_responses(ours, plain)
        empty_port = free_port()
        command = granian("benchmarks.empty_response:application", empty_port)
        stack.enter_context(running_server(command, empty_port, filled.environment))
        empty = LoadedServer("the server alone", empty_port, ["/"], remark="an empty response")
        unchanged = LoadedServer(
            "list, unchanged", port, [LIST], remark="304", header=f"If-None-Match: {_etag(ours)}"
        )
        candidates = [ours, unchanged, plain, empty]
        run_rounds(candidates, rounds=options.rounds, seconds=options.seconds)
        print_table(candidates, plain)
        print(
            f"A 304 takes {100 * plain.ratio_to(unchanged):.1f} % of the time of the plain list, and "
            f"{empty.ratio_to(unchanged):.1f} times that of an empty response.\n"
        )
        memory = peak_memory(process)
    return print_bounds(
        [
            Bound("lists per second, relative to the plain view", ours.ratio_to(plain), at_least=8),
            Bound(
                "unchanged lists per second, relative to the plain view",
                unchanged.ratio_to(plain),
                at_least=10,
            ),
            Bound("unchanged lists per second, relative to the list", unchanged.ratio_to(ours), at_least=1),
            memory_bound(memory),
        ]
    )


def _check_responses(ours: LoadedServer, plain: LoadedServer) -> None:
    """Check that both lists have the same entries. The first request stores those of ours."""
    results = [json.loads(server.get(server.paths[0]))["results"] for server in (ours, plain)]
    assert results[0] == results[1]
    assert len(results[0]) == PAGE


def _etag(server: LoadedServer) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{server.paths[0]}", timeout=30) as response:
        return str(response.headers["ETag"])
