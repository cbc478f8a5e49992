"""What the registry refuses, one exception class a reason, each message fit to show to a person."""

from collections.abc import Callable
from http import HTTPStatus
from typing import ClassVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.core.form_recovery import recovered_texts_of


class RegistryError(Exception):
    """A refusal. `str()` is the sentence to show; `status` the HTTP status that says the same."""

    status: ClassVar[HTTPStatus] = HTTPStatus.CONFLICT
    title: ClassVar[str] = "That was not possible"


class NotPermitted(RegistryError):
    """The move exists and is open, but not to this person. Strangers see 404 (HOUSE: never 403)."""

    status = HTTPStatus.NOT_FOUND
    title = "Not found"


class RegistryErrorMiddleware:
    """Turns a RegistryError that a page let through into a page that says it, with its status.

    The API's twin is `registry.api.framework.problems`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, RegistryError):
            return None
        template = "404.html" if exception.status == HTTPStatus.NOT_FOUND else "registry_error.html"
        context = {"refusal": exception, "recovered_texts": recovered_texts_of(request)}
        return render(request, template, context, status=exception.status)
