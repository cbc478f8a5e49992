"""`/resolve/` and a URN that does not resolve: a problem for programs, a page for people."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.asserts import assertContains, assertNotContains

from registry.namespaces.models import Kind, Namespace
from registry.resolution.models import HealthState, ServiceHealth
from tests.resolution.conftest import (
    a_namespace_with,
    a_profile_with,
    a_service,
    fixture_profile,
)
from tests.resolution.requests import BROWSER, TREE, get

pytestmark = pytest.mark.django_db


def problem(client: Client, path: str) -> dict[str, Any]:
    response = get(client, path)
    assert response["Content-Type"] == "application/problem+json"
    assert "Accept" in response["Vary"]
    body: dict[str, Any] = response.json()
    assert body["status"] == response.status_code
    page = get(client, path, BROWSER)
    assert (page.status_code, page["Content-Type"]) == (response.status_code, "text/html; charset=utf-8")
    assertContains(page, body["title"], status_code=response.status_code)
    return body | {"type": body["type"].rstrip("/").rpartition("/")[2]}


@pytest.mark.parametrize("path", ["/resolve/", "/uri-res/I2L", "/uri-res/I2L?"])
def test_an_address_without_a_urn_says_where_to_write_one(client: Client, path: str, db: None) -> None:
    body = problem(client, path)
    assert (body["status"], body["type"]) == (400, "urn-missing")
    page = get(client, path, BROWSER)
    assertContains(page, 'action="/urns/"', status_code=400)
    for example in body["examples"]:
        assertContains(page, f'href="{example}"', status_code=400)


def test_an_address_without_a_service_names_all(client: Client, db: None) -> None:
    body = problem(client, "/uri-res/")
    assert (body["status"], body["type"]) == (404, "unknown-uri-service")
    assert body["detail"].startswith("The address names no service. Use one of: I2L, ")


def test_a_text_that_is_no_urn(client: Client, isbn: Namespace) -> None:
    body = problem(client, "/resolve/urn:isbn:")
    assert (body["status"], body["type"], body["position"], body["rule"]) == (400, "not-a-urn", 9, "NSS")
    body = problem(client, "/resolve/urn:isbn:0451450523?page=1")
    assert (body["status"], body["position"]) == (400, 19)


def test_a_problem_is_sent_without_rendering_a_page(client: Client, isbn: Namespace) -> None:
    path = "/resolve/urn:isbn:0451450524"
    assert [len(get(client, path, accept).templates) > 0 for accept in (BROWSER, "*/*")] == [True, False]


def test_a_name_that_breaks_the_rules(client: Client, isbn: Namespace) -> None:
    body = problem(client, "/resolve/urn:isbn:0451450524")
    assert (body["status"], body["type"]) == (422, "not-conformant")
    assert body["reason"] == "The check digit is wrong; it would be 3."
    assert body["repair"] == "urn:isbn:0451450523"
    page = get(client, "/resolve/urn:isbn:0451450524", BROWSER)
    assertContains(page, 'href="/resolve/urn:isbn:0451450523"', status_code=422)


def test_a_nid_that_is_not_registered(client: Client, isbn: Namespace) -> None:
    body = problem(client, "/resolve/urn:isbm:0451450523")
    assert (body["status"], body["type"]) == (404, "namespace-not-registered")
    assert body["similar_nids"] == ["isbn"]
    assert [each["urn"] for each in body["did_you_mean"]] == ["urn:isbn:0451450523"]


def test_an_informal_namespace_that_is_not_assigned(client: Client, db: None) -> None:
    body = problem(client, "/resolve/urn:urn-999:a")
    assert (body["status"], body["type"]) == (404, "informal-namespace-not-assigned")


def test_a_namespace_without_services(client: Client, db: None) -> None:
    a_namespace_with(fixture_profile("example"))
    body = problem(client, "/resolve/urn:example:a")
    assert (body["status"], body["type"]) == (404, "no-services")
    assert body["organisation"]
    assert body["specifications"]
    page = get(client, "/resolve/urn:example:a", BROWSER)
    assertContains(page, body["specifications"][0]["title"], status_code=404)


def test_a_namespace_without_a_profile(client: Client, db: None) -> None:
    Namespace.objects.create(nid="wxn", kind=Kind.FORMAL, holder="Example Weather Network")
    assert problem(client, "/resolve/urn:wxn:a")["type"] == "no-services"
    assertContains(get(client, "/resolve/urn:wxn:a", BROWSER), "Example Weather Network", status_code=404)


def test_services_for_other_names(client: Client, db: None) -> None:
    a_namespace_with(a_profile_with(a_service(only={"nss": ["12:*"]})))
    body = problem(client, "/resolve/urn:example-trees:13:1")
    assert (body["status"], body["type"]) == (404, "no-suitable-service")


def test_an_address_that_would_not_be_safe(client: Client, db: None) -> None:
    a_namespace_with(
        a_profile_with(a_service(examples=["urn:example-trees:a"]), unstated="Every name is allowed.")
    )
    for path in ("a%0D%0ALocation:x", "..", "%252e%252e"):
        body = problem(client, f"/resolve/urn:example-trees:{path}")
        assert (body["status"], body["type"]) == (422, "no-safe-address")


def test_a_service_that_is_down(client: Client, trees: Namespace) -> None:
    now = timezone.now()
    ServiceHealth.objects.create(
        namespace=trees, template="https://trees.example/{nss}", state=HealthState.DOWN,
        failures=20, checked_at=now, failing_since=now,
    )  # fmt: skip
    body = problem(client, TREE)
    assert (body["status"], body["type"]) == (409, "services-down")
    (service,) = body["services"]
    assert (service["address"], service["health"]) == ("https://trees.example/12%3A4711", "down")
    assert service["host_confirmed"] is True
    assert 'rel="linkset"' in get(client, TREE)["Link"]
    described = get(client, TREE, "application/json")
    assert (described.status_code, described.json()["outcome"]) == (200, "down")
    assert described.json()["services"] == body["services"]
    (context,) = get(client, TREE, "application/linkset+json").json()["linkset"]
    assert context["describedby"][0]["health"] == ["down"]
    assert "# left out: 1 " in get(client, TREE, "text/uri-list").content.decode()
    page = get(client, TREE, BROWSER)
    assertContains(page, f"has been down since {now:%Y-%m-%d}", status_code=409)
    assertContains(page, 'href="https://trees.example/12%3A4711"', status_code=409)


def test_pages_and_problems_are_those_of_the_request(client: Client, trees: Namespace) -> None:
    assert client.post(TREE).headers["Content-Type"] == "application/problem+json"
    assertNotContains(client.get("/statistics/nothing/"), "problem+json", status_code=404)
