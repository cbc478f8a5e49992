"""Checks and metrics of mail."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core import checks
from django.db.models import Min
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily

from registry.core.deployment_checks import Findings, Scope, health_check
from registry.core.processes.served_database import last_heartbeat, reason_to_wait
from registry.mail.models import Message
from registry.mail.outbox import retried_messages
from registry.observability.metrics import register

CONSOLE = "django.core.mail.backends.console.EmailBackend"
MAX_SILENCE = timedelta(minutes=1)
MAX_AGE = timedelta(minutes=15)


@health_check("worker", Scope.DEGRADING)
def check_worker() -> Findings:
    """A worker said within the last minute that it runs. Without one, mail and webhooks wait."""
    if reason := reason_to_wait():
        return [
            checks.Warning(
                f"{reason} No job runs: mail and webhooks wait.",
                hint="After a failover, and after a restore that replaces the original, look at `manage.py outbox`; `manage.py "
                "outbox --retry` sends what waits, and lets workers run (docs/operations.md, “Restored copies”).",
                id="mail.W004",
            )
        ]
    beat = last_heartbeat()
    if beat and timezone.now() - beat < MAX_SILENCE:
        return []
    return [
        checks.Warning(
            f"No worker runs: the last heartbeat was at {beat:%Y-%m-%d %H:%M:%S} UTC."
            if beat
            else "No worker has ever run.",
            hint="Start `manage.py worker`, and let the service manager restart it.",
            id="mail.W001",
        )
    ]


@health_check("outbox", Scope.DEGRADING)
def check_outbox() -> Findings:
    """Mail is sent within a quarter of an hour."""
    oldest = oldest_unsent()
    if oldest is None or timezone.now() - oldest < MAX_AGE:
        return []
    return [
        checks.Warning(
            f"The oldest unsent mail has waited since {oldest:%Y-%m-%d %H:%M} UTC.",
            hint="`manage.py outbox` lists unsent mail with the reasons; `manage.py outbox --retry` tries all of it again.",
            id="mail.W002",
        )
    ]


@checks.register(checks.Tags.security, deploy=True)
def check_mail_server(**kwargs: Any) -> Findings:
    """There is a mail server."""
    if settings.EMAIL_BACKEND != CONSOLE:
        return []
    return [
        checks.Warning(
            "EMAIL_HOST is not set: mail is written to the worker's standard output, and no one gets it.",
            hint="Set EMAIL_HOST to the SMTP server (docs/configuration.md).",
            id="mail.W003",
        )
    ]


def oldest_unsent() -> datetime | None:
    """The time of the oldest mail that is tried again."""
    at: datetime | None = retried_messages().aggregate(at=Min("created_at"))["at"]
    return at


class OutboxCollector:
    """Reads the state of the outbox when metrics are requested."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        oldest = oldest_unsent()
        yield GaugeMetricFamily(
            "registry_outbox_oldest_seconds",
            "The age of the oldest mail that is tried again, 0 if there is none.",
            value=(timezone.now() - oldest).total_seconds() if oldest else 0,
        )
        yield GaugeMetricFamily(
            "registry_outbox_given_up",
            "Mails that were not sent in two days of attempts.",
            value=Message.objects.unsent().count() - retried_messages().count(),
        )
        beat = last_heartbeat()
        yield GaugeMetricFamily(
            "registry_worker_heartbeat_timestamp_seconds",
            "The time of the last heartbeat of a worker, 0 if there was none; they are 10 seconds apart.",
            value=beat.timestamp() if beat else 0,
        )


def connect() -> None:
    """Add these metrics to those of the registry."""
    register("outbox", OutboxCollector())
