"""`services/`: all services with their health, in pages."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from registry.namespaces.models import Namespace
from registry.resolution.health.checking import Outcome
from registry.resolution.health.recording import record_checks
from tests.resolution.health.results import results
from tests.support.services import a_service, with_services

pytestmark = pytest.mark.django_db
SERVICES = "/api/v1/services/"
START = datetime(2026, 1, 1, tzinfo=UTC)


def listed(client: Client, **parameters: str) -> list[dict[str, Any]]:
    response = client.get(SERVICES, parameters)
    assert response.status_code == 200, response.content
    found: list[dict[str, Any]] = response.json()["results"]
    return found


@pytest.fixture
def trees() -> Namespace:
    second = a_service(
        kind="I2L", template="https://l.trees.example:8443/{nss}", media_type="text/html", language="en"
    )
    return with_services("trees", a_service(), second)


def test_a_service_has_its_facts_and_its_health(client: Client, trees: Namespace) -> None:
    for day in range(3):
        found = results(trees, Outcome.WORKS, Outcome.FAILS, detail="It was so.")
        record_checks(found, now=START + timedelta(days=day))
    first, second = listed(client)
    assert first | {"health": "works", "failures": 0, "failing_since": None} == first
    assert second == {
        "nid": "trees",
        "title": "Catalogue of trees",
        "kind": "I2L",
        "template": "https://l.trees.example:8443/{nss}",
        "host": "l.trees.example",
        "media_type": "text/html",
        "language": "en",
        "health": "degraded",
        "failures": 3,
        "checked_at": "2026-01-03T00:00:00Z",
        "worked_at": None,
        "failing_since": "2026-01-01T00:00:00Z",
        "detail": "It was so.",
        "namespace": "http://localhost:8000/api/v1/namespaces/trees/",
    }
    assert client.get(second["namespace"].removeprefix("http://localhost:8000")).status_code == 200


def test_a_service_that_was_not_checked_is_unknown(client: Client, trees: Namespace) -> None:
    first, _ = listed(client)
    empty = {"checked_at": None, "worked_at": None, "failing_since": None, "detail": None, "failures": 0}
    assert first == first | empty | {"health": "unknown", "media_type": None, "language": None}


def test_the_filters_narrow_the_list(client: Client, trees: Namespace) -> None:
    with_services("other", a_service())
    record_checks(results(trees, Outcome.WORKS, Outcome.FAILS))
    assert [each["kind"] for each in listed(client, health="works")] == ["I2C"]
    assert len(listed(client, health="unknown")) == 2
    assert [each["nid"] for each in listed(client, nid="OTHER")] == ["other"]
    assert listed(client, nid="missing") == []


@pytest.mark.parametrize(
    "query",
    [
        "health=odd",
        "nid=-",
        "after=odd",
        "after=trees",
        "after=trees.x",
        "after=trees.1234",
        "after=.1",
        "page_size=0",
        "state=works",
    ],
)
def test_a_wrong_parameter_is_refused_by_name(client: Client, trees: Namespace, query: str) -> None:
    response = client.get(f"{SERVICES}?{query}")
    assert response.status_code == 400
    assert response.json()["errors"][0]["parameter"] == query.partition("=")[0]


def test_pages_contain_each_service_once(client: Client) -> None:
    for number in range(4):
        with_services(f"tree-{number}", a_service(), a_service(kind="I2L"), a_service(kind="I2R"))
    address, seen = f"{SERVICES}?page_size=5", list[tuple[str, str]]()
    while address:
        body = client.get(address).json()
        seen += [(each["nid"], each["kind"]) for each in body["results"]]
        address = body["next"]
    assert seen == [(f"tree-{number}", kind) for number in range(4) for kind in ("I2C", "I2L", "I2R")]


def test_a_page_takes_one_query_for_its_rows(client: Client, django_assert_max_num_queries: Any) -> None:
    for number in range(10):
        with_services(f"tree-{number}", a_service())
    with django_assert_max_num_queries(4):
        assert len(listed(client)) == 10


def test_an_unchanged_list_is_a_304(client: Client, trees: Namespace) -> None:
    response = client.get(SERVICES)
    again = client.get(SERVICES, headers={"if-none-match": response["ETag"]})
    assert again.status_code == 304
    record_checks(results(trees, Outcome.WORKS, Outcome.WORKS))
    changed = client.get(SERVICES, headers={"if-none-match": response["ETag"]})
    assert changed.status_code == 200
