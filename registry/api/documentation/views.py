"""Views of the API documentation. Programs that prefer JSON are led to the API (registry.api.representations)."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from registry.accounts.recent_sign_in import ACCOUNT_CHANGES_MINUTES
from registry.api.documentation.reference import Group, groups
from registry.api.framework.problems import all_types
from registry.api.problem_types import listed_types
from registry.api.schema.document import EXAMPLE_ORIGIN, TAGS
from registry.api.schema.examples import recorded_problem
from registry.core.http.conditional import body_etag, validated

Found = TypeVar("Found")


class Guide(NamedTuple):
    """A guide: the last part of its address, which names its template, and its title."""

    slug: str
    title: str

    @property
    def url(self) -> str:
        return reverse("documentation:guide", args=(self.slug,))


GUIDES = {
    guide.slug: guide
    for guide in (
        Guide("authentication", "Authentication"),
        Guide("conditional-requests", "Conditional requests"),
        Guide("idempotency", "Safe repetition"),
        Guide("errors", "Errors"),
        Guide("pagination", "Lists and pages"),
        Guide("synchronisation", "Synchronisation"),
        Guide("notifications", "Notifications"),
        Guide("organisations", "Organisations"),
        Guide("limits", "Limits"),
        Guide("versioning", "Versions and deprecation"),
    )
}


def navigation() -> list[dict[str, str]]:
    """The groups of operations: their titles and addresses."""
    return [
        {"title": Group(tag, []).title, "url": reverse("documentation:group", args=(tag.name,))}
        for tag in TAGS
    ]


def _place() -> tuple[Any, ...]:
    """The settings that the pages show."""
    return (settings.PUBLIC_ORIGIN, settings.API_READS_A_MINUTE, settings.API_WRITES_A_MINUTE)


@cache
def _content(template: str, place: tuple[Any, ...], tag: str = "") -> SafeString:
    origin, reads, writes = place
    every = groups(origin)
    context: Mapping[str, Any] = {
        "origin": origin,
        "reads": reads,
        "writes": writes,
        "sign_in_minutes": ACCOUNT_CHANGES_MINUTES,
        "groups": list(every.values()),
        "group": every.get(tag),
        "guide": GUIDES.get(template.rpartition("/")[2].removesuffix(".html")),
        "template": template,
        "problem": _problem(origin),
    }
    outer = "api/guide.html" if template.startswith("api/guides/") else template
    return render_to_string(outer, context)


def _problem(origin: str) -> str:
    """The example of the guide to errors."""
    problem = json.dumps(recorded_problem("invalid-parameter"), indent=2, ensure_ascii=False)
    return problem.replace(EXAMPLE_ORIGIN, origin)


API_CATALOG_PROFILE = "https://www.rfc-editor.org/info/rfc9727"


@login_not_required
@require_safe
def start(request: HttpRequest) -> HttpResponseBase:
    """The quick start."""
    return _page(request, "API", _content("api/start.html", _place()))


@login_not_required
@require_safe
def guide(request: HttpRequest, slug: str) -> HttpResponseBase:
    """One guide."""
    found = _found(GUIDES, slug)
    return _page(request, f"API: {found.title}", _content(f"api/guides/{slug}.html", _place()))


@login_not_required
@require_safe
def reference(request: HttpRequest) -> HttpResponseBase:
    """All operations."""
    return _page(request, "API: reference", _content("api/reference.html", _place()))


@login_not_required
@require_safe
def group(request: HttpRequest, tag: str) -> HttpResponseBase:
    """The operations of one group."""
    found = _found(groups(settings.PUBLIC_ORIGIN), tag)
    return _page(request, f"API: {found.title}", _content("api/group.html", _place(), tag))


@login_not_required
@require_safe
def problems(request: HttpRequest) -> HttpResponseBase:
    """The problem types."""
    content = render_to_string("api/problems.html", {"types": listed_types()})
    return _page(request, "API: problem types", content)


@login_not_required
@require_safe
def problem(request: HttpRequest, slug: str) -> HttpResponseBase:
    """One problem type."""
    found = _found(all_types(), slug)
    return _page(request, f"API: {found.title}", render_to_string("api/problem.html", {"type": found}))


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


def _found(named: Mapping[str, Found], name: str) -> Found:
    """What has this name. Raises Http404."""
    if name not in named:
        raise Http404
    return named[name]


def _page(request: HttpRequest, title: str, content: SafeString) -> HttpResponseBase:
    """The page with its ETag. `content` stands between the header and the footer.

    What differs between requests is the header, for people who are signed in.
    """
    around = {
        "title": title,
        "content": content,
        "guides": GUIDES.values(),
        "groups": navigation(),
        "start": reverse("documentation:start"),
        "reference": reverse("documentation:reference"),
        "problems": reverse("documentation:problems"),
    }
    response = render(request, "api/documentation.html", around)
    return _confirmed(request, response)


def _confirmed(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """The response with its ETag, or 304 if the client has it."""
    return validated(request, response, body_etag(response.content))
