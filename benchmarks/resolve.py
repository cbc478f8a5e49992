"""Benchmark: the resolution of URNs, one at a time and many at once."""

import contextlib
import os
from argparse import Namespace
from collections.abc import Mapping
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from urnsyntax.profiles import Profile, load_profile

from .bounds import Bound, memory_bound, print_bounds
from .databases import BenchmarkDatabase, benchmark_databases
from .servers import free_port, granian, peak_memory, registry_server, running_server
from .timing import TimedFunction, measure
from .wrk_load import LoadedServer, add_arguments, check_wrk, print_table, run_rounds

__all__ = ["add_arguments"]

SUMMARY = "redirects of URNs, compared with a Django view and a plain REST framework view, and bulk requests"
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "profiles"
FEW = 1000
TEXTS = 10_000  # the most that one request can have
CONFIRM = """
    INSERT INTO resolution_confirmedhost (namespace_id, host, basis, evidence, confirmed_at)
    SELECT id, %s, 'registered_text', 'For the benchmark.', now() FROM namespaces_namespace WHERE nid = %s
"""


def run(options: Namespace) -> bool:
    """Measure, print the tables, and return whether every bound is met."""
    check_wrk()
    every = (load_profile(path) for path in sorted(FIXTURES.glob("*.toml")))
    profiles = [each for each in every if each.services]
    urns = [urn for each in profiles for service in each.services for urn in service.examples]
    bulk = _bulk_candidate(profiles, urns)
    measure([bulk], options.rounds, "many URNs")
    per_second = TEXTS / bulk.median
    print(f"{bulk.name:<30}{per_second:>12,.0f} a second  {bulk.remark}")
    with benchmark_databases(FEW) as (filled,), contextlib.ExitStack() as stack:
        filled.add_profiles(profiles)
        _confirm_hosts(filled, profiles)
        candidates, memory = _servers(filled, urns, stack, options)
    fast, django, plain = candidates
    return print_bounds(
        [
            Bound("redirects per second, relative to the plain view", fast.ratio_to(plain), at_least=20),
            Bound("redirects per second, relative to Django's view", fast.ratio_to(django), at_least=4),
            Bound("URNs per second in bulk, thousands", per_second / 1000, at_least=50),
            memory_bound(memory),
        ]
    )


def _servers(
    filled: BenchmarkDatabase, urns: list[str], stack: contextlib.ExitStack, options: Namespace
) -> tuple[list[LoadedServer], int]:
    """Measure the candidates side by side; return them, and the memory of the registry."""
    port = free_port()
    process = stack.enter_context(registry_server(filled.environment, port))
    paths = [f"/resolve/{urn}" for urn in urns]
    fast = LoadedServer("redirect", port, paths, remark="as deployed")
    django = _server(stack, "registry.wsgi:django_application", filled.environment, paths, "Django's view")
    plain_paths = [f"/plain/{urn}" for urn in urns]
    plain = _server(
        stack, "benchmarks.baseline_resolve:application", filled.environment, plain_paths, "the plain way"
    )
    candidates = [fast, django, plain]
    run_rounds(candidates, rounds=options.rounds, seconds=options.seconds)
    print_table(candidates, plain)
    return candidates, peak_memory(process)


def _server(
    stack: contextlib.ExitStack,
    application: str,
    environment: Mapping[str, str],
    paths: list[str],
    name: str,
) -> LoadedServer:
    port = free_port()
    stack.enter_context(running_server(granian(application, port), port, environment))
    return LoadedServer(name, port, paths, remark=application)


def _confirm_hosts(filled: BenchmarkDatabase, profiles: list[Profile]) -> None:
    rows = {(service.host, each.nid) for each in profiles for service in each.services}
    with filled.connect() as connection, connection.cursor() as cursor:
        cursor.executemany(CONFIRM, sorted(rows))


def _bulk_candidate(profiles: list[Profile], urns: list[str]) -> TimedFunction:
    """What a bulk request does with its texts once the namespaces are read."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
    import django

    django.setup()
    from registry.api.urns.resolution import results_of
    from registry.resolution.namespace_data import NamespaceData

    hosts = {each.nid: frozenset(service.host for service in each.services) for each in profiles}
    namespaces: dict[str, Any] = {
        each.nid: NamespaceData(each.nid, profile=each, hosts=hosts[each.nid]) for each in profiles
    }
    texts = list(islice(cycle(urns), TEXTS))

    def resolve_all() -> None:
        for _ in results_of(texts, namespaces, {"resolved": 0, "unresolved": 0}):
            pass

    return TimedFunction("bulk", resolve_all, remark="the examples of all services, as JSON")
