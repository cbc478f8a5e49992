"""The pages of a namespace's profile and its versions, and the form that sets it."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.actions.pages import action_page
from registry.namespaces import permissions
from registry.namespaces.forms.comparison import ComparisonForm
from registry.namespaces.forms.profiles import SetProfileForm
from registry.namespaces.models import Namespace, ProfileVersion
from registry.namespaces.profile_documents import compare_profiles
from registry.namespaces.profiles import comparison_in_words
from registry.namespaces.queries import (
    TooFewProfileVersions,
    get_namespace,
    get_profile_version,
    redirect_to_lower_case,
)
from registry.namespaces.services.profiles import SET_PROFILE
from registry.namespaces.views.changes import find_namespace, show_namespace


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
    find_namespace,
    template="namespaces/edit_profile.html",
    show=show_namespace,
    form_class=SetProfileForm,
)
