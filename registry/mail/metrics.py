"""Metrics of the outbox and of the workers that send it."""

from collections.abc import Iterator

from django.db.models import Max
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateWorker
from prometheus_client.core import GaugeMetricFamily

from registry.mail.outbox import DeliveryStatus, unsent_messages
from registry.observability.metrics import register


class OutboxCollector:
    """Reads the state of the outbox when metrics are requested."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        unsent = unsent_messages()
        waiting = [each.message.created_at for each in unsent if each.status != DeliveryStatus.GIVEN_UP]
        yield GaugeMetricFamily(
            "registry_outbox_oldest_seconds",
            "The age of the oldest mail that is tried again, 0 if there is none.",
            value=(timezone.now() - min(waiting)).total_seconds() if waiting else 0,
        )
        yield GaugeMetricFamily(
            "registry_outbox_given_up",
            "Mails that were not sent in two days of attempts.",
            value=len(unsent) - len(waiting),
        )
        beat = ProcrastinateWorker.objects.aggregate(at=Max("last_heartbeat"))["at"]
        yield GaugeMetricFamily(
            "registry_worker_heartbeat_timestamp_seconds",
            "The time of the last heartbeat of a worker, 0 if there was none; they are 10 seconds apart.",
            value=beat.timestamp() if beat else 0,
        )


def connect() -> None:
    """Add these metrics to those of the registry."""
    register(OutboxCollector())
