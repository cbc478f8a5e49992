"""Base classes of the registry's exceptions: one class per reason, with messages for users."""

from collections.abc import Callable
from http import HTTPStatus
from typing import ClassVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.core.form_recovery import recovered_texts_of


class RegistryError(Exception):
    """A rejected action. `str()` is the message for the user; `status` is the HTTP status."""

    status: ClassVar[HTTPStatus] = HTTPStatus.CONFLICT
    title: ClassVar[str] = "That was not possible"


class NotPermitted(RegistryError):
    """The action is possible in this state, but this user lacks permission. Strangers get 404, not 403."""

    status = HTTPStatus.NOT_FOUND
    title = "Not found"


class RegistryErrorMiddleware:
    """Renders an unhandled RegistryError of a page as an error page with its status.

    The API equivalent is `registry.api.framework.problems`.
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
