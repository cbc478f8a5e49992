"""Middleware that renders errors."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.core.exceptions import RegistryError
from registry.core.form_recovery import recovered_texts_of
from registry.core.form_views import refused


class RegistryErrorMiddleware:
    """Renders a RegistryError that a view raised as a page with its status.

    For the API, `registry.api.framework.problems` does this.
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
        return refused(render(request, template, context), exception)
