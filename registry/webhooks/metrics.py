"""Metrics of webhooks."""

from collections.abc import Iterator

from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily

from registry.observability.metrics import register
from registry.webhooks.queries import counts_by_state, oldest_waiting_event


class WebhookCollector:
    """Counts the webhooks when metrics are requested."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        webhooks = GaugeMetricFamily("registry_webhooks", "Webhooks, by state.", labels=["state"])
        for state, number in counts_by_state().items():
            webhooks.add_metric([state], number)
        yield webhooks
        oldest = oldest_waiting_event()
        yield GaugeMetricFamily(
            "registry_webhooks_lag_seconds",
            "The age of the oldest event that was not looked at for a webhook that works, 0 if there is none.",
            value=(timezone.now() - oldest).total_seconds() if oldest else 0,
        )


def connect() -> None:
    """Add these metrics to those of the registry."""
    register("webhooks", WebhookCollector())
