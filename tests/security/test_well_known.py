"""Well-known addresses: the security contact (RFC 9116), the API catalogue (RFC 9727) and the form to change a password."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone


@pytest.mark.django_db
def test_the_security_contact_is_published_with_an_expiry_date(client: Client, settings: Any) -> None:
    settings.SECURITY_CONTACT = ["mailto:security@example.org", "https://example.org/report"]
    response = client.get("/.well-known/security.txt")
    assert response.status_code == 200
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    fields = [line.split(": ", 1) for line in response.content.decode().splitlines()]
    assert [value for name, value in fields if name == "Contact"] == settings.SECURITY_CONTACT
    assert ["Canonical", f"{settings.PUBLIC_ORIGIN}/.well-known/security.txt"] in fields
    (expires,) = (value for name, value in fields if name == "Expires")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", expires)
    until = datetime.strptime(expires, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert timedelta(days=30) < until - timezone.now() < timedelta(days=365)


@pytest.mark.django_db
def test_without_a_contact_there_is_no_such_page(client: Client, settings: Any) -> None:
    settings.SECURITY_CONTACT = []
    assert client.get("/.well-known/security.txt").status_code == 404


@pytest.mark.django_db
def test_password_managers_are_led_to_the_form(client: Client) -> None:
    response = client.get("/.well-known/change-password")
    assert (response.status_code, response["Location"]) == (302, "/accounts/password/change/")


@pytest.mark.exhaustive
@pytest.mark.django_db
def test_the_api_catalog_leads_to_the_api_and_its_descriptions(client: Client, settings: Any) -> None:
    settings.PUBLIC_ORIGIN = "http://testserver"
    found = client.get("/.well-known/api-catalog")
    assert found["Content-Type"] == (
        'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
    )
    assert found["Access-Control-Allow-Origin"] == "*"
    catalog, api = found.json()["linkset"]
    assert catalog == {
        "anchor": "http://testserver/.well-known/api-catalog",
        "item": [{"href": "http://testserver/api/v1/"}],
    }
    assert api["anchor"] == catalog["item"][0]["href"]
    links = [link for relation in ("service-desc", "service-doc", "status") for link in api[relation]]
    for link in [*catalog["item"], *links]:
        accept = link.get("type", "*/*")
        answer = client.get(link["href"], headers={"accept": accept})
        assert answer.status_code == 200, link
        assert answer["Content-Type"].startswith(link.get("type", "")), link


@pytest.mark.django_db
def test_the_api_catalog_is_found_with_head_and_confirmed_by_its_etag(client: Client) -> None:
    found = client.head("/.well-known/api-catalog")
    assert (found.status_code, found.content) == (200, b"")
    assert found["Link"] == '</.well-known/api-catalog>; rel="api-catalog"'
    again = client.get("/.well-known/api-catalog", headers={"if-none-match": found["ETag"]})
    assert again.status_code == 304


@pytest.mark.django_db
def test_an_unknown_address_is_not_found(client: Client) -> None:
    """Password managers probe for one, to see whether the status can be trusted."""
    path = "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"
    assert client.get(path).status_code == 404
