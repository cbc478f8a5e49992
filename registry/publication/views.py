"""Views of the registry's files and feeds, with permanent URLs and conditional responses."""

import hashlib
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.utils.http import http_date
from django.views.decorators.http import require_safe

from registry.core.exceptions import RegistryError
from registry.namespaces.queries import get_namespace, redirect_to_lower_case
from registry.publication.feeds import feed_for_namespace, feed_for_registry
from registry.publication.formats.export_formats import FILES, FORMATS
from registry.publication.formats.html_page import STYLE_SOURCE
from registry.publication.formats.published_namespaces import RegistryState

# Increment if the format of a file changes, so that clients do not keep the old file.
FORMAT_REVISION = 1
STYLE_SHEET = Path(__file__).with_name("urn-namespaces.xsl")
ATOM = "application/atom+xml; charset=utf-8"
# The page is self-contained.
PAGE_POLICY = f"default-src 'none'; style-src {STYLE_SOURCE}; base-uri 'none'; frame-ancestors 'none'"


class NoSuchFile(RegistryError):
    """The registry is not published in a file of this name."""

    status = HTTPStatus.NOT_FOUND
    title = "File not found"


@login_not_required
@require_safe
def files(request: HttpRequest) -> HttpResponse:
    return render(request, "publication/files.html", {"formats": FORMATS.values()})


@login_not_required
@require_safe
def file(request: HttpRequest, file: str) -> HttpResponseBase:
    wanted = FILES.get(file)
    if wanted is None:
        raise NoSuchFile(f"The registry is published as {', '.join(FILES)}; “{file}” is none of these.")

    def stream() -> HttpResponseBase:
        response = StreamingHttpResponse(wanted.write(), content_type=wanted.media_type)
        if wanted.media_type.startswith("text/html"):
            response["Content-Security-Policy"] = PAGE_POLICY
        return response

    return _conditional_response(request, stream)


@login_not_required
@require_safe
def style_sheet(request: HttpRequest) -> HttpResponse:
    """Return the style sheet that IANA's XML references; without it some browsers show nothing."""
    return HttpResponse(STYLE_SHEET.read_bytes(), content_type="application/xslt+xml")


@login_not_required
@require_safe
def feed(request: HttpRequest) -> HttpResponseBase:
    return _conditional_response(request, lambda: HttpResponse(feed_for_registry(), content_type=ATOM))


@login_not_required
@require_safe
@redirect_to_lower_case
def namespace_feed(request: HttpRequest, nid: str) -> HttpResponseBase:
    namespace = get_namespace(nid)
    return _conditional_response(
        request, lambda: HttpResponse(feed_for_namespace(namespace), content_type=ATOM)
    )


def _conditional_response(request: HttpRequest, answer: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Return the response, or 304 if the client has it; a 304 reads only the state of the registry."""
    state = RegistryState.current()
    said = f"{FORMAT_REVISION} {state.number} {state.digest} {settings.PUBLIC_ORIGIN} {request.path}"
    etag = f'"{hashlib.sha256(said.encode()).hexdigest()[:32]}"'
    at = int(state.at.timestamp()) if state.at else None
    response = get_conditional_response(request, etag=etag, last_modified=at) or answer()
    response["ETag"] = etag
    response["Cache-Control"] = "public, no-cache"
    if at is not None:
        response["Last-Modified"] = http_date(at)
    return response
