"""How many requests there were, of what kind, and how long they took: for Prometheus, who shows a token.

Each worker counts in a file of its own in PROMETHEUS_MULTIPROC_DIR, so that whichever is asked tells of all.
"""

import hmac
from functools import cache

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from registry.environment import read

SECONDS = Histogram(
    "registry_request_seconds",
    "Seconds from the arrival of a request to the beginning of its answer, by what was asked for.",
    ["route", "method", "status"],
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)
METHODS = frozenset(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])


def observe(route: str, method: str, status: str, seconds: float) -> None:
    """Count one request."""
    _histogram(route, method if method in METHODS else "other", status).observe(seconds)


# As many as there are routes: a route is the name of an address, never the address itself.
_histogram = cache(SECONDS.labels)


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """The figures of all workers, for whoever has the token. Nobody else learns that they are here."""
    if not _has_token(request):
        raise Http404
    registry = REGISTRY
    if read("PROMETHEUS_MULTIPROC_DIR"):
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return HttpResponse(generate_latest(registry), CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"})


def _has_token(request: HttpRequest) -> bool:
    shown, expected = request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"
    return bool(settings.METRICS_TOKEN) and hmac.compare_digest(shown.encode(), expected.encode())
