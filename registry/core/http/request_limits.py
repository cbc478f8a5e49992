"""Limits on the body of a request: its size by the view that it is for, and no files.

A view declares what it accepts with `@accepts_body`, a view class with the attribute `max_body`; others accept a
BodySize.SMALL. `registry.core.http.capacity` applies the limit before it receives a body, and `RequestLimitsMiddleware`
before anything reads it.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any, NoReturn, TypeVar

from django.core.exceptions import BadRequest
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve
from django.views import defaults

from registry.core.exceptions import RegistryError
from registry.core.http.request_validation import FORM_TYPE, parse_form
from registry.core.validators import BodySize

MULTIPART_TYPE = "multipart/form-data"
View = TypeVar("View", bound=Callable[..., Any])


class BodyTooLong(RegistryError, BadRequest):
    """The body has more octets than this address accepts: `sent` is its length, and `limit` the maximum."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "The request is too long"

    def __init__(self, sent: int, limit: int) -> None:
        super().__init__(f"The body has {sent:,} octets; the limit of this address is {limit:,}.")
        self.members = {"limit": limit, "sent": sent}


class FilesNotAccepted(RegistryError, BadRequest):
    """The form contains a file. No page of the registry takes files."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    title = "Files are not accepted"


def accepts_body(limit: BodySize) -> Callable[[View], View]:
    """Decorate a view that accepts longer bodies than others."""

    def declare(view: View) -> View:
        view.max_body = limit  # type: ignore[attr-defined]
        return view

    return declare


def check_body(environ: Mapping[str, Any], path: str) -> None:
    """Raise BodyTooLong if the Content-Length is more than the view at `path` accepts."""
    length = int(environ.get("CONTENT_LENGTH") or 0)  # digits, after `sanitize_request`
    if length > BodySize.SMALL and length > (limit := _limit_at(path, environ.get("CONTENT_TYPE", ""))):
        raise BodyTooLong(length, limit)


def _limit_at(path: str, content_type: str) -> int:
    # No page sends it, and parsing it takes much memory. Django reads the media type without regard to case.
    if content_type.strip().lower().startswith(MULTIPART_TYPE):
        return BodySize.SMALL
    try:
        view: Any = resolve(path).func
    except Resolver404:
        return BodySize.SMALL
    limit: int = getattr(getattr(view, "cls", view), "max_body", BodySize.SMALL)
    return limit


class RequestLimitsMiddleware:
    """Refuses bodies that are too long, and reads forms in bounded memory.

    It comes before CsrfViewMiddleware, which reads the form.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            check_body(request.META, request.path_info)
        except BodyTooLong as refusal:
            return _refused(refusal)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_arguments: Any) -> None:
        """Read the form of a page. The API, which is exempt from the CSRF check, takes no forms."""
        if (
            request.method != "POST"
            or request.content_type != FORM_TYPE
            or getattr(view, "csrf_exempt", False)
        ):
            return
        with suppress(UnreadablePostError):  # the form is empty then, and has no CSRF token
            request.POST = parse_form(request.body)  # type: ignore[assignment]


class RefuseFiles(FileUploadHandler):
    """Refuses a form with a file before any of it is stored (settings.FILE_UPLOAD_HANDLERS)."""

    def new_file(self, *_arguments: Any, **_options: Any) -> NoReturn:
        raise FilesNotAccepted("This page does not take files. Copy the text of the file into the form.")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        return None

    def file_complete(self, file_size: int) -> None:
        return None


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page for a request that was refused before its view (urls.handler400)."""
    if isinstance(exception, RegistryError):
        return _refused(exception)
    return defaults.bad_request(request, exception)


def _refused(refusal: RegistryError) -> HttpResponse:
    page = render_to_string("request_refused.html", {"refusal": refusal})
    response = HttpResponse(page, status=refusal.status)
    response.refusal = refusal  # type: ignore[attr-defined]  # for the problem document of the API
    return response
