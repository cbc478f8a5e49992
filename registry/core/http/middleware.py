"""Middleware that turns errors into pages, and pages into fragments for htmx."""

import sys
from collections.abc import Callable, Mapping
from http import HTTPStatus
from io import BytesIO
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.views import defaults

from registry.core.database.errors import is_unavailable
from registry.core.exceptions import RegistryError
from registry.core.form_views import recovered_texts_of, refused
from registry.core.validators import BodySize

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


def render_page_or_partial(
    request: HttpRequest, page: str, part: str, context: Mapping[str, Any], *, status: int = HTTPStatus.OK
) -> HttpResponse:
    """Render only `part` for htmx, otherwise the whole `page`, which includes it.

    htmx then sets the URL in the address bar, without empty parameters.
    """
    headers = request.headers
    is_typing = "HX-Request" in headers and "HX-History-Restore-Request" not in headers
    response = render(request, part if is_typing else page, dict(context), status=status)
    patch_vary_headers(response, ["HX-Request"])
    if is_typing:
        query = urlencode([(name, value) for name, value in request.GET.items() if value])
        response["HX-Replace-Url"] = f"{request.path}?{query}" if query else request.path
    return response


STATUS = "registry.error_status"  # a key of the WSGI environ
HEADERS = {503: {"Retry-After": "5"}}


class ErrorPages(BaseHandler):
    """Django with all its middleware, and a page in place of the URL configuration.

    Without cookies there is no session, so the database is not used. Below /api/, the middleware turns the page into
    a problem document.
    """

    def __init__(self) -> None:
        super().__init__()
        self.load_middleware()

    def response(self, environ: "WSGIEnvironment", status: int) -> HttpResponseBase:
        """The response from the template of the status, such as `503.html`."""
        anonymous = {name: value for name, value in environ.items() if name != "HTTP_COOKIE"}
        if int(environ.get("CONTENT_LENGTH") or 0) > BodySize.SMALL:  # too much to show its texts
            anonymous |= {"wsgi.input": BytesIO(), "CONTENT_LENGTH": "0"}
        # Not `get_response`, which would log each of these requests as an error.
        response: HttpResponseBase = self._middleware_chain(WSGIRequest(anonymous | {STATUS: status}))  # type: ignore[attr-defined]
        return response

    def _get_response(self, request: HttpRequest) -> HttpResponseBase:
        status = request.META[STATUS]
        return _error_page(request, f"{status}.html", status)


def server_error(request: HttpRequest) -> HttpResponse:
    """The response to an exception that nothing else handles: `handler500`. Its page does not use the database."""
    if is_unavailable(sys.exception()):
        return _error_page(request, "database_unavailable.html", 503)
    return defaults.server_error(request)


def _error_page(request: HttpRequest, template: str, status: int) -> HttpResponse:
    page = render_to_string(template, {"recovered_texts": recovered_texts_of(request)})
    return HttpResponse(page, status=status, headers={"Cache-Control": "no-store", **HEADERS.get(status, {})})


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
