"""Checking all services, or those of some namespaces."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain

from django.conf import settings
from django.db import connection

from registry.core.exceptions import RegistryError
from registry.namespaces.current_profiles import profiles_of
from registry.namespaces.models import Namespace
from registry.resolution.health.checking import (
    CheckedService,
    CheckResult,
    Outcome,
    Pacer,
    check,
    services_of,
)
from registry.resolution.health.recording import HealthChange, record_checks
from urnsyntax.profiles import Profile

# Hosts that are asked at the same time.
THREADS = 4
# If none of this many hosts can be reached, the reason is here.
MIN_HOSTS_TO_BLAME_THE_NETWORK = 3
# A number for PostgreSQL's advisory locks that nothing else in the registry uses.
LOCK = 8_141_253


class CheckRunning(RegistryError):
    """Another process is checking the services."""

    title = "A check is running"


class NetworkUnreachable(RegistryError):
    """No host could be reached, so the results say nothing about the services."""

    title = "The network can't be reached"


@dataclass(frozen=True, slots=True)
class CheckRun:
    """The results of a run, in the order of the NIDs, and the changes of health that it recorded."""

    results: list[CheckResult]
    changes: list[HealthChange]

    @property
    def failed(self) -> list[CheckResult]:
        return [each for each in self.results if each.finding.outcome == Outcome.FAILS]


def check_services(
    nids: Collection[str] | None = None, *, should_stop: Callable[[], bool] = lambda: False
) -> CheckRun:
    """Check the services of these NIDs, or all, and record the results in one transaction.

    `should_stop` is asked before each service; the results until then are recorded. Raises CheckRunning, or
    NetworkUnreachable without recording anything.
    """
    with _only_run():
        services = [each for profile in _profiles(nids) for each in services_of(profile)]
        results = _check_all(services, should_stop)
        _blame_the_network(results)
        return CheckRun(results, record_checks(results))


def _profiles(nids: Collection[str] | None) -> Iterator[Profile]:
    """The profiles with services, ordered by NID."""
    described = Namespace.objects.filter(profile__content__has_key="services").order_by("nid")
    if nids is not None:
        described = described.filter(nid__in=nids)
    profiles = profiles_of(described.values_list("nid", flat=True))
    yield from (profiles[nid] for nid in sorted(profiles))


def _check_all(services: list[CheckedService], should_stop: Callable[[], bool]) -> list[CheckResult]:
    """The results, several hosts at a time; the services of one host are checked one after another."""
    pacer = Pacer(settings.SECONDS_BETWEEN_CHECKS)
    by_host = defaultdict(list)
    for service in services:
        by_host[service.host].append(service)

    def check_host(host: str) -> list[CheckResult]:
        return [check(each, pacer) for each in by_host[host] if not should_stop()]

    with ThreadPoolExecutor(THREADS) as threads:
        results = chain.from_iterable(threads.map(check_host, by_host))
        return sorted(results, key=lambda each: each.service.nid)


def _blame_the_network(results: list[CheckResult]) -> None:
    hosts = {each.service.host for each in results}
    if len(hosts) < MIN_HOSTS_TO_BLAME_THE_NETWORK or any(each.finding.was_reached for each in results):
        return
    raise NetworkUnreachable(
        f"None of {len(hosts):,} hosts could be reached, so nothing was recorded. "
        "Check whether this machine reaches the Internet by HTTPS without a proxy."
    )


@contextmanager
def _only_run() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        if cursor.fetchone() != (True,):
            raise CheckRunning("Another process is checking the services. Wait until it has ended.")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
