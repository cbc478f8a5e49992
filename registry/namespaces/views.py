"""Pages of namespaces."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import http_date
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.actions.declarations import actions_on, offered
from registry.actions.pages import action_page, decisions_page
from registry.audit_log.proofs import event_of_text
from registry.core.http.middleware import render_page_or_partial
from registry.core.http.page_cache import cached_until_changed
from registry.namespaces import permissions
from registry.namespaces.actions import MODULES
from registry.namespaces.actions.profiles import SET_PROFILE
from registry.namespaces.actions.transfers import ANSWERS, MOVE_TO_ORGANISATION
from registry.namespaces.current_profiles import comparison_in_words
from registry.namespaces.forms import ComparisonForm, SearchForm, SetProfileForm
from registry.namespaces.history import history_of, history_of_transfer
from registry.namespaces.models import Namespace, ProfileVersion, Transfer
from registry.namespaces.permissions import Person
from registry.namespaces.profile_documents import compare_profiles
from registry.namespaces.queries import (
    TooFewProfileVersions,
    TooFewVersions,
    find_namespace,
    get_namespace,
    get_profile_version,
    get_revision,
    get_transfer,
    redirect_to_lower_case,
)
from registry.namespaces.search import titled_page
from registry.namespaces.subjects import NAMESPACE
from registry.organisations.queries import get_represented_organisation
from registry.registration_template.diff import compare_templates
from registry.registration_template.sections import SECTIONS
from registry.registration_template.template import RegistrationTemplate

PAGE = 100
# Of a search, with what it found in each text.
RESULTS_PAGE = 50
# The actions whose pages have nothing but effect, form and button.
ACTIONS = actions_on(NAMESPACE, *MODULES, without=(SET_PROFILE,))
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
def version_proof(request: HttpRequest, nid: str, version: int) -> HttpResponse:
    """Redirect to the proof that the version is in the audit log."""
    return _redirect_to_proof(nid, version, get_revision(nid, version).digest)


@login_not_required
@require_safe
@redirect_to_lower_case
def profile_proof(request: HttpRequest, nid: str, version: int) -> HttpResponse:
    """Redirect to the proof that the version of the profile is in the audit log."""
    return _redirect_to_proof(nid, version, get_profile_version(get_namespace(nid), version).digest)


def _redirect_to_proof(nid: str, version: int, digest: str) -> HttpResponse:
    return redirect("audit_log:proof", event_of_text(nid, version=version, digest=digest))


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
    waiting = namespace.transfers.waiting().visible_to(user).select_related("offered_by").first()
    return {
        "is_mine": permissions.is_registrant(user, namespace),
        "may_revise": permissions.may_revise(user, namespace),
        "may_set_profile": permissions.is_administrator(user, namespace),
        "may_offer": permissions.may_offer_transfer(user, namespace),
        "offer": waiting,
        "is_recipient": waiting is not None and permissions.may_answer_transfer(user, waiting),
        "actions": offered(ACTIONS, user, namespace),
    }


def section_contents(template: RegistrationTemplate) -> list[dict[str, Any]]:
    """The sections with their contents, in the order of the template."""
    return [{"section": section, "content": getattr(template, section.key)} for section in SECTIONS]


def _unregistered(request: HttpRequest, nid: str) -> HttpResponse:
    """The page for a NID that is not registered, with the report on it."""
    return render(request, "namespaces/not_registered.html", {"nid": nid}, status=HTTPStatus.NOT_FOUND)


def find_for_action(user: Person, nid: str, **_: str) -> Namespace:
    return get_namespace(nid.lower())


def _find_transfer(user: User, nid: str, pk: int) -> Transfer:
    return get_transfer(user, get_namespace(nid.lower()), pk)


def _show_transfer(request: SignedInRequest, offer: Transfer) -> dict[str, Any]:
    return {
        "namespace": offer.namespace,
        "is_recipient": permissions.may_answer_transfer(request.user, offer),
        "history": history_of_transfer(offer),
    }


# An offer, for both sides: its terms, and the buttons that accept, decline or withdraw it.
transfer = decisions_page(ANSWERS, _find_transfer, "namespaces/transfer.html", show=_show_transfer)


@login_not_required
@require_safe
@redirect_to_lower_case
def profile(request: HttpRequest, nid: str) -> HttpResponse:
    """The current profile with its sources, and all versions."""
    namespace = get_namespace(nid)
    return _profile_page(request, namespace, namespace.profile)


@login_not_required
@require_safe
@redirect_to_lower_case
def profile_version(request: HttpRequest, nid: str, version: int) -> HttpResponse:
    """One version of the profile."""
    namespace = get_namespace(nid)
    return _profile_page(request, namespace, get_profile_version(namespace, version))


def _profile_page(request: HttpRequest, namespace: Namespace, version: ProfileVersion | None) -> HttpResponse:
    shown = version.value if version else None
    versions = list(
        namespace.profile_versions.order_by("-version")
        .select_related("set_by")
        .annotate(removes=Q(content__isnull=True))
        .defer("content")
    )
    context = {
        "namespace": namespace,
        "version": version,
        "is_current": version is None or version == versions[0],
        "profile": shown,
        "comparison": shown and comparison_in_words(shown.names),
        "versions": versions,
        "may_set_profile": permissions.is_administrator(request.user, namespace),
    }
    return render(request, "namespaces/profile.html", context)


@login_not_required
@require_safe
@redirect_to_lower_case
def compare_versions(request: HttpRequest, nid: str) -> HttpResponse:
    """The differences between two versions of the profile."""
    namespace = get_namespace(nid)
    versions = namespace.profile_versions.defer("content")
    form = ComparisonForm(request.GET.dict(), {each.version: each for each in versions})
    if not form.is_possible:
        raise TooFewProfileVersions(nid)
    context: dict[str, Any] = {"namespace": namespace, "form": form, "changes": None}
    if not form.is_valid():
        return render(request, "namespaces/compare_profiles.html", context, status=form.status)
    older, newer = form.pair
    changes = compare_profiles(older.content, newer.content)
    return render(
        request,
        "namespaces/compare_profiles.html",
        context | {"older": older, "newer": newer, "changes": changes},
    )


edit_profile = action_page(
    SET_PROFILE,
    find_for_action,
    template="namespaces/edit_profile.html",
    form_class=SetProfileForm,
)


move_namespaces = action_page(
    MOVE_TO_ORGANISATION,
    get_represented_organisation,
    template="namespaces/move.html",
    to=lambda moved: moved[0].organisation.get_absolute_url(),
)
