"""Views of the registry's files and feeds, with permanent URLs and conditional responses."""

import re
from functools import partial
from http import HTTPStatus
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.audit_log.models import Event
from registry.core.exceptions import RegistryError
from registry.core.http.conditional import body_etag, validated
from registry.core.http.internal_requests import is_internal
from registry.core.http.urls import public_url
from registry.core.validators import shortened
from registry.namespaces.queries import find_namespace, get_namespace, redirect_to_lower_case
from registry.publication import sitemaps
from registry.publication.downloads import download
from registry.publication.feeds import (
    feed_for_namespace,
    feed_for_register,
    feed_for_registry,
    namespace_topic,
    registry_topic,
)
from registry.publication.file_digests import known_digests
from registry.publication.formats.export_formats import FILES, FORMATS, ExportFile, subnamespace_files
from registry.publication.formats.registers import STYLE as STYLE_OF_REGISTER
from registry.publication.formats.registers import register_files, state_of
from registry.publication.formats.tables import STYLE, style_source
from registry.registers.subjects import get_register

SCHEMA = Path(__file__).with_name("urn-namespaces.rng")
SCHEMA_OF_REGISTERS = Path(__file__).with_name("register.rng")
STYLE_SHEET = Path(__file__).with_name("urn-namespaces.xsl")
RELAX_NG = "application/relax-ng+xml"
ATOM = "application/atom+xml; charset=utf-8"
NUMBER = re.compile("[1-9][0-9]{0,17}")
# Private pages, endless results of searches and redirects, and the data behind the pages.
NOT_FOR_CRAWLERS = (
    "/accounts/",
    "/admin/",
    "/api/v1/",
    "/desk/",
    "/people/",
    "/resolve/",
    "/uri-res/",
    *(f"/*{mark}{name}=" for mark in "?&" for name in ("q", "urn", "nid")),
)


def _page_policy(style: str) -> str:
    """The Content Security Policy of a self-contained page with an embedded style sheet."""
    return f"default-src 'none'; style-src {style_source(style)}; base-uri 'none'; frame-ancestors 'none'"


PAGE_POLICY, REGISTER_POLICY = _page_policy(STYLE), _page_policy(STYLE_OF_REGISTER)


class NoSuchFile(RegistryError):
    """The registry is not published in a file of this name."""

    status = HTTPStatus.NOT_FOUND
    title = "File not found"


@login_not_required
@require_safe
def files(request: HttpRequest) -> HttpResponse:
    known = {} if is_internal(request) else known_digests()
    formats = [
        {"format": each, "files": [{"file": file, "known": known.get(file.name)} for file in each.files]}
        for each in FORMATS.values()
    ]
    return render(request, "publication/files.html", {"formats": formats})


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
@redirect_to_lower_case
def subnamespaces(request: HttpRequest, nid: str, file: str) -> HttpResponseBase:
    """Return the list of sub-namespaces of a namespace as a file."""
    namespace = get_namespace(nid)
    files = subnamespace_files(namespace)
    if (wanted := files.get(file.lower())) is None:
        known = f"The files of the list are {', '.join(files)}." if files else "The namespace has no list."
        raise NoSuchFile(f"There is no file “{shortened(file)}”. {known}")
    versions = namespace.subnamespace_list_versions.order_by("-version")
    modified = int(versions[0].set_at.timestamp())
    return download(request, wanted, last_modified=modified, state=lambda: versions.all()[0].digest)


@login_not_required
@require_safe
@redirect_to_lower_case
def register_file(request: HttpRequest, nid: str, file: str, entry: int | None = None) -> HttpResponseBase:
    """Return the register below a namespace, or below an entry, as a file."""
    register = get_register(get_namespace(nid), entry)
    files = {each.name: each for each in register_files(register)}
    wanted = files.get(file.lower())
    if wanted is None or wanted.lines is None:
        known = ", ".join(each.path for each in files.values())
        raise NoSuchFile(f"There is no file “{shortened(file)}”. The files of the register are {known}.")
    written = ExportFile(wanted.name, wanted.media_type, wanted.lines)
    modified = int(register.namespace.changed_at.timestamp())
    response = download(request, written, last_modified=modified, state=partial(state_of, register))
    if wanted.media_type.startswith("text/html"):
        response["Content-Security-Policy"] = REGISTER_POLICY
    return response


