"""The metrics of services, beside those of requests."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from registry.resolution.health.checking import Outcome
from registry.resolution.health.recording import record_checks
from tests.resolution.health.results import results
from tests.support.services import a_service, with_services

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.django_db
def test_services_are_counted_by_state(read_metrics: Callable[[], str]) -> None:
    assert 'registry_services{state="works"} 0.0' in read_metrics()
    assert "registry_services_checked_timestamp_seconds 0.0" in read_metrics()
    trees = with_services("trees", a_service(), a_service(template="https://other.example/{nss}"))
    record_checks(results(trees, Outcome.WORKS, Outcome.FAILS), now=AT)
    text = read_metrics()
    assert 'registry_services{state="works"} 1.0' in text
    assert 'registry_services{state="unknown"} 1.0' in text
    assert 'registry_services{state="down"} 0.0' in text
    assert (
        f"registry_services_checked_timestamp_seconds {AT.timestamp():.0f}" not in text
    )  # in exponential form
    assert "registry_services_checked_timestamp_seconds 1.7672256e+09" in text
    assert "# TYPE registry_request_seconds histogram" in text
