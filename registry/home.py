"""The first page: what this registry is, what is new in it and what is under review.

It stands at the top of the house because it looks into two rooms, namespaces and registrations,
of which the first must not know the second.
"""

from django.contrib.auth.decorators import login_not_required
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.namespaces.models import Kind, Namespace
from registry.registrations.models import Registration

SHOWN = 6


@login_not_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    counts = dict(Namespace.objects.order_by().values_list("kind").annotate(Count("pk")))
    under_review = Registration.objects.open().public().select_related("namespace")
    at_a_glance = {
        "formal": counts.get(Kind.FORMAL, 0),
        "informal": counts.get(Kind.INFORMAL, 0),
        "newest": Namespace.objects.newest()[:SHOWN],
        "revised": Namespace.objects.lately_updated()[:SHOWN],
        "under_review": under_review.order_by("-state_since")[:SHOWN],
    }
    return render(request, "home.html", at_a_glance)
