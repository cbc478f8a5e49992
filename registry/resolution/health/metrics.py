"""Metrics of the health of services."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily

from registry.observability.metrics import register
from registry.resolution.health.views import counts_by_state, last_check_time


class HealthCollector:
    """Counts the services when metrics are requested."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        services = GaugeMetricFamily(
            "registry_services", "Services of namespaces, by health.", labels=["state"]
        )
        for state, number in counts_by_state().items():
            services.add_metric([state.value], number)
        yield services
        yield GaugeMetricFamily(
            "registry_services_checked_timestamp_seconds",
            "The time of the last check of a service, 0 if there was none.",
            value=last_check_time(),
        )


def connect() -> None:
    """Add these metrics to those of the registry."""
    register("services", HealthCollector())
