"""Metrics of the outbox and of the workers that send it."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db.models import Max
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateWorker
from prometheus_client.core import GaugeMetricFamily

from registry.mail.outbox import DeliveryStatus, UnsentMessage, unsent_messages
from registry.observability.metrics import register


def oldest_unsent(unsent: Iterable[UnsentMessage] | None = None) -> datetime | None:
    """The time of the oldest mail that is tried again, among `unsent` or all."""
    candidates = unsent_messages() if unsent is None else unsent
    tried = [each.message.created_at for each in candidates if each.status != DeliveryStatus.GIVEN_UP]
    return min(tried, default=None)


def last_heartbeat() -> datetime | None:
    """The last time at which a worker said that it runs."""
    at: datetime | None = ProcrastinateWorker.objects.aggregate(at=Max("last_heartbeat"))["at"]
    return at


class OutboxCollector:
    """Reads the state of the outbox when metrics are requested."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        unsent = unsent_messages()
        oldest = oldest_unsent(unsent)
        yield GaugeMetricFamily(
            "registry_outbox_oldest_seconds",
            "The age of the oldest mail that is tried again, 0 if there is none.",
            value=(timezone.now() - oldest).total_seconds() if oldest else 0,
        )
        yield GaugeMetricFamily(
            "registry_outbox_given_up",
            "Mails that were not sent in two days of attempts.",
            value=sum(each.status == DeliveryStatus.GIVEN_UP for each in unsent),
        )
        beat = last_heartbeat()
        yield GaugeMetricFamily(
            "registry_worker_heartbeat_timestamp_seconds",
            "The time of the last heartbeat of a worker, 0 if there was none; they are 10 seconds apart.",
            value=beat.timestamp() if beat else 0,
        )


def connect() -> None:
    """Add these metrics to those of the registry."""
    register(OutboxCollector())
