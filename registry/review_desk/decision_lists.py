"""Pages that list the cases waiting for a role, each with the forms of the transitions that the role can make."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render, resolve_url

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName
from registry.cases.forms.transitions import TransitionForm, transition_form
from registry.cases.models import Case
from registry.cases.views.detail import visible_case
from registry.cases.workflow.definition import Transition
from registry.core.exceptions import RegistryError
from registry.core.form_views import process_form
from registry.core.pagination import Keyset, Page
from registry.review_desk.permissions import check_has_role

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


def make_transition_from(
    decision_list: DecisionList, transition: Transition, request: SignedInRequest, pk: int
) -> HttpResponse:
    """Make a transition and return to the list; errors are shown beside the case."""
    check_has_role(request.user, decision_list.role)
    form = _transition_form(transition, visible_case(request, pk), request.POST)

    def make() -> HttpResponse:
        case = form.make(by=request.user)
        messages.success(request, f"Case {case.pk}, {case.subject}: {transition.success_message(case)}")
        query = request.GET.urlencode()
        return redirect(resolve_url(decision_list.view) + (f"?{query}" if query else ""))

    def page(*, status: HTTPStatus = HTTPStatus.OK, refusal: RegistryError | None = None) -> HttpResponse:
        if refusal:
            form.look_again(visible_case(request, pk))
        return decision_page(request, decision_list, FailedDecision(form, refusal), status=status)

    return process_form(form, make, page)


def _transition_form(transition: Transition, case: Case, posted: QueryDict | None = None) -> TransitionForm:
    return transition_form(transition, posted, case=case, auto_id=f"id_{case.pk}_{transition.name}_%s")


def decision_page(
    request: SignedInRequest,
    decision_list: DecisionList,
    failed: FailedDecision | None = None,
    *,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    """One page of the list; `failed` is shown beside its case, or above the list if the case is not on the page."""
    check_has_role(request.user, decision_list.role)
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
