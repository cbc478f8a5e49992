"""The pages for 400, 403, 404, 429 and 500: texts and links; 500 works without a database."""

import pytest
from django.conf import settings
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.views.defaults import bad_request, page_not_found, permission_denied, server_error
from pytest_django.asserts import assertContains

from registry.accounts.models import User


@pytest.mark.django_db
def test_the_404_page_links_to_search(client: Client) -> None:
    response = client.get("/nothing-here/")
    assertContains(response, "Page not found", status_code=404)
    assertContains(response, 'action="/namespaces/"', status_code=404)
    assertContains(response, 'href="/cases/"', status_code=404)


@pytest.mark.parametrize(
    ("view", "status", "sentence"),
    [
        (bad_request, 400, "is not valid or is too long"),
        (permission_denied, 403, "You are not signed in."),
        (page_not_found, 404, "Page not found"),
    ],
)
def test_each_page_has_an_explanation_and_a_link(view: object, status: int, sentence: str) -> None:
    assert callable(view)
    response = view(RequestFactory().get("/"), ValueError("secret"))
    text = response.content.decode()
    assert response.status_code == status
    assert sentence in text
    assert 'href="/namespaces/"' in text
    assert "secret" not in text


def test_too_many_attempts_have_a_page() -> None:
    text = render_to_string("429.html", {}, RequestFactory().get("/"))
    assert "the limit lasts up to an hour" in text
    assert 'href="/accounts/password/reset/"' in text


def test_the_page_of_a_mistake_needs_no_database_and_no_static_manifest() -> None:
    def refuse(execute: object, *_: object) -> None:
        raise AssertionError("the page asked the database")

    with connection.execute_wrapper(refuse):
        response = server_error(RequestFactory().get("/"))
    text = response.content.decode()
    assert response.status_code == 500
    assert "Sorry, there is a problem with the registry" in text
    for name in ("site.css", "layout.css", "public.css", "icon.svg"):
        assert f"/static/{name}" in text
        assert (settings.BASE_DIR / "registry" / "assets" / name).is_file()


@pytest.mark.django_db
def test_the_account_name_is_shown_to_signed_in_users(registrant: User) -> None:
    request = RequestFactory().get("/")
    request.user = registrant
    text = permission_denied(request, ValueError("no")).content.decode()
    assert "registrant@example.org" in text
