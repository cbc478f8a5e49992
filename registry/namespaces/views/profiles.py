"""The pages of a namespace's profile and its versions, and the form that sets it."""

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.core.form_views import get_or_post, posted
from registry.core.http.request_limits import accepts_body
from registry.core.text_limits import BodySize
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
from registry.namespaces.views.changes import change


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


@accepts_body(BodySize.TEXTS)
@get_or_post
@recent_sign_in_for(SetProfileForm.action)
def edit_profile(request: SignedInRequest, nid: str) -> HttpResponse:
    return change(request, SetProfileForm(posted(request), namespace=get_namespace(nid.lower())))
