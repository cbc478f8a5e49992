"""Validators of public pages: an ETag of the content, and 304 while it is the same."""

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from tests.support.factories import an_imported_namespace

PAGES = [
    "/",
    "/namespaces/",
    "/namespaces/ietf/",
    "/namespaces/ietf/?a=b",
    "/guide/",
    "/urns/?urn=urn:ietf:rfc:2141",
]
PUBLIC = "public, no-cache"


@pytest.fixture
def namespace(db: None) -> Namespace:
    return an_imported_namespace(nid="ietf")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("method", ["get", "head"])
def test_an_unchanged_page_is_not_sent_again(
    client: Client, namespace: Namespace, page: str, method: str
) -> None:
    first = getattr(client, method)(page)
    assert (first.status_code, first["Cache-Control"], len(first["ETag"])) == (200, PUBLIC, 34)
    again = getattr(client, method)(page, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert "Cookie" in again["Vary"]


def test_a_changed_page_is_sent(client: Client, namespace: Namespace) -> None:
    first = client.get("/namespaces/ietf/")
    Namespace.objects.update(purpose="Names bushes.", holder="Bushes")
    again = client.get("/namespaces/ietf/", headers={"if-none-match": first["ETag"]})
    assert again.status_code == 200
    assert again["ETag"] != first["ETag"]


def test_the_date_of_a_page_does_not_hide_a_change(client: Client, namespace: Namespace) -> None:
    first = client.get("/namespaces/ietf/")
    again = client.get("/namespaces/ietf/", headers={"if-modified-since": first["Last-Modified"]})
    assert again.status_code == 200


@pytest.mark.parametrize(
    "page", ["/namespaces/nobody/", "/namespaces/?kind=x", "/accounts/login/", "/health"]
)
def test_errors_and_pages_with_a_form_to_post_have_no_validator(client: Client, db: None, page: str) -> None:
    response = client.get(page)
    assert "ETag" not in response
    assert response.get("Cache-Control") != PUBLIC


def test_a_page_for_a_visitor_with_a_cookie_has_no_validator(
    client: Client, registrant: User, namespace: Namespace
) -> None:
    client.get("/accounts/login/")
    assert client.cookies
    assert "ETag" not in client.get("/")
    client.force_login(registrant)
    response = client.get("/")
    assert ("ETag" in response, response["Cache-Control"]) == (False, "private, no-store")


def test_a_page_for_a_visitor_with_a_cookie_is_asked_for_again(client: Client, namespace: Namespace) -> None:
    """Last-Modified alone would let a browser show an old page for weeks (RFC 9111, Section 4.2.2)."""
    client.get("/accounts/login/")
    response = client.get("/namespaces/ietf/")
    assert (response["Cache-Control"], "ETag" in response) == ("private, no-cache", False)
