"""Request metrics for Prometheus, at an endpoint that requires a token.

Each worker writes to a separate file in PROMETHEUS_MULTIPROC_DIR, so that every worker can report all of them.
"""

import hmac
import logging
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from registry.core.database.errors import is_outage
from registry.environment import read

logger = logging.getLogger(__name__)

SECONDS = Histogram(
    "registry_request_seconds",
    "Seconds from the arrival of a request to the start of the response, by route, method and status.",
    ["route", "method", "status"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)
METHODS = frozenset(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])


def observe(route: str, method: str, status: str, seconds: float) -> None:
    """Count one request, unless the folder of metrics can't be written."""
    try:
        _histogram(route, method if method in METHODS else "other", status).observe(seconds)
    except OSError as error:
        _report(str(error))


@cache
def _report(error: str) -> None:
    """Log an error once."""
    logger.error("Requests are not counted: PROMETHEUS_MULTIPROC_DIR can't be written. %s", error)


# The number of label values is bounded: a route is the name of a URL pattern, not a path.
_histogram = cache(SECONDS.labels)


class ComputedMetrics(Collector):
    """Metrics that are read from the database for each request of /metrics, and whether each collector could read its own."""

    def __init__(self) -> None:
        self._collectors: dict[str, Collector] = {}

    def add(self, name: str, collector: Collector) -> None:
        self._collectors[name] = collector

    def collect(self) -> Iterator[Metric]:
        """Yield what can be read. One collector at most waits for a database that does not respond."""
        up = GaugeMetricFamily(
            "registry_collector_up",
            "1 if the metrics of this collector could be read, 0 if some are missing.",
            labels=["collector"],
        )
        is_away = False
        for name, collector in self._collectors.items():
            is_read = False
            if not is_away:
                try:
                    yield from collector.collect()
                    is_read = True
                except (DatabaseError, InterfaceError) as error:
                    is_away = is_outage(error)
                    logger.exception("The metrics of “%s” are missing.", name)
            up.add_metric([name], is_read)
        yield up


_computed = ComputedMetrics()
_only_computed = CollectorRegistry()
_only_computed.register(_computed)


def register(name: str, collector: Collector) -> None:
    """Add metrics that a package of the registry computes; the name is that in `registry_collector_up`."""
    _computed.add(name, collector)


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics of all workers. Without the token, the response is 404."""
    if not _has_token(request):
        raise Http404
    return HttpResponse(
        generate_latest(_of_all_workers()) + generate_latest(_only_computed),
        CONTENT_TYPE_LATEST,
        headers={"Cache-Control": "no-store"},
    )


def _of_all_workers() -> CollectorRegistry:
    """The metrics of the workers that share a folder; none if it is missing."""
    if not (folder := read("PROMETHEUS_MULTIPROC_DIR")):
        return REGISTRY
    registry = CollectorRegistry()
    if Path(folder).is_dir():
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry


def _has_token(request: HttpRequest) -> bool:
    shown, expected = request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"
    return bool(settings.METRICS_TOKEN) and hmac.compare_digest(shown.encode(), expected.encode())
