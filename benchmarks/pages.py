"""Benchmark: the home page, the list and the page of a namespace, compared with the same pages rendered each time."""

import urllib.request
from argparse import ArgumentParser, Namespace

from .bounds import Bound, memory_bound, print_bounds
from .databases import benchmark_databases
from .servers import collect_static_files, free_port, peak_memory, registry_server
from .wrk_load import LoadedServer, check_wrk, print_table, run_rounds
from .wrk_load import add_arguments as add_wrk_arguments

SUMMARY = (
    "public pages and their conditional requests, compared with the same pages rendered for each request"
)
SIZE = 1000
# Pages are not cached for requests with a cookie.
COOKIE = "Cookie: theme=none"
PAGES = {"home": "/", "list": "/namespaces/", "namespace": "/namespaces/{nid}/"}


def add_arguments(parser: ArgumentParser) -> None:
    add_wrk_arguments(parser)
    parser.add_argument("--page", action="append", choices=PAGES, help="a page to measure (default: all)")


def run(options: Namespace) -> bool:
    """Measure, print a table for each page, and return whether every bound is met."""
    check_wrk()
    bounds = []
    with benchmark_databases(SIZE) as (filled,):
        collect_static_files(filled.environment)
        port = free_port()
        (nid,) = filled.nids(1, with_text=True)
        with registry_server(filled.environment, port) as process:
            for name in options.page or PAGES:
                bounds += _measured(f"{name} page", PAGES[name].format(nid=nid), port, options)
            memory = peak_memory(process)
    return print_bounds([*bounds, memory_bound(memory)])


def _measured(name: str, path: str, port: int, options: Namespace) -> list[Bound]:
    rendered = LoadedServer(f"{name}, rendered", port, [path], remark="the baseline", header=COOKIE)
    kept = LoadedServer(name, port, [path], remark="as deployed")
    # The first request renders it.
    assert kept.get(path) == _rendered(port, path)
    condition = f"If-None-Match: {_etag(port, path)}"
    unchanged = LoadedServer(f"{name}, unchanged", port, [path], remark="304", header=condition)
    candidates = [kept, unchanged, rendered]
    run_rounds(candidates, rounds=options.rounds, seconds=options.seconds)
    print_table(candidates, rendered)
    return [
        Bound(f"{each.name} per second, relative to rendering", each.ratio_to(rendered), at_least=3)
        for each in (kept, unchanged)
    ]


def _rendered(port: int, path: str) -> bytes:
    name, _, value = COOKIE.partition(": ")
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={name: value})
    with urllib.request.urlopen(request, timeout=30) as response:
        content: bytes = response.read()
        return content


def _etag(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as response:
        return str(response.headers["ETag"])
