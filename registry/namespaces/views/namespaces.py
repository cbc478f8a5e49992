"""The public pages of namespaces: list, namespace, version, and comparison of versions."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import http_date
from django.views.decorators.http import require_safe

from registry.core.http.htmx import render_page_or_partial
from registry.core.http.page_cache import cached_until_changed
from registry.namespaces import permissions
from registry.namespaces.forms.comparison import ComparisonForm
from registry.namespaces.forms.search import SearchForm
from registry.namespaces.history import history_of
from registry.namespaces.models import Namespace
from registry.namespaces.profiles import comparison_in_words
from registry.namespaces.queries import (
    TooFewVersions,
    find_namespace,
    get_namespace,
    get_revision,
    redirect_to_lower_case,
)
from registry.namespaces.search import titled_page
from registry.registration_template.diff import compare_templates
from registry.registration_template.sections import SECTIONS
from registry.registration_template.template import RegistrationTemplate

PAGE = 100
# Of a search, with what it found in each text.
RESULTS_PAGE = 50
# The list of versions needs neither their texts nor those of their cases.
VERSION_IN_A_LIST = ("namespace_id", "version", "registered_at", "case__id")


@login_not_required
@require_safe
@cached_until_changed
def namespaces(request: HttpRequest) -> HttpResponse:
    form, context, status = SearchForm(request.GET), {}, HTTPStatus.BAD_REQUEST
    if form.is_valid():
        query = form.search_query
        page = titled_page(query, RESULTS_PAGE if query.text else PAGE)
        context, status = {"filters": form.cleaned_data, "page": page}, HTTPStatus.OK
    context = {"form": form, **context}
    return render_page_or_partial(
        request, "namespaces/list.html", "namespaces/_results.html", context, status=status
    )


@login_not_required
@require_safe
@cached_until_changed
@redirect_to_lower_case
def namespace(request: HttpRequest, nid: str) -> HttpResponse:
    found = find_namespace(nid)
    if found is None:
        return _unregistered(request, nid)
    profile = found.current_profile
    context = {
        "namespace": found,
        "profile": profile,
        "comparison": profile and comparison_in_words(profile.names),
        "revision": found.latest,
        "sections": found.latest and section_contents(found.latest.template),
        "versions": found.revisions.order_by("-version").select_related("case").only(*VERSION_IN_A_LIST),
        "history": history_of(found),
        "origin": settings.PUBLIC_ORIGIN,
        **actions_context(request.user, found),
    }
    response = render(request, "namespaces/detail.html", context)
    response["Last-Modified"] = http_date(found.changed_at.timestamp())
    return response


@login_not_required
@require_safe
@redirect_to_lower_case
def version(request: HttpRequest, nid: str, version: int) -> HttpResponse:
    revision = get_revision(nid, version)
    context = {
        "namespace": revision.namespace,
        "revision": revision,
        "is_latest": revision.pk == revision.namespace.latest_id,
        "sections": section_contents(revision.template),
    }
    return render(request, "namespaces/version.html", context)


@login_not_required
@require_safe
@redirect_to_lower_case
def template_text(request: HttpRequest, nid: str, version: int) -> HttpResponse:
    return HttpResponse(get_revision(nid, version).text, content_type="text/plain; charset=utf-8")


@login_not_required
@require_safe
@redirect_to_lower_case
def compare(request: HttpRequest, nid: str) -> HttpResponse:
    namespace = get_namespace(nid)
    revisions = namespace.revisions.order_by("version").defer("text")
    form = ComparisonForm(request.GET.dict(), {each.version: each for each in revisions})
    if not form.is_possible:
        raise TooFewVersions(nid)
    context: dict[str, Any] = {"namespace": namespace, "form": form, "changes": None}
    if not form.is_valid():
        return render(request, "namespaces/compare.html", context, status=form.status)
    older, newer = form.pair
    context |= {"older": older, "newer": newer, "changes": compare_templates(older.template, newer.template)}
    return render(request, "namespaces/compare.html", context)


def actions_context(user: permissions.Person, namespace: Namespace) -> dict[str, Any]:
    """The actions on the namespace that `user` has permission for."""
    if not user.is_authenticated:
        return {}
    waiting = namespace.transfers.waiting().select_related("offered_by").first()
    return {
        "is_mine": permissions.is_registrant(user, namespace),
        "may_revise": permissions.may_revise(user, namespace),
        "may_deprecate": permissions.is_administrator(user, namespace) and not namespace.is_deprecated,
        "may_set_profile": permissions.is_administrator(user, namespace),
        "may_offer": permissions.may_offer_transfer(user, namespace),
        "offer": waiting if waiting and permissions.may_see_transfer(user, waiting) else None,
        "is_recipient": waiting is not None and permissions.may_answer_transfer(user, waiting),
    }


def section_contents(template: RegistrationTemplate) -> list[dict[str, Any]]:
    """The sections with their contents, in the order of the template."""
    return [{"section": section, "content": getattr(template, section.key)} for section in SECTIONS]


def _unregistered(request: HttpRequest, nid: str) -> HttpResponse:
    """The page for a NID that is not registered, with the report on it."""
    return render(request, "namespaces/not_registered.html", {"nid": nid}, status=HTTPStatus.NOT_FOUND)
