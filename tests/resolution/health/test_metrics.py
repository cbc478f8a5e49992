"""The metrics of services, beside those of requests."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from registry.resolution.health.checking import Outcome
from registry.resolution.health.recording import record_checks
from tests.resolution.health.results import results
from tests.support.services import a_service, with_services

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def figures(client: Client, settings: Any) -> Any:
    settings.METRICS_TOKEN = "a-token"

    def read() -> str:
        response = client.get("/metrics", headers={"authorization": "Bearer a-token"})
        assert response.status_code == 200
        return response.content.decode()

    return read


@pytest.mark.django_db
def test_services_are_counted_by_state(figures: Any) -> None:
    assert 'registry_services{state="works"} 0.0' in figures()
    assert "registry_services_checked_timestamp_seconds 0.0" in figures()
    trees = with_services("trees", a_service(), a_service(template="https://other.example/{nss}"))
    record_checks(results(trees, Outcome.WORKS, Outcome.FAILS), now=AT)
    text = figures()
    assert 'registry_services{state="works"} 1.0' in text
    assert 'registry_services{state="unknown"} 1.0' in text
    assert 'registry_services{state="down"} 0.0' in text
    assert (
        f"registry_services_checked_timestamp_seconds {AT.timestamp():.0f}" not in text
    )  # in exponential form
    assert "registry_services_checked_timestamp_seconds 1.7672256e+09" in text
    assert "# TYPE registry_request_seconds histogram" in text
