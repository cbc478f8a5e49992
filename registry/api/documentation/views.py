"""Views of the API documentation. Programs that prefer JSON are led to the API (registry.api.representations)."""

import json
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from registry.api.documentation import pages
from registry.api.documentation.pages import GUIDES, Page
from registry.core.http.conditional import body_etag
from registry.publication.downloads import conditional

API_CATALOG_PROFILE = "https://www.rfc-editor.org/info/rfc9727"


@login_not_required
@require_safe
def start(request: HttpRequest) -> HttpResponseBase:
    """The quick start."""
    return _page(request, pages.start_page())


@login_not_required
@require_safe
def guide(request: HttpRequest, slug: str) -> HttpResponseBase:
    """One guide."""
    return _page(request, _found(pages.guide_page, slug))


@login_not_required
@require_safe
def reference(request: HttpRequest) -> HttpResponseBase:
    """All operations."""
    return _page(request, pages.reference_page())


@login_not_required
@require_safe
def group(request: HttpRequest, tag: str) -> HttpResponseBase:
    """The operations of one group."""
    return _page(request, _found(pages.group_page, tag))


@login_not_required
@require_safe
def problems(request: HttpRequest) -> HttpResponseBase:
    """The problem types."""
    return _page(request, pages.problems_page())


@login_not_required
@require_safe
def problem(request: HttpRequest, slug: str) -> HttpResponseBase:
    """One problem type."""
    return _page(request, _found(pages.problem_page, slug))


@login_not_required
@require_safe
def openapi(request: HttpRequest, suffix: str) -> HttpResponseBase:
    """The usual addresses of an OpenAPI document."""
    response = redirect("api:schema-file", suffix=suffix, permanent=True)
    response["Access-Control-Allow-Origin"] = "*"
    return response


@login_not_required
@require_safe
def api_catalog(request: HttpRequest) -> HttpResponseBase:
    """The APIs of this host as a link set (RFC 9727, RFC 9264): there is one."""
    origin = settings.PUBLIC_ORIGIN
    own = request.path
    api = {
        "anchor": f"{origin}{reverse('api:root')}",
        "service-desc": [
            {"href": f"{origin}{reverse('api:schema-file', args=(suffix,))}", "type": f"application/{suffix}"}
            for suffix in ("yaml", "json")
        ],
        "service-doc": [{"href": f"{origin}{reverse('documentation:start')}", "type": "text/html"}],
        "status": [{"href": f"{origin}{reverse('health')}"}],
    }
    catalog = {"anchor": f"{origin}{own}", "item": [{"href": api["anchor"]}]}
    content = json.dumps({"linkset": [catalog, api]}, indent=2).encode()
    response = HttpResponse(content, f'application/linkset+json; profile="{API_CATALOG_PROFILE}"')
    response["Link"] = f'<{own}>; rel="api-catalog"'
    response["Access-Control-Allow-Origin"] = "*"
    return _confirmed(request, response)


def _found(page: Callable[[str], Page], name: str) -> Page:
    try:
        return page(name)
    except KeyError:
        raise Http404 from None


def _page(request: HttpRequest, page: Page) -> HttpResponseBase:
    """The page with its ETag. What differs between requests is the header, for people who are signed in."""
    around = {
        "guides": GUIDES.values(),
        "groups": pages.navigation(),
        "start": reverse("documentation:start"),
        "reference": reverse("documentation:reference"),
        "problems": reverse("documentation:problems"),
    }
    response = render(request, "api/documentation.html", page._asdict() | around)
    return _confirmed(request, response)


def _confirmed(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """The response with its ETag, or 304 if the client has it."""
    return conditional(request, response, body_etag(response.content), last_modified=None)
