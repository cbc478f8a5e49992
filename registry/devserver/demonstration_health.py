"""Health of services for the demonstration, in each state. Nothing is requested, and the details say so."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from registry.namespaces.profiles import profiles_of
from registry.resolution.health.checking import CheckResult, Finding, Outcome, services_of
from registry.resolution.health.recording import record_checks
from registry.resolution.models import ServiceHealth

DETAIL = "Example of the demonstration, not a check: {}"


@dataclass(frozen=True, slots=True)
class History:
    """Daily checks of the services of a namespace until today: "+" for success, "-" for failure."""

    nid: str
    checks: str
    detail: str
    position: int | None = None
    """The service, from 0; None for all."""


HISTORIES = (
    History("alert", "+", "the reply is 200 OK."),
    History("ietf", "+", "the reply is 200 OK."),
    History("service", "+", "the reply is 200 OK."),
    History("urn-6", "+", "the reply is 200 OK.", position=0),
    History("urn-6", "+----", "the reply is 503 Service Unavailable.", position=1),
    History("urn-8", "+" + 20 * "-", "the reply is 404 Not Found."),
)


def record_health() -> list[str]:
    """Record the histories, unless health is recorded already. Returns what was done."""
    if ServiceHealth.objects.exists():
        return []
    profiles = profiles_of(each.nid for each in HISTORIES)
    for history in HISTORIES:
        services = list(services_of(profiles[history.nid])) if history.nid in profiles else []
        chosen = services if history.position is None else services[history.position :][:1]
        for days_ago, check in zip(reversed(range(len(history.checks))), history.checks, strict=True):
            outcome = Outcome.WORKS if check == "+" else Outcome.FAILS
            finding = Finding(outcome, DETAIL.format(history.detail))
            record_checks(
                [CheckResult(service, finding) for service in chosen],
                now=timezone.now() - timedelta(days=days_ago),
            )
    count = ServiceHealth.objects.count()
    return [f"health of {count} services"] if count else []
