"""/desk/bodies/: bodies that request the fast track, with their recognition, representatives and cases."""

from django.contrib import messages
from django.db.models import Prefetch, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import Body, RoleName
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.cases.bodies import check_may_decide_on, decide_on_body
from registry.cases.models import Case, known_bodies
from registry.cases.permissions import may_decide_on
from registry.core.form_views import form_page, get_or_post, posted, process_form
from registry.core.pagination import Keyset
from registry.review_desk.liaison.forms import BodyForm
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
@recent_sign_in_for(decide_on_body, only_post=True)
def body(request: SignedInRequest, pk: int) -> HttpResponse:
    """One body, and a form for the liaison to record the decision on it."""
    check_has_role(request.user, RoleName.ADMINISTRATOR, RoleName.LIAISON)
    found = get_object_or_404(_with_cases(known_bodies(), PAGE_SIZE), pk=pk)
    if request.method == "POST":
        check_may_decide_on(found, by=request.user)
    form = BodyForm(posted(request), body=found)
    context = {"body": found, "form": form, "may_decide": may_decide_on(request.user, found)}

    def record() -> HttpResponse:
        form.perform(by=request.user)
        messages.success(request, f"The decision on {found} was recorded.")
        return redirect("review_desk:body", found.pk)

    return process_form(form, record, form_page(request, "review_desk/liaison/body.html", context))
