"""/desk/bodies/: bodies that request the fast track, with their recognition, representatives and cases."""

from django.db.models import Prefetch, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import Body, RoleName
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.actions.pages import Decisions
from registry.cases.bodies import DECISIONS, RECOGNISE_BODY
from registry.cases.models import Case, known_bodies
from registry.core.form_views import form_page, get_or_post
from registry.core.pagination import Keyset
from registry.review_desk.permissions import check_has_role

PAGE_SIZE = 30
CASES_SHOWN = 5
BY_NAME = Keyset("name", "pk")


def _with_cases(bodies: QuerySet[Body], most: int) -> QuerySet[Body]:
    cases = Case.objects.public().select_related("namespace").order_by("-pk")[:most]
    return bodies.prefetch_related("representatives", Prefetch("cases", cases, to_attr="latest_cases"))


@require_safe
def bodies(request: SignedInRequest) -> HttpResponse:
    """The recognised bodies and those in public cases, by name."""
    check_has_role(request.user, RoleName.ADMINISTRATOR, RoleName.LIAISON)
    found = _with_cases(known_bodies(), CASES_SHOWN)
    page = BY_NAME.page(found, request.GET.get("after", ""), PAGE_SIZE)
    return render(request, "review_desk/liaison/bodies.html", {"page": page})


@get_or_post
@recent_sign_in_for(*DECISIONS.values(), only_post=True)
def body(request: SignedInRequest, pk: int) -> HttpResponse:
    """One body, and the forms with which the liaison records a decision on it."""
    check_has_role(request.user, RoleName.ADMINISTRATOR, RoleName.LIAISON)
    found = get_object_or_404(_with_cases(known_bodies(), PAGE_SIZE), pk=pk)
    if request.method == "POST":
        RECOGNISE_BODY.check_permission(request.user, found)
    decisions = Decisions(request, found, DECISIONS)
    offered = decisions.offered(found)
    context = {
        "body": found,
        "decisions": offered,
        "recovered_texts": decisions.recovered_texts(offered),
    }
    page = form_page(request, "review_desk/liaison/body.html", context)
    return decisions.process(page, to=lambda _: reverse("review_desk:body", args=[pk]))
