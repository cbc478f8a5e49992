"""Pages that list the cases in which a role must act, with the forms of its transitions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import render, resolve_url

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName, User
from registry.cases.forms.actions import CaseActionForm, action_form
from registry.cases.models import Case
from registry.cases.queries import get_case_for
from registry.cases.workflow.declarations.definition import Transition
from registry.core.exceptions import RegistryError
from registry.core.form_views import lead_to, process_form
from registry.core.pagination import Keyset, Page
from registry.review_desk.permissions import check_has_role

PAGE_SIZE = 20
LONGEST_WAITING = Keyset("state_since", "pk")


@dataclass(frozen=True, slots=True)
class DecisionList:
    """A page of cases in which one role must act, and its transitions."""

    role: RoleName
    view: str
    template: str
    transitions: tuple[Transition, ...]
    rows: Callable[[Sequence[Case]], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class FailedDecision:
    """A transition that failed: the submitted form and the reason."""

    form: CaseActionForm
    refusal: RegistryError


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A case on the page with its forms, by the name of the transition, and its failed decision."""

    item: Any
    forms: dict[str, CaseActionForm]
    failed: FailedDecision | None


def perform_transition_from(
    decision_list: DecisionList, transition: Transition, request: SignedInRequest, pk: int
) -> HttpResponse:
    """Carry out a transition and return to the list. Errors are shown with the case."""
    check_has_role(request.user, decision_list.role)
    case = get_case_for(transition, request.user, pk)
    form = _decision_form(transition, case, request.POST, by=request.user)

    def perform() -> HttpResponse:
        case = form.perform()
        done = f"Case {case.pk}, {case.subject}: {transition.success_message(case)}"
        query = request.GET.urlencode()
        return lead_to(request, done, resolve_url(decision_list.view) + (f"?{query}" if query else ""))

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        if refusal is None:
            return decision_page(request, decision_list)
        form.subject = get_case_for(transition, request.user, pk)
        form.refresh_stamps(refusal)
        return decision_page(request, decision_list, FailedDecision(form, form.show_refusal(refusal)))

    return process_form(form, perform, page)


def _decision_form(
    transition: Transition, case: Case, posted: QueryDict | None = None, *, by: User
) -> CaseActionForm:
    auto_id = f"id_{case.pk}_{transition.name}_%s"
    return action_form(transition, posted, case=case, by=by, auto_id=auto_id)


def decision_page(
    request: SignedInRequest, decision_list: DecisionList, failed: FailedDecision | None = None
) -> HttpResponse:
    """One page of the list. `failed` is shown with its case, or above the list if the case is not on the page."""
    check_has_role(request.user, decision_list.role)
    page = _cases(request, decision_list.role)
    rows = [_row(item, decision_list, failed, by=request.user) for item in decision_list.rows(page.rows)]
    is_shown = failed is None or any(row.failed for row in rows)
    context = {"rows": rows, "page": page, "stale_decision": None if is_shown else failed}
    context["query"] = request.GET.urlencode()
    return render(request, decision_list.template, context)


def _cases(request: SignedInRequest, role: RoleName) -> Page[Case]:
    waiting = Case.objects.public().waiting_for(role, request.user)
    cases = waiting.select_related(
        "namespace__latest", "namespace__profile", "organisation", "registrant", "body"
    )
    return LONGEST_WAITING.page(cases, request.GET.get("after", ""), PAGE_SIZE)


def _row(item: Any, decision_list: DecisionList, failed: FailedDecision | None, *, by: User) -> DecisionRow:
    case = item.case
    if failed is not None and failed.form.case.pk != case.pk:
        failed = None
    forms = {
        transition.name: _decision_form(transition, case, by=by)
        for transition in decision_list.transitions
        if transition.is_open(case)
    }
    if failed is not None:
        forms[failed.form.action.name] = failed.form
    return DecisionRow(item, forms, failed)
