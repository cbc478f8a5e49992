"""Benchmark: URNs checked per second over HTTP, on one core."""

from argparse import ArgumentParser, Namespace

from urnsyntax import is_urn

from .bounds import Bound, memory_bound, print_bounds
from .databases import benchmark_databases
from .servers import free_port, peak_memory, registry_server
from .urn_corpus import corpus
from .wrk_load import LoadedServer, check_wrk, print_table, run_rounds

SUMMARY = "URNs checked per second over HTTP, on one core"
ADDRESS = "/api/v1/urns/check/"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options of this benchmark."""
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument(
        "--seconds", type=int, default=4, help="seconds for each candidate in a round (default: 4)"
    )
    parser.add_argument("--urns", type=int, default=10_000, help="URNs per request (default: 10,000)")


def run(options: Namespace) -> bool:
    """Measure, print the table, and return whether every bound is met."""
    check_wrk()
    texts = [text for text in corpus(options.urns * 2) if "\n" not in text][: options.urns]
    good = (text for text in texts * 4 if is_urn(text))
    with benchmark_databases(100) as (bench_db,):
        port = free_port()
        with registry_server(bench_db.environment, port) as process:
            candidates = [
                _sending([text for text, _ in zip(good, texts, strict=False)], "all are URNs", port),
                _sending(texts, f"{sum(map(is_urn, texts)) / len(texts):.0%} are URNs", port),
            ]
            run_rounds(candidates, rounds=options.rounds, seconds=options.seconds, connections=2)
            memory = peak_memory(process)
    print_table(candidates, candidates[0])
    slowest = min(each.median for each in candidates) * options.urns
    return print_bounds([Bound("URNs checked per second", slowest, at_least=100_000), memory_bound(memory)])


def _sending(texts: list[str], remark: str, port: int) -> LoadedServer:
    lines = "".join(f"{text}\n" for text in texts).encode()
    return LoadedServer(f"{len(texts):,} URNs per request", port, [ADDRESS], remark=remark, body=lines)
