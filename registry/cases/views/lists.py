"""The list of public cases, and the page of the signed-in user."""

from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName
from registry.cases.forms.cases import CaseFilter
from registry.cases.inbox import desks_of, drafts_of, waiting_for_registrant
from registry.cases.models import Case
from registry.cases.notifications.subscriptions import subscribed_by
from registry.core.pagination import Keyset
from registry.namespaces.models import Transfer

PAGE_SIZE = 50
OPEN_FIRST = Keyset("is_closed", "-pk")


@require_safe
@login_not_required
def case_list(request: HttpRequest) -> HttpResponse:
    """All public cases, open ones first."""
    form = CaseFilter(request.GET)
    is_valid = form.is_valid()
    cases = form.narrow(Case.objects.public().open_first().select_related("namespace", "body"))
    page = OPEN_FIRST.page(cases, request.GET.get("after", ""), PAGE_SIZE)
    status = HTTPStatus.OK if is_valid else HTTPStatus.BAD_REQUEST
    return render(request, "cases/list.html", {"form": form, "page": page}, status=status)


@require_safe
def mine(request: SignedInRequest) -> HttpResponse:
    """The tasks, drafts, cases and namespaces of the user."""
    user = request.user
    cases = Case.objects.select_related("namespace", "body")
    edited = cases.edited_by(user)
    subscribed = subscribed_by(user).exclude(pk__in=edited.values("pk")).select_related("namespace")
    transfers = list(Transfer.objects.waiting().concerning(user))
    context = {
        "desks": desks_of(user, at_most=PAGE_SIZE),
        "waiting": waiting_for_registrant(user),
        "drafts": drafts_of(user),
        "cases": edited.begun().open_first()[:PAGE_SIZE],
        "subscribed": subscribed.open_first()[:PAGE_SIZE],
        "namespaces": user.namespaces.with_latest(),
        "invitations": Case.objects.open().inviting(user).select_related("namespace", "registrant"),
        "transfers": transfers,
        "is_offered": any(transfer.offered_by_id != user.pk for transfer in transfers),
        "is_administrator": RoleName.ADMINISTRATOR in user.roles,
    }
    return render(request, "cases/mine.html", context)
