"""Pages of sightings: the public list, the page of one with the decisions of administrators, and the form to report one."""

from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_not_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.actions.pages import action_page, decisions_page
from registry.core.pagination import Keyset
from registry.namespaces.models import Namespace
from registry.namespaces.queries import nid_in
from registry.sightings.actions import DECISIONS, REPORT_SIGHTING, get_sighting, may_see_reason
from registry.sightings.models import Sighting, SightingQuerySet, SightingState

PAGE_SIZE = 100
BY_NID = Keyset("nid", "pk")


class SightingFilter(forms.Form):
    """Words in the NID, the example or the user; for people who are signed in, also the state."""

    q = forms.CharField(required=False, label="NID or words", max_length=200)
    state = forms.ChoiceField(required=False, label="State", choices=[("", "All"), *SightingState.choices])

    def __init__(self, user: Any, *given: Any) -> None:
        super().__init__(*given)
        if not user.is_authenticated:
            del self.fields["state"]

    def narrow(self, sightings: SightingQuerySet) -> SightingQuerySet:
        if state := self.cleaned_data.get("state"):
            sightings = sightings.filter(state=state)
        for word in self.cleaned_data.get("q", "").split():
            found = (Q((f"{column}__icontains", word)) for column in ("nid", "example", "used_by"))
            sightings = sightings.filter(next(found) | next(found) | next(found))
        return sightings


@login_not_required
@require_safe
def sightings(request: HttpRequest) -> HttpResponse:
    """The sightings of NIDs that are not registered, as far as the reader may see them."""
    form = SightingFilter(request.user, request.GET)
    is_valid = form.is_valid()
    rows = Sighting.objects.visible_to(request.user).unregistered()
    page = BY_NID.page(form.narrow(rows), request.GET.get("after", ""), PAGE_SIZE)
    is_filtered = any(form.cleaned_data.values()) or not is_valid
    status = HTTPStatus.OK if is_valid else HTTPStatus.BAD_REQUEST
    context = {"form": form, "page": page, "is_filtered": is_filtered}
    return render(request, "sightings/list.html", context, status=status)


def _chosen(request: SignedInRequest, form: Any) -> dict[str, Any]:
    """The NID that a link to the form names."""
    if not form.is_bound:
        form.initial["nid"] = nid_in(request.GET.get("nid", ""))
    return {}


def _own(user: User) -> User:
    return user


report = action_page(REPORT_SIGHTING, _own, template="sightings/report.html", show=_chosen)


def _show(request: SignedInRequest, sighting: Sighting) -> dict[str, Any]:
    others = Sighting.objects.visible_to(request.user).of([sighting.nid]).exclude(pk=sighting.pk)
    return {
        "namespace": Namespace.objects.filter(nid=sighting.nid).only("nid").first(),
        "others": others[:PAGE_SIZE],
        "sees_reason": may_see_reason(request.user, sighting),
        "is_own": sighting.reported_by_id is not None and sighting.reported_by_id == request.user.pk,
    }


def _after(user: User, sighting: Sighting) -> str:
    return reverse("sightings:detail", args=[sighting.pk])


# A sighting, for all who may see it, with the decisions that an administrator can make.
sighting = login_not_required(
    decisions_page(DECISIONS, get_sighting, "sightings/detail.html", show=_show, to=_after)
)
