"""The pages of the documentation. Their content is rendered once for each process, not for each request."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from registry.accounts.recent_sign_in import ACCOUNT_CHANGES_MINUTES
from registry.api.documentation.reference import Group, groups
from registry.api.framework.problems import all_types
from registry.api.problem_types.views import listed_types
from registry.api.schema.document import EXAMPLE_ORIGIN, TAGS
from registry.api.schema.documentation.recorded import recorded_problem


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


class Page(NamedTuple):
    """A page: its title, and what stands between the header and the footer."""

    title: str
    content: SafeString


def start_page() -> Page:
    return Page("API", _content("api/start.html", _place()))


def guide_page(slug: str) -> Page:
    """The page of a guide. Raises KeyError if there is none."""
    guide = GUIDES[slug]
    return Page(f"API: {guide.title}", _content(f"api/guides/{slug}.html", _place()))


def reference_page() -> Page:
    return Page("API: reference", _content("api/reference.html", _place()))


def group_page(tag: str) -> Page:
    """The page of a group of operations. Raises KeyError if there is none."""
    found = groups(settings.PUBLIC_ORIGIN)[tag]
    return Page(f"API: {found.title}", _content("api/group.html", _place(), tag))


def problems_page() -> Page:
    """The page of all problem types."""
    context = {"types": listed_types()}
    return Page("API: problem types", render_to_string("api/problems.html", context))


def problem_page(slug: str) -> Page:
    """The page of a problem type. Raises KeyError if there is none."""
    found = all_types()[slug]
    return Page(f"API: {found.title}", render_to_string("api/problem.html", {"type": found}))


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
