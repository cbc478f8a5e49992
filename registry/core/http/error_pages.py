"""Error pages for requests that do not reach a view, and for unexpected errors of views."""

import sys
from io import BytesIO
from typing import TYPE_CHECKING

from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.views import defaults

from registry.core.database.errors import is_unavailable
from registry.core.form_recovery import recovered_texts_of
from registry.core.text_limits import BodySize

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

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
