"""The public page of all services with their health."""

from http import HTTPStatus
from typing import TYPE_CHECKING

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db.models import Count, Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.core.pagination import Keyset
from registry.resolution.models import HealthState, ListedService, ServiceHealth

if TYPE_CHECKING:
    from django.db.models import QuerySet


class HealthFilter(forms.Form):
    """Services with one state of health, or all."""

    state = forms.ChoiceField(
        required=False, label="Health", choices=[("", "All services"), *HealthState.choices]
    )

    def narrow(self, services: "QuerySet[ListedService]") -> "QuerySet[ListedService]":
        state = self.cleaned_data.get("state")
        return services.filter(state=state) if state else services


BY_NID = Keyset("nid", "position")


def counts_by_state() -> dict[HealthState, int]:
    """The number of services in each state."""
    rows = ListedService.objects.order_by().values("state").annotate(number=Count("pk"))
    found = {row["state"]: row["number"] for row in rows}
    return {state: found.get(state, 0) for state in HealthState}


def last_check_time() -> float:
    """The time of the last check in seconds since 1970, 0 if there was none."""
    last = ServiceHealth.objects.aggregate(last=Max("checked_at"))["last"]
    return last.timestamp() if last else 0.0


PAGE_SIZE = 100


@login_not_required
@require_safe
def services(request: HttpRequest) -> HttpResponse:
    form = HealthFilter(request.GET)
    is_valid = form.is_valid()
    page = BY_NID.page(form.narrow(ListedService.objects.all()), request.GET.get("after", ""), PAGE_SIZE)
    context = {
        "form": form,
        "page": page,
        "counts": [(state, number) for state, number in counts_by_state().items() if number],
        "are_checked": settings.CHECK_SERVICES,
    }
    status = HTTPStatus.OK if is_valid else HTTPStatus.BAD_REQUEST
    return render(request, "resolution/services.html", context, status=status)
