"""Health of a web process, for load balancers and monitoring: whether it runs, and whether it can serve.

The responses are public, so they name parts and states only; `manage.py doctor` says what is wrong.
"""

from collections.abc import Iterator
from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client.core import GaugeMetricFamily

from registry.core.deployment_checks import Scope, State, examine
from registry.observability.metrics import register

NOT_STORED = {"Cache-Control": "no-store"}
OF_A_PROCESS = (Scope.NEEDED, Scope.DEGRADING)


@login_not_required
@require_safe
def live(request: HttpRequest) -> HttpResponse:
    """Return 200: the process responds. The database is not used."""
    return HttpResponse("ok\n", "text/plain", headers=NOT_STORED)


@login_not_required
@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Return the state of each part: 200 if the process can serve, 503 if a part that it needs failed."""
    outcomes = examine(OF_A_PROCESS)
    wrong = {each.check.scope for each in outcomes if each.state is State.FAILED}
    verdict = "unavailable" if Scope.NEEDED in wrong else "degraded" if wrong else "ready"
    content = {"state": verdict, "parts": {each.check.part: each.state for each in outcomes}}
    if Scope.NEEDED in wrong:
        headers, status = NOT_STORED | {"Retry-After": "5"}, HTTPStatus.SERVICE_UNAVAILABLE
        return JsonResponse(content, status=status, headers=headers)
    return JsonResponse(content, headers=NOT_STORED)


class HealthCollector:
    """Reads the state of the parts of a web process when metrics are requested."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        gauge = GaugeMetricFamily(
            "registry_health_failed", "1 if this part of /health/ready failed, otherwise 0.", labels=["part"]
        )
        for outcome in examine(OF_A_PROCESS):
            gauge.add_metric([outcome.check.part], outcome.state is State.FAILED)
        yield gauge


register("health", HealthCollector())
