"""Checks of the workers, and of the mail that they send."""

from datetime import timedelta

from django.core import checks
from django.utils import timezone

from registry.core.deployment.health_checks import Findings, Scope, health_check
from registry.mail.metrics import last_heartbeat

MAX_SILENCE = timedelta(minutes=1)


@health_check("worker", Scope.DEGRADING)
def check_worker() -> Findings:
    """A worker said within the last minute that it runs. Without one, mail and webhooks wait."""
    beat = last_heartbeat()
    if beat and timezone.now() - beat < MAX_SILENCE:
        return []
    since = f"since {beat:%Y-%m-%d %H:%M:%S} UTC" if beat else "ever"
    return [
        checks.Warning(
            f"No worker has said {since} that it runs.",
            hint="Start `manage.py worker`, and let the service manager restart it.",
            id="mail.W001",
        )
    ]
