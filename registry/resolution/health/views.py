"""The public page of all services with their health."""

from http import HTTPStatus

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.resolution.health.forms import HealthFilter
from registry.resolution.health.queries import BY_NID, counts_by_state
from registry.resolution.models import ListedService

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
