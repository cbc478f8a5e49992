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
from urnsyntax import InvalidNID, classify

PAGE = 100


@login_not_required
@require_safe
def namespaces(request: HttpRequest) -> HttpResponse:
    form = SearchForm(request.GET)
    if not form.is_valid():
        return render(request, "namespaces/list.html", {"form": form}, status=HTTPStatus.BAD_REQUEST)
    asked = form.cleaned_data
    found = Namespace.objects.matching(asked["q"]).filter(nid__gt=asked["after"])
    if asked["kind"]:
        found = found.filter(kind=asked["kind"])
    page = list(found.order_by("nid")[: PAGE + 1])
    answer = {"form": form, "asked": asked, "namespaces": page[:PAGE], "has_more": len(page) > PAGE}
    return render(request, "namespaces/list.html", answer)


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
        "versions": found.revisions.order_by("-version").defer("content", "text"),
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
        "may_offer": permissions.may_offer_transfer(user, namespace),
        "offer": waiting if waiting and permissions.may_see_transfer(user, waiting) else None,
    }


def sections_of(submission: Submission) -> list[dict[str, Any]]:
    """The thirteen sections with what stands in them, in the template's order."""
    return [{"section": section, "content": getattr(submission, section.key)} for section in SECTIONS]


def _unregistered(request: HttpRequest, nid: str) -> HttpResponse:
    """Nobody has this NID: say whether anybody could."""
    status = classify(nid)
    answer = {"nid": nid, "status": status, "error": None if status.is_well_formed else InvalidNID(nid)}
    return render(request, "namespaces/unregistered.html", answer, status=HTTPStatus.NOT_FOUND)
