"""The page of a namespace's profile, and the form that sets it."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import FOR_DECISIONS, recent_sign_in_required
from registry.core.form_views import get_or_post, posted
from registry.core.http.request_limits import accepts_body
from registry.core.text_limits import BodySize
from registry.namespaces import permissions
from registry.namespaces.forms.profiles import SetProfileForm
from registry.namespaces.profiles import comparison_in_words
from registry.namespaces.queries import get_namespace, redirect_to_lower_case
from registry.namespaces.views.changes import change


@login_not_required
@require_safe
@redirect_to_lower_case
def profile(request: HttpRequest, nid: str) -> HttpResponse:
    """The current profile with its sources, and all versions."""
    namespace = get_namespace(nid)
    current = namespace.profile and namespace.profile.value
    context = {
        "namespace": namespace,
        "profile": current,
        "comparison": current and comparison_in_words(current.names),
        "versions": namespace.profile_versions.order_by("-version").select_related("set_by").defer("content"),
        "may_set_profile": permissions.is_administrator(request.user, namespace),
    }
    return render(request, "namespaces/profile.html", context)


@accepts_body(BodySize.TEXTS)
@get_or_post
@recent_sign_in_required(FOR_DECISIONS)
def edit_profile(request: SignedInRequest, nid: str) -> HttpResponse:
    return change(request, SetProfileForm(posted(request), namespace=get_namespace(nid.lower())))
