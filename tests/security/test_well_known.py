"""Well-known addresses: the security contact (RFC 9116) and the form to change a password."""

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


@pytest.mark.django_db
def test_an_unknown_address_is_not_found(client: Client) -> None:
    """Password managers probe for one, to see whether the status can be trusted."""
    path = "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"
    assert client.get(path).status_code == 404
