"""Metrics of the outbox and of the workers that send it."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Min
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily

from registry.core.processes.served_database import last_heartbeat
from registry.mail.models import Message
from registry.mail.outbox import retried_messages
from registry.observability.metrics import register


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