@login_not_required
@require_safe
def register_schema(request: HttpRequest) -> HttpResponse:
    """Return the RELAX NG schema that the XML of registers references."""
    return HttpResponse(SCHEMA_OF_REGISTERS.read_bytes(), content_type=RELAX_NG)


@login_not_required
@require_safe
def style_sheet(request: HttpRequest) -> HttpResponse:
    """Return the style sheet that IANA's XML references; without it some browsers show nothing."""
    return HttpResponse(STYLE_SHEET.read_bytes(), content_type="application/xslt+xml")


@login_not_required
@require_safe
def schema(request: HttpRequest) -> HttpResponse:
    """Return the RELAX NG schema that IANA's XML references."""
    return HttpResponse(SCHEMA.read_bytes(), content_type=RELAX_NG)


@login_not_required
@require_safe
def sitemap(request: HttpRequest) -> HttpResponseBase:
    return download(request, sitemaps.index(), last_modified=_last_modified())


@login_not_required
@require_safe
def sitemap_pages(request: HttpRequest) -> HttpResponseBase:
    return download(request, sitemaps.pages())


@login_not_required
@require_safe
def sitemap_namespaces(request: HttpRequest, nid: str = "") -> HttpResponseBase:
    """Return one part of the sitemap: the namespaces after a registered `nid`."""
    if nid and find_namespace(nid) is None:
        raise Http404
    return download(request, sitemaps.namespaces(nid), last_modified=_last_modified())


@login_not_required
@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Return what crawlers should not read (RFC 9309), and the address of the sitemap."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in NOT_FOR_CRAWLERS)]
    lines += ["", f"Sitemap: {public_url('publication:sitemap')}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


@login_not_required
@require_safe
def feed(request: HttpRequest) -> HttpResponseBase:
    return _feed(request, feed_for_registry(_before(request)), registry_topic())


@login_not_required
@require_safe
@redirect_to_lower_case
def namespace_feed(request: HttpRequest, nid: str) -> HttpResponseBase:
    namespace = get_namespace(nid)
    return _feed(request, feed_for_namespace(namespace, _before(request)), namespace_topic(namespace.nid))


@login_not_required
@require_safe
@redirect_to_lower_case
def register_feed(request: HttpRequest, nid: str, entry: int) -> HttpResponseBase:
    """Return the feed of the register below an entry. It has no hub: its entries are in the feed of the namespace, too."""
    register = get_register(get_namespace(nid), entry)
    return _feed(request, feed_for_register(register, _before(request)))


def _before(request: HttpRequest) -> int | None:
    """The parameter `before` of older pages of a feed: the number of an event. Raises Http404."""
    text = request.GET.get("before")
    if text is not None and not NUMBER.fullmatch(text):
        raise Http404
    return int(text) if text else None


def _feed(request: HttpRequest, content: str, topic: str = "") -> HttpResponseBase:
    """The response with a feed. The header Link leads subscribers of a topic to the WebSub hub, if there is one."""
    etag = body_etag(content.encode())
    response = HttpResponse(content, content_type=ATOM)
    if (hub := settings.WEBSUB_HUB) and topic:
        response["Link"] = f'<{hub}>; rel="hub", <{topic}>; rel="self"'
    return validated(request, response, etag, _last_modified())


def _last_modified() -> int | None:
    """Return the time of the last event in seconds, None if there is none."""
    last = Event.objects.order_by("number").last()
    return int(last.at.timestamp()) if last else None
