"""Checks of the workers, and of the mail that they send."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core import checks
from django.utils import timezone

from registry.core.deployment.health_checks import Findings, Scope, health_check
from registry.core.processes.served_database import last_heartbeat, reason_to_wait
from registry.mail.metrics import oldest_unsent

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
