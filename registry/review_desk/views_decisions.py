"""The desks of the administrators and of the liaison: what waits there, and the transitions that end the waiting."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName, User
from registry.cases.forms.transitions import TransitionForm, transition_form
from registry.cases.models import Case
from registry.cases.views.detail import UNPROCESSABLE, visible_case
from registry.cases.workflow.definition import Transition
from registry.cases.workflow.table import ASSIGN, DIRECT, RECOGNISE, REFUSE_RECOGNITION, RETURN_TO_REGISTRANT
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.pagination import Keyset, Page
from registry.review_desk.administrators.assignments import pending_assignments
from registry.review_desk.liaison.approval_requests import approval_requests_for

PAGE_SIZE = 20
LONGEST_WAITING = Keyset("state_since", "pk")


@dataclass(frozen=True, slots=True)
class DecisionList:
    """A page of cases that wait for one role, and the transitions that are made from there."""

    role: RoleName
    view: str
    template: str
    transitions: tuple[Transition, ...]
    rows: Callable[[Sequence[Case]], Sequence[Any]]


ASSIGNMENT_LIST = DecisionList(
    RoleName.ADMINISTRATOR,
    "review_desk:assignments",
    "review_desk/administrators/assignments.html",
    (ASSIGN, RETURN_TO_REGISTRANT),
    pending_assignments,
)
APPROVAL_REQUEST_LIST = DecisionList(
    RoleName.LIAISON,
    "review_desk:approval_requests",
    "review_desk/liaison/approval_requests.html",
    (DIRECT, RECOGNISE, REFUSE_RECOGNITION),
    approval_requests_for,
)
DECISION_BY_SLUG = {
    transition.slug: (transition, decision_list)
    for decision_list in (ASSIGNMENT_LIST, APPROVAL_REQUEST_LIST)
    for transition in decision_list.transitions
}


@dataclass(frozen=True, slots=True)
class FailedDecision:
    """A transition that was not made: the form as it was sent, and the refusal, unless the form itself is at fault."""

    form: TransitionForm
    refusal: RegistryError | None = None


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A case of the page with its forms, by the name of the transition, and the decision that failed there."""

    item: Any
    forms: dict[str, TransitionForm]
    failed: FailedDecision | None


def check_has_any_role(user: User, *roles: RoleName) -> None:
    """Raise NotPermitted unless `user` holds one of the roles."""
    if not user.roles.intersection(roles):
        raise NotPermitted(
            "This desk belongs to others: " + ", ".join(f"the {role.label}s" for role in roles)
        )


@require_safe
def assignments(request: SignedInRequest) -> HttpResponse:
    """Approved cases, the longest waiting first."""
    return _decision_page(request, ASSIGNMENT_LIST)


@require_safe
def approval_requests(request: SignedInRequest) -> HttpResponse:
    """What the approval body is asked, the longest waiting first."""
    return _decision_page(request, APPROVAL_REQUEST_LIST)


@require_POST
def make_transition(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    """Make a transition from the desk, and come back to it; whatever is refused is said at the case."""
    slug = name.replace("_", "-")
    if slug not in DECISION_BY_SLUG:
        raise Http404(f"“{name}” is not done from the desk.")
    transition, decision_list = DECISION_BY_SLUG[slug]
    check_has_any_role(request.user, decision_list.role)
    case = visible_case(request, pk)
    form = _transition_form(transition, case, request.POST)
    if not form.is_valid():
        return _decision_page(request, decision_list, FailedDecision(form), status=UNPROCESSABLE)
    try:
        moved = form.make(by=request.user)
    except NotPermitted:
        raise
    except RegistryError as refusal:
        form.look_again(visible_case(request, pk))
        return _decision_page(request, decision_list, FailedDecision(form, refusal), status=refusal.status)
    messages.success(request, f"Case {moved.pk}, {moved.subject}: {transition.success_message(moved)}")
    asked = request.GET.urlencode()
    return redirect(resolve_url(decision_list.view) + (f"?{asked}" if asked else ""))


def _transition_form(transition: Transition, case: Case, posted: QueryDict | None = None) -> TransitionForm:
    return transition_form(transition, posted, case=case, auto_id=f"id_{case.pk}_{transition.name}_%s")


def _decision_page(
    request: SignedInRequest,
    decision_list: DecisionList,
    failed: FailedDecision | None = None,
    *,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    check_has_any_role(request.user, decision_list.role)
    page = _cases(request, decision_list.role)
    rows = [_row(item, decision_list, failed) for item in decision_list.rows(page.rows)]
    is_shown = failed is None or any(row.failed for row in rows)
    context = {"rows": rows, "page": page, "stale_decision": None if is_shown else failed}
    context["query"] = request.GET.urlencode()
    return render(request, decision_list.template, context, status=status)


def _cases(request: SignedInRequest, role: RoleName) -> Page[Case]:
    waiting = Case.objects.public().waiting_for(role, request.user)
    cases = waiting.select_related("namespace__latest", "registrant", "body")
    return LONGEST_WAITING.page(cases, request.GET.get("after", ""), PAGE_SIZE)


def _row(item: Any, decision_list: DecisionList, failed: FailedDecision | None) -> DecisionRow:
    case = item.case
    if failed is not None and failed.form.case.pk != case.pk:
        failed = None
    forms = {
        transition.name: _transition_form(transition, case)
        for transition in decision_list.transitions
        if transition.is_open(case)
    }
    if failed is not None:
        forms[failed.form.action.name] = failed.form
    return DecisionRow(item, forms, failed)
