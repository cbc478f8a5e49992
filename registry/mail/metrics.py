"""Metrics of the outbox and of the workers that send it."""

from collections.abc import Iterator

from django.db.models import Max, Min
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateWorker
from prometheus_client.core import GaugeMetricFamily

from registry.mail.models import Message
from registry.observability.metrics import register


class OutboxCollector:
    """Reads the state of the outbox when metrics are requested."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        oldest = Message.objects.unsent().aggregate(at=Min("created_at"))["at"]
        yield GaugeMetricFamily(
            "registry_outbox_oldest_seconds",
            "The age of the oldest mail that was not sent, 0 if there is none.",
            value=(timezone.now() - oldest).total_seconds() if oldest else 0,
        )
        beat = ProcrastinateWorker.objects.aggregate(at=Max("last_heartbeat"))["at"]
        yield GaugeMetricFamily(
            "registry_worker_heartbeat_timestamp_seconds",
            "When a worker last said that it runs, 0 if none ever did. It says so every 10 seconds.",
            value=beat.timestamp() if beat else 0,
        )


def connect() -> None:
    """Add these metrics to those of the registry."""
    register(OutboxCollector())
