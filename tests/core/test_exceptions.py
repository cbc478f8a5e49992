"""Error pages of registry exceptions: status, message and links."""

from collections.abc import Iterator
from http import HTTPStatus

import pytest
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.test import Client, override_settings
from django.urls import include, path
from django.views.decorators.csrf import csrf_protect
from pytest_django.asserts import assertContains, assertNotContains

from registry.core.exceptions import NotPermitted, RegistryError


class Overtaken(RegistryError):
    """An exception for these tests."""

    title = "Another person was faster"


REFUSALS: dict[str, Exception] = {
    "overtaken": Overtaken("The case has <b>changed</b>."),
    "not-permitted": NotPermitted("You are not an editor of case 7."),
    "forbidden": PermissionDenied(),
    "suspicious": SuspiciousOperation("too many fields"),
    "broken": ZeroDivisionError(),
}


@login_not_required
@csrf_protect
def refuse(request: HttpRequest, name: str) -> HttpResponse:
    raise REFUSALS[name]


urlpatterns = [path("refuse/<slug:name>/", refuse), path("", include("registry.urls"))]


@pytest.fixture
def client() -> Iterator[Client]:
    with override_settings(ROOT_URLCONF=__name__):
        yield Client(raise_request_exception=False)


def test_a_refusal_is_shown_with_its_title_its_sentence_and_its_status(client: Client) -> None:
    response = client.get("/refuse/overtaken/")
    assertContains(response, "<strong>Another person was faster</strong>", status_code=HTTPStatus.CONFLICT)
    assertContains(response, "The case has &lt;b&gt;changed&lt;/b&gt;.", status_code=409)


def test_a_page_without_permission_is_not_found(client: Client) -> None:
    assertContains(client.get("/refuse/not-permitted/"), "You are not an editor of case 7.", status_code=404)


@pytest.mark.parametrize("address", ["/nothing", "/namespaces/a/b/", "/refuse/a b/", "/cases/x/y/z/"])
def test_what_is_not_there_has_a_page_of_its_own(client: Client, address: str) -> None:
    response = client.get(address)
    assertContains(response, "Page not found", status_code=404)
    assertContains(response, 'href="/namespaces/"', status_code=404)


def test_forbidden_explains_what_was_not_done(client: Client) -> None:
    assertContains(client.get("/refuse/forbidden/"), "Nothing was changed.", status_code=403)


def test_a_malformed_request_has_a_page_and_needs_no_database(client: Client) -> None:
    assertContains(
        client.get("/refuse/suspicious/"), "The request is not valid or is too long.", status_code=400
    )


def test_a_form_without_its_sign_is_explained(client: Client) -> None:
    with override_settings(ROOT_URLCONF=__name__):
        strict = Client(enforce_csrf_checks=True)
        assertContains(strict.post("/refuse/overtaken/"), "Send the form again", status_code=403)


def test_the_500_page_needs_no_database_view_or_static_files_manifest(client: Client) -> None:
    response = client.get("/refuse/broken/")
    assertContains(response, "Sorry, there is a problem with the registry", status_code=500)
    assertContains(response, 'href="/static/site.css"', status_code=500)
    assertNotContains(response, "ZeroDivisionError", status_code=500)
    assert render_to_string("500.html")
