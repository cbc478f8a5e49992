"""Pages of sub-namespaces: the list of a namespace, one of them, and the import of a list."""

from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from registry.actions.pages import action_page
from registry.audit_log.proofs import ProofUnknown, event_of_text
from registry.core.http.page_cache import cached_until_changed
from registry.namespaces import permissions
from registry.namespaces.forms import search_field
from registry.namespaces.models import Namespace
from registry.namespaces.queries import get_namespace, redirect_to_lower_case
from registry.namespaces.views import find_for_action
from registry.subnamespaces.differences import differences, show_difference
from registry.subnamespaces.exports import published_files
from registry.subnamespaces.importing import IMPORT_SUBNAMESPACES, plan_import
from registry.subnamespaces.models import ListVersion, Status, SubNamespace
from registry.subnamespaces.queries import (
    BY_KEY,
    NoSuchSubNamespace,
    around,
    below,
    get_subnamespace,
    list_of,
    search,
)

PAGE = 100
IMPORT_PAGE = "subnamespaces/import.html"


class SubNamespaceFilter(forms.Form):
    """The beginning of a prefix, or words; and a status."""

    q = search_field("Beginning of a prefix, or words")
    status = forms.ChoiceField(label="Status", choices=[("", "All"), *Status.choices], required=False)


@login_not_required
@require_safe
@cached_until_changed
@redirect_to_lower_case
def subnamespaces(request: HttpRequest, nid: str) -> HttpResponse:
    """The list of a namespace, or with `prefix`, one of its sub-namespaces and those below it."""
    namespace = get_namespace(nid)
    if prefix := request.GET.get("prefix", ""):
        return _subnamespace(request, namespace, prefix)
    form = SubNamespaceFilter(request.GET)
    is_valid = form.is_valid()
    rows = list_of(namespace)
    if status := form.cleaned_data.get("status"):
        rows = rows.filter(status=status)
    rows = search(rows, form.cleaned_data.get("q", ""))
    profile = namespace.current_profile
    context = {
        "namespace": namespace,
        "levels": profile.levels if profile else (),
        "version": namespace.subnamespace_list_versions.last(),
        "files": published_files(namespace),
        "form": form,
        "is_filtered": any(form.cleaned_data.values()) or not is_valid,
        "page": BY_KEY.page(rows, request.GET.get("after", ""), PAGE),
        "may_import": permissions.is_administrator(request.user, namespace),
    }
    status_code = HTTPStatus.OK if is_valid else HTTPStatus.BAD_REQUEST
    return render(request, "subnamespaces/list.html", context, status=status_code)


@login_not_required
@require_safe
@redirect_to_lower_case
def proof(request: HttpRequest, nid: str, version: int) -> HttpResponse:
    """Redirect to the proof that the version of the list is in the audit log."""
    found = get_namespace(nid).subnamespace_list_versions.filter(version=version).first()
    if found is None:
        raise ProofUnknown(f"The list of sub-namespaces of “{nid}” has no version {version}.")
    return redirect("audit_log:proof", event_of_text(nid, version=version, digest=found.digest))


def _subnamespace(request: HttpRequest, namespace: Namespace, prefix: str) -> HttpResponse:
    try:
        row = get_subnamespace(namespace, prefix)
    except NoSuchSubNamespace as refusal:
        context = {
            "namespace": namespace,
            "title": refusal.title,
            "detail": str(refusal),
            "near": refusal.near,
        }
        return render(request, "subnamespaces/unknown.html", context, status=refusal.status)
    outer = around(row)
    level, level_below = _levels_of(row, outer)
    entry = row.value_of(namespace.nid)
    context = {
        "namespace": namespace,
        "row": row,
        "version": namespace.subnamespace_list_versions.filter(version=row.version).first(),
        "entry": entry,
        "around": outer,
        "level": level,
        "level_below": level_below,
        "replaced": _former_contents(row),
        "page": BY_KEY.page(below(row), request.GET.get("after", ""), PAGE),
    }
    return render(request, "subnamespaces/detail.html", context)


def _former_contents(row: SubNamespace) -> list[dict[str, Any]]:
    """What a sub-namespace said before, the newest first, each with the version of the list that set it, and what replaced it."""
    replaced = list(row.replaced.order_by("-version"))
    numbers = [row.version, *(each.version for each in replaced)]
    versions = row.namespace.subnamespace_list_versions.filter(version__in=numbers).select_related("set_by")
    known = {each.version: each for each in versions} if replaced else {}
    return [
        {
            "version": each.version,
            "set": known.get(each.version),
            "replaced_by": known.get(later),
            "members": differences(each.content, row.content),
        }
        for later, each in zip(numbers, replaced, strict=False)
    ]


def _levels_of(row: SubNamespace, outer: list[SubNamespace]) -> tuple[Any, Any]:
    """The level that lists a sub-namespace, and the one below it; None without a profile."""
    profile = row.namespace.current_profile
    if profile is None or profile.walker is None:
        return None, None
    level, _ = profile.walker.level_of(row.prefix, {each.prefix.lower() for each in outer})
    return level, profile.walker.level_below(row.key, level)


def _to_list(version: ListVersion) -> str:
    return reverse("subnamespaces:list", args=[version.namespace.nid])


import_list = action_page(
    IMPORT_SUBNAMESPACES,
    find_for_action,
    template=IMPORT_PAGE,
    instead=show_difference(
        IMPORT_SUBNAMESPACES,
        IMPORT_PAGE,
        plan_import,
        *("document", "list_format", "retires_others"),
        context=lambda namespace: {"namespace": namespace},
    ),
    to=_to_list,
)
