"""Request metrics for Prometheus, at an endpoint that requires a token.

Each worker writes to a separate file in PROMETHEUS_MULTIPROC_DIR, so that every worker can report all of them.
"""

import hmac
import logging
from functools import cache

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from registry.environment import read

logger = logging.getLogger(__name__)

SECONDS = Histogram(
    "registry_request_seconds",
    "Seconds from the arrival of a request to the start of the response, by route, method and status.",
    ["route", "method", "status"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)
# Metrics that are read from the database for each request of /metrics.
_computed = CollectorRegistry()
METHODS = frozenset(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])


def observe(route: str, method: str, status: str, seconds: float) -> None:
    """Count one request."""
    _histogram(route, method if method in METHODS else "other", status).observe(seconds)


# The number of label values is bounded: a route is the name of a URL pattern, not a path.
_histogram = cache(SECONDS.labels)


def register(collector: Collector) -> None:
    """Add metrics that a package of the registry computes."""
    _computed.register(collector)


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics of all workers. Without the token, the response is 404."""
    if not _has_token(request):
        raise Http404
    registry = REGISTRY
    if read("PROMETHEUS_MULTIPROC_DIR"):
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return HttpResponse(
        generate_latest(registry) + _computed_metrics(),
        CONTENT_TYPE_LATEST,
        headers={"Cache-Control": "no-store"},
    )


def _computed_metrics() -> bytes:
    """The computed metrics; none while the database does not respond, so that the others are there."""
    try:
        return generate_latest(_computed)
    except DatabaseError:
        logger.exception("The metrics that need the database are missing.")
        return b""


def _has_token(request: HttpRequest) -> bool:
    shown, expected = request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"
    return bool(settings.METRICS_TOKEN) and hmac.compare_digest(shown.encode(), expected.encode())
