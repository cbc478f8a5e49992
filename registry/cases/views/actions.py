"""The page of a transition or another action: its effect, its form, and the button that carries it out."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.actions.declarations import ConditionNotMet
from registry.cases import case_detail
from registry.cases.competing_cases import competing_cases_of, competing_cases_of_draft
from registry.cases.drafts import drafts
from registry.cases.drafts.history import (
    changes_to_registered,
    compare_texts,
    revised_version,
    texts_to_change,
)
from registry.cases.drafts.replies import open_points_of
from registry.cases.findings import current_profile, findings_of
from registry.cases.forms.actions import CaseActionForm, action_form
from registry.cases.forms.drafts import REGISTRANT_FIELDS
from registry.cases.models import Case
from registry.cases.next_steps import after_submission
from registry.cases.permissions import may_see
from registry.cases.queries import get_case_for
from registry.cases.status import what_assignment_does
from registry.cases.views.detail import refused_page
from registry.cases.workflow.declarations.transitions import ACTION_BY_SLUG, ASSIGN, SUBMIT
from registry.cases.workflow.exceptions import AlreadySubmitted, NothingChanged, TransitionNotAllowed
from registry.cases.workflow.functions.people import not_dismissed
from registry.cases.workflow.functions.submission import check_changed
from registry.core.exceptions import RegistryError
from registry.core.form_views import get_or_post, lead_to, posted, process_form, take_action
from registry.core.http.request_limits import accepts_body
from registry.core.validators import BodySize
from registry.namespaces.models import Kind
from registry.namespaces.proposals.applying import completed
from registry.registration_template.formatting import format_template


def _is_ordinary(pk: int, name: str) -> bool:
    """Whether the action needs no recent sign-in, like most of the registrant and co-editors."""
    action = ACTION_BY_SLUG.get(name.replace("_", "-"))
    return action is None or not action.gravity.asks_for_sign_in


@accepts_body(BodySize.TEXTS)
@get_or_post
@recent_sign_in_for(*ACTION_BY_SLUG.values(), unless=_is_ordinary)
def perform_action(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    """GET shows the form of an action, POST carries it out."""
    action = ACTION_BY_SLUG.get(name.replace("_", "-"))
    if action is None:
        raise Http404(f"There is no action “{name}”.")
    case = get_case_for(action, request.user, pk)
    form = action_form(action, posted(request), case=case, by=request.user)

    def perform() -> HttpResponse:
        changed = form.perform()
        to = changed if may_see(request.user, changed) else "cases:mine"
        return lead_to(request, action.success_message(changed), to)

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        if isinstance(refusal, TransitionNotAllowed | ConditionNotMet | AlreadySubmitted | NothingChanged):
            return refused_page(request, pk, form.entered_texts(), refusal)
        if refusal:
            form.subject = get_case_for(action, request.user, pk)
            form.refresh_stamps(refusal)
            refusal = form.show_refusal(refusal)
        return action_page(request, form, refusal)

    def process() -> HttpResponse:
        action.check_allowed(request.user, case)
        if action is SUBMIT and not form.is_submitted:
            check_changed(case, drafts.complete_template(case, case.draft_template))
        return process_form(form, perform, page) if form.is_submitted else page()

    return take_action(process, page)


def action_page(
    request: SignedInRequest, form: CaseActionForm, refusal: RegistryError | None
) -> HttpResponse:
    case, template = form.case, "cases/transition.html"
    context = {"case": case, "action": form.action, "form": form, "refusal": refusal}
    if form.action is SUBMIT:
        template = "cases/submit.html"
        context |= _before_submission(case)
    else:
        seen = may_see(request.user, case)
        context |= {"competing_cases": competing_cases_of(case), "may_see_case": seen}
        context["detail"] = detail = next(iter(case_detail.rounds_of(case)), None)
        context["revision_changes"] = detail and changes_to_registered(case, detail.round)
    if form.action is ASSIGN:
        context["preview"] = what_assignment_does(case)
    return render(request, template, context)


def _before_submission(case: Case) -> dict[str, Any]:
    """What becomes public with the next round, what is agreed to, and what happens next."""
    template = drafts.complete_template(case, case.draft_template)
    earlier, proposed = texts_to_change(case), case.proposed_profile
    if not case.latest_round:  # what a revision does not state stays as it is
        proposed = completed(proposed, current_profile(case))
    return {
        "changes": earlier and compare_texts(earlier, (template, proposed)),
        "revised": None if case.latest_round else revised_version(case),
        "text": format_template(template),
        "findings": not_dismissed(case, template, findings_of(case)),
        "competing_cases": competing_cases_of_draft(case),
        "round_number": case.latest_round_number + 1,
        "points": len(open_points_of(case)),
        "personal_data": [
            (how["label"], value)
            for name, how in REGISTRANT_FIELDS.items()
            if name != "organization" and (value := getattr(template.registrant, name))
        ],
        "is_unnumbered": case.kind == Kind.INFORMAL and not case.is_revision,
        "co_editors": case.co_editors.select_related("user"),
        "after_submission": list(after_submission(case)),
    }
