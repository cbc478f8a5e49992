"""The page of a transition or another action: its effect, its form, and the button that carries it out."""

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from registry.accounts.middleware import SignedInRequest
from registry.cases import case_detail
from registry.cases.competing_cases import competing_cases_of, competing_cases_of_draft
from registry.cases.drafts import drafts
from registry.cases.findings import findings_of
from registry.cases.forms.transitions import TransitionForm, transition_form
from registry.cases.status import what_assignment_does
from registry.cases.views.detail import UNPROCESSABLE, case_page, visible_case
from registry.cases.views.drafts import get_or_post
from registry.cases.workflow.exceptions import AlreadySubmitted, ConditionNotMet, TransitionNotAllowed
from registry.cases.workflow.table import ACTION_BY_SLUG, ASSIGN, SUBMIT
from registry.core.exceptions import NotPermitted, RegistryError
from registry.registration_template.formatting import format_template


@get_or_post
def make_transition(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    """GET shows the form of an action, POST carries it out."""
    case = visible_case(request, pk)
    action = ACTION_BY_SLUG.get(name.replace("_", "-"))
    if action is None:
        raise Http404(f"There is no move “{name}”.")
    form = transition_form(action, request.POST if request.method == "POST" else None, case=case)
    try:
        action.check_allowed(request.user, case)
        if form.is_bound and not form.wants_more_rows:
            return _make(request, form)
    except (TransitionNotAllowed, ConditionNotMet) as refusal:
        case = visible_case(request, pk)
        return case_page(request, case, status=refusal.status, refusal=refusal, recovered_texts=form.typed())
    return transition_page(request, form)


def _make(request: SignedInRequest, form: TransitionForm) -> HttpResponse:
    if not form.is_valid():
        return transition_page(request, form, status=UNPROCESSABLE)
    try:
        case = form.make(by=request.user)
    except (TransitionNotAllowed, ConditionNotMet, NotPermitted):
        raise
    except AlreadySubmitted as refusal:
        messages.info(request, str(refusal))
        return redirect(form.case)
    except RegistryError as refusal:
        form.look_again(visible_case(request, form.case.pk))
        return transition_page(request, form, status=refusal.status, refusal=refusal)
    messages.success(request, form.action.success_message(case))
    return redirect(case)


def transition_page(
    request: SignedInRequest,
    form: TransitionForm,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    refusal: RegistryError | None = None,
) -> HttpResponse:
    case = form.case
    context = {"case": case, "action": form.action, "form": form, "refusal": refusal}
    context["competing_cases"] = (
        competing_cases_of_draft(case) if form.action is SUBMIT else competing_cases_of(case)
    )
    if form.action is SUBMIT:
        text = format_template(drafts.in_case(case, case.draft_template))
        context |= {"text": text, "findings": findings_of(case)}
    else:
        context["detail"] = next(iter(case_detail.rounds_of(case)), None)
    if form.action is ASSIGN:
        context["preview"] = what_assignment_does(case)
    return render(request, "cases/transition.html", context, status=status)
