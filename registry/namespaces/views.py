"""The registry as pages: the list, one namespace, its versions and what changed between them."""

from http import HTTPStatus
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.appendix_a.difference import compare as difference
from registry.appendix_a.sections import SECTIONS
from registry.appendix_a.submission import Submission
from registry.namespaces import permissions
from registry.namespaces.forms import CompareForm, SearchForm
from registry.namespaces.history import history_of
from registry.namespaces.lookup import NothingToCompare, find, in_lower_case, registered, version_of
from registry.namespaces.models import Namespace
from registry.namespaces.search import page_of
from registry.partials import render_page_or_part

PAGE = 100
# Neither its text nor that of its case is wanted where versions are listed.
VERSION_IN_A_LIST = ("namespace_id", "version", "registered_at", "registration__id")


@login_not_required
@require_safe
def namespaces(request: HttpRequest) -> HttpResponse:
    form, context, status = SearchForm(request.GET), {}, HTTPStatus.BAD_REQUEST
    if form.is_valid():
        context, status = {"asked": form.cleaned_data, "page": page_of(form.question, PAGE)}, HTTPStatus.OK
    context = {"form": form, **context}
    return render_page_or_part(
        request, "namespaces/list.html", "namespaces/_found.html", context, status=status
    )


@login_not_required
@require_safe
@in_lower_case
def namespace(request: HttpRequest, nid: str) -> HttpResponse:
    found = find(nid)
    if found is None:
        return _unregistered(request, nid)
    answer = {
        "namespace": found,
        "revision": found.latest,
        "sections": found.latest and sections_of(found.latest.submission),
        "versions": found.revisions.order_by("-version")
        .select_related("registration")
        .only(*VERSION_IN_A_LIST),
        "history": history_of(found),
        **for_its_stewards(request.user, found),
    }
    return render(request, "namespaces/detail.html", answer)


@login_not_required
@require_safe
@in_lower_case
def version(request: HttpRequest, nid: str, version: int) -> HttpResponse:
    revision = version_of(nid, version)
    answer = {
        "namespace": revision.namespace,
        "revision": revision,
        "is_latest": revision.pk == revision.namespace.latest_id,
        "sections": sections_of(revision.submission),
    }
    return render(request, "namespaces/version.html", answer)


@login_not_required
@require_safe
@in_lower_case
def template_text(request: HttpRequest, nid: str, version: int) -> HttpResponse:
    return HttpResponse(version_of(nid, version).text, content_type="text/plain; charset=utf-8")


@login_not_required
@require_safe
@in_lower_case
def compare(request: HttpRequest, nid: str) -> HttpResponse:
    namespace = registered(nid)
    form = CompareForm(request.GET.dict(), namespace=namespace)
    if not form.is_possible:
        raise NothingToCompare(nid)
    answer: dict[str, Any] = {"namespace": namespace, "form": form, "changes": None}
    if not form.is_valid():
        return render(request, "namespaces/compare.html", answer, status=form.status)
    older, newer = form.pair
    answer |= {"older": older, "newer": newer, "changes": difference(older.submission, newer.submission)}
    return render(request, "namespaces/compare.html", answer)


def for_its_stewards(user: permissions.Person, namespace: Namespace) -> dict[str, Any]:
    """What `user` may do with the namespace: nothing, for most."""
    if not user.is_authenticated:
        return {}
    waiting = namespace.transfers.waiting().select_related("to").first()
    return {
        "is_mine": permissions.is_registrant(user, namespace),
        "may_deprecate": permissions.is_administrator(user, namespace) and not namespace.is_deprecated,
        "may_set_rules": permissions.is_administrator(user, namespace),
        "may_offer": permissions.may_offer_transfer(user, namespace),
        "offer": waiting if waiting and permissions.may_see_transfer(user, waiting) else None,
    }


def sections_of(submission: Submission) -> list[dict[str, Any]]:
    """The thirteen sections with what stands in them, in the template's order."""
    return [{"section": section, "content": getattr(submission, section.key)} for section in SECTIONS]


def _unregistered(request: HttpRequest, nid: str) -> HttpResponse:
    """Nobody has this NID; the page says what else it is."""
    return render(request, "namespaces/unregistered.html", {"nid": nid}, status=HTTPStatus.NOT_FOUND)
