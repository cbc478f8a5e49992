"""Views of the registry's files and feeds, with permanent URLs and conditional responses."""

import hashlib
from http import HTTPStatus
from pathlib import Path

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.audit_log.models import Event
from registry.core.exceptions import RegistryError
from registry.core.http.conditional import etag_of
from registry.namespaces.queries import get_namespace, redirect_to_lower_case
from registry.publication.downloads import conditional, download
from registry.publication.feeds import feed_for_namespace, feed_for_registry
from registry.publication.formats.export_formats import FILES, FORMATS
from registry.publication.formats.html_page import STYLE_SOURCE

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

    response = download(request, wanted, last_modified=_last_modified())
    if wanted.media_type.startswith("text/html"):
        response["Content-Security-Policy"] = PAGE_POLICY
    return response


@login_not_required
@require_safe
def style_sheet(request: HttpRequest) -> HttpResponse:
    """Return the style sheet that IANA's XML references; without it some browsers show nothing."""
    return HttpResponse(STYLE_SHEET.read_bytes(), content_type="application/xslt+xml")


@login_not_required
@require_safe
def feed(request: HttpRequest) -> HttpResponseBase:
    return _feed(request, feed_for_registry())


@login_not_required
@require_safe
@redirect_to_lower_case
def namespace_feed(request: HttpRequest, nid: str) -> HttpResponseBase:
    return _feed(request, feed_for_namespace(get_namespace(nid)))


def _feed(request: HttpRequest, content: str) -> HttpResponseBase:
    etag = etag_of(hashlib.sha256(content.encode()).hexdigest()[:32], coding="")
    return conditional(request, HttpResponse(content, content_type=ATOM), etag, _last_modified())


def _last_modified() -> int | None:
    """Return the time of the last event in seconds, None if there is none."""
    last = Event.objects.order_by("number").last()
    return int(last.at.timestamp()) if last else None
