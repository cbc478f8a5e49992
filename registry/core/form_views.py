"""Shared steps of views with a form: show it, validate it, run the action, and show errors."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Protocol

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from registry.core.exceptions import NotPermitted, RegistryError

UNPROCESSABLE = HTTPStatus.UNPROCESSABLE_ENTITY
get_or_post = require_http_methods(["GET", "HEAD", "POST"])


class FormPage(Protocol):
    """Renders the page of a form with a status and, if the action failed, the reason."""

    def __call__(
        self, *, status: HTTPStatus = HTTPStatus.OK, refusal: RegistryError | None = None
    ) -> HttpResponse: ...


def posted(request: HttpRequest) -> QueryDict | None:
    """The submitted fields, which may be empty; None unless the request is a POST."""
    return request.POST if request.method == "POST" else None


def form_page(request: HttpRequest, template: str, context: Mapping[str, Any]) -> FormPage:
    """A page that renders `template` with `context` and the `refusal`."""

    def page(*, status: HTTPStatus = HTTPStatus.OK, refusal: RegistryError | None = None) -> HttpResponse:
        return render(request, template, {**context, "refusal": refusal}, status=status)

    return page


def process_form(form: BaseForm, action: Callable[[], HttpResponse], page: FormPage) -> HttpResponse:
    """Show an unbound form; submit a valid one to `action`, which responds. `page` shows errors and refusals."""
    if not form.is_bound:
        return page()
    if not form.is_valid():
        return page(status=UNPROCESSABLE)
    return take_action(action, page)


def take_action(action: Callable[[], HttpResponse], page: FormPage) -> HttpResponse:
    """The response of `action`, or if the registry refused it, `page` with the reason.

    Raises NotPermitted, which is not shown on a page.
    """
    try:
        return action()
    except NotPermitted:
        raise
    except RegistryError as refusal:
        response = page(status=refusal.status, refusal=refusal)
        return with_headers(response, refusal)


def with_headers(response: HttpResponse, refusal: RegistryError) -> HttpResponse:
    """The response to a refused request, with the headers of the refusal."""
    for name, value in refusal.headers.items():
        response[name] = value
    return response
