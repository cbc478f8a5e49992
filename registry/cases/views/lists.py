"""The list of public cases, also as CSV, and the page of the signed-in user."""

import csv
from collections.abc import Iterable
from datetime import UTC
from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName
from registry.cases.forms.cases import CaseFilter
from registry.cases.inbox import desks_of, drafts_of, waiting_for_registrant
from registry.cases.models import Case, CaseQuerySet
from registry.cases.notifications.subscriptions import subscribed_by
from registry.cases.views.reader_status import for_editor
from registry.core.pagination import Keyset
from registry.custody.queries import claim_tasks_of
from registry.namespaces.models import Namespace, Transfer
from registry.namespaces.permissions import may_answer_transfer
from registry.organisations.queries import invitations_to

PAGE_SIZE = 50
MAX_DOWNLOAD = 5_000  # cases in one CSV file
COLUMNS = ("case", "subject", "state", "since", "kind", "procedure", "body", "registrant")
# A spreadsheet takes a text that begins with one of these for a formula.
FORMULA_MARKS = ("=", "+", "-", "@", "\t", "\r")
OPEN_FIRST = Keyset("is_closed", "-pk")


@require_safe
@login_not_required
def case_list(request: HttpRequest) -> HttpResponse:
    """All public cases, open ones first; with `format=csv` as a file."""
    form = CaseFilter(request.GET)
    is_valid = form.is_valid()
    cases = form.narrow(Case.objects.public().open_first().select_related("namespace", "body"))
    if is_valid and request.GET.get("format") == "csv":
        return _download(
            request, cases.select_related("organisation", "registrant").defer("draft", "draft_profile")
        )
    page = OPEN_FIRST.page(cases, request.GET.get("after", ""), PAGE_SIZE)
    status = HTTPStatus.OK if is_valid else HTTPStatus.BAD_REQUEST
    context = {"form": form, "page": page, "max_download": MAX_DOWNLOAD}
    return render(request, "cases/list.html", context, status=status)


def _download(request: HttpRequest, cases: CaseQuerySet) -> HttpResponse:
    """Up to MAX_DOWNLOAD cases as CSV; the header Link leads to the next file."""
    page = OPEN_FIRST.page(cases, request.GET.get("after", ""), MAX_DOWNLOAD)
    response = HttpResponse(content_type="text/csv; charset=utf-8; header=present")
    response["Content-Disposition"] = 'attachment; filename="cases.csv"'
    if page.after:
        query = request.GET.copy()
        query["after"] = page.after
        response["Link"] = f'<{request.path}?{query.urlencode()}>; rel="next"'
    rows = csv.writer(response)
    rows.writerow(COLUMNS)
    rows.writerows(_cells(case) for case in page.rows)
    return response


def _cells(case: Case) -> Iterable[str]:
    since = case.state_since.astimezone(UTC).isoformat(timespec="seconds")
    named = (case.pk, case.subject, case.state, since, case.kind, case.procedure, case.body or "")
    for cell in map(str, (*named, case.change_controller)):
        yield f"'{cell}" if cell.startswith(FORMULA_MARKS) else cell


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
        "cases": [(case, for_editor(case)) for case in edited.begun().open_first()[:PAGE_SIZE]],
        "claims": list(claim_tasks_of(user)),
        "subscribed": subscribed.open_first()[:PAGE_SIZE],
        "namespaces": Namespace.objects.run_by(user).select_related("latest", "organisation"),
        "invitations": Case.objects.open()
        .inviting(user)
        .select_related("namespace", "organisation", "registrant"),
        "transfers": transfers,
        "offered": {each.pk for each in transfers if may_answer_transfer(user, each)},
        "memberships": invitations_to(user),
        "is_administrator": RoleName.ADMINISTRATOR in user.roles,
    }
    return render(request, "cases/mine.html", context)
