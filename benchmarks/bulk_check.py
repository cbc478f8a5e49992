"""Benchmark: URNs checked per second over HTTP, on one core: their syntax, and the rules of their namespaces."""

import json
from argparse import ArgumentParser, Namespace
from itertools import islice

from urnsyntax import is_urn
from urnsyntax.profiles import Profiles, load_profiles

from .bounds import Bound, memory_bound, print_bounds
from .databases import benchmark_databases
from .profile_checks import FIXTURES, WRONG, example_texts
from .servers import free_port, peak_memory, registry_server
from .urn_corpus import corpus
from .wrk_load import LoadedServer, check_wrk, print_table, run_rounds

SUMMARY = "URNs checked per second over HTTP, on one core, with and without the rules of their namespaces"
ADDRESS = "/api/v1/urns/check/"
LEVELS = ("syntax", "namespace")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument(
        "--seconds", type=int, default=4, help="seconds for each candidate in a round (default: 4)"
    )
    parser.add_argument("--urns", type=int, default=10_000, help="URNs per request (default: 10,000)")
    parser.add_argument("--level", choices=LEVELS, action="append", help="only this level (default: both)")


def run(options: Namespace) -> bool:
    """Measure, print the table, and return whether every bound is met."""
    check_wrk()
    profiles, levels = load_profiles(FIXTURES), options.level or LEVELS
    with benchmark_databases(100) as (bench_db,):
        bench_db.add_profiles(profiles)
        port = free_port()
        with registry_server(bench_db.environment, port) as process:
            syntax = _of_syntax(options.urns, port) if "syntax" in levels else []
            judged = _of_namespaces(profiles, options.urns, port) if "namespace" in levels else []
            candidates = [*syntax, *judged]
            run_rounds(candidates, rounds=options.rounds, seconds=options.seconds, connections=2)
            memory = peak_memory(process)
    print_table(candidates, candidates[0])
    bounds = [
        Bound(f"URNs per second, {each.name}", each.median * options.urns, at_least=least)
        for kind, all_least in ((syntax, (100_000, 100_000)), (judged, (100_000, 20_000)))
        if kind
        for each, least in zip(kind, all_least, strict=True)
    ]
    return print_bounds([*bounds, memory_bound(memory)])


def _of_syntax(urns: int, port: int) -> list[LoadedServer]:
    texts = [text for text in corpus(urns * 2) if "\n" not in text][:urns]
    good = (text for text in texts * 4 if is_urn(text))
    bodies = {
        "syntax, all are URNs": list(islice(good, len(texts))),
        f"syntax, {sum(map(is_urn, texts)) / len(texts):.0%} are URNs": texts,
    }
    return [_checking(name, port, texts, "syntax") for name, texts in bodies.items()]


def _of_namespaces(profiles: Profiles, urns: int, port: int) -> list[LoadedServer]:
    names = (f"rules, {WRONG:.0%} are wrong", "rules, all are wrong")
    remark = f"{len(profiles)} profiles"
    return [
        _checking(name, port, texts, "namespace", remark)
        for name, texts in zip(names, example_texts(profiles, urns), strict=True)
    ]


def _checking(name: str, port: int, texts: list[str], level: str, remark: str = "") -> LoadedServer:
    body = json.dumps({"urns": texts, "level": level}).encode()
    return LoadedServer(name, port, [ADDRESS], remark=remark, body=body, content_type="application/json")
