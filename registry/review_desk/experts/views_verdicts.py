"""/desk/cases/…/verdict/…: an answer, drafted from what was noted, and edited before it goes."""

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from registry.accounts.middleware import SignedInRequest
from registry.cases.forms.begin import with_values
from registry.cases.forms.transitions import ActionPointsForm, TransitionForm, transition_form
from registry.cases.views.detail import get_or_post
from registry.cases.workflow.definition import Transition
from registry.cases.workflow.exceptions import ConditionNotMet, TransitionNotAllowed
from registry.cases.workflow.table import DECLINE, FORWARD_REPORT
from registry.core.exceptions import NotPermitted, RegistryError
from registry.review_desk.experts.forms import CannedTextChoiceForm
from registry.review_desk.experts.report import draft_action_points, draft_report
from registry.review_desk.experts.review import ReviewWorkspace, workspace_for
from registry.review_desk.experts.views_review import VERDICTS, case_to_review, review_page

TEXT_FIELDS = {DECLINE: "reason", FORWARD_REPORT: "report"}


@get_or_post
def verdict(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    """GET drafts the answer; POST gives it, through the action of its name, or puts a canned text in."""
    case = case_to_review(request, pk)
    transition = next((each for each in VERDICTS if each.slug == name.replace("_", "-")), None)
    if transition is None:
        raise Http404(f"There is no verdict “{name}”.")
    posted = _with_canned_text(request, transition) if request.method == "POST" else None
    form = transition_form(transition, posted, case=case)
    workspace = workspace_for(case, request.user)
    try:
        transition.check_allowed(request.user, case)
        if form.is_bound and not form.wants_more_rows and "insert" not in request.POST:
            return _submit(request, transition, form, workspace)
    except (TransitionNotAllowed, ConditionNotMet) as refusal:
        again = case_to_review(request, pk)
        return review_page(
            request, again, status=refusal.status, refusal=refusal, recovered_texts=list(form.typed())
        )
    if not form.is_bound:
        _draft(form, workspace)
    return _page(request, transition, form, workspace)


def _with_canned_text(request: SignedInRequest, transition: Transition) -> object:
    """What was posted, with the chosen canned text below it if that was asked for."""
    choice = CannedTextChoiceForm(request.POST)
    if "insert" not in request.POST or not choice.is_valid() or choice.cleaned_data["canned"] is None:
        return request.POST
    field = _text_field(transition)
    written = request.POST.get(field, "").rstrip()
    text = choice.cleaned_data["canned"].text
    return with_values(request.POST, **{field: f"{written}\n\n{text}" if written else text})


def _text_field(transition: Transition) -> str:
    return TEXT_FIELDS.get(transition, "rationale")


def _draft(form: TransitionForm, workspace: ReviewWorkspace) -> None:
    """Begin with what the case and the notes say."""
    if form.action is FORWARD_REPORT:
        form.initial["report"] = draft_report(form.case, workspace)
    if isinstance(form, ActionPointsForm):
        form.begin_with(draft_action_points(workspace))


def _submit(
    request: SignedInRequest, transition: Transition, form: TransitionForm, workspace: ReviewWorkspace
) -> HttpResponse:
    if not form.is_valid():
        return _page(request, transition, form, workspace, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        case = form.make(by=request.user)
    except (TransitionNotAllowed, ConditionNotMet, NotPermitted):
        raise
    except RegistryError as refusal:
        case = case_to_review(request, form.case.pk)
        form.look_again(case)
        return _page(
            request,
            transition,
            form,
            workspace_for(case, request.user),
            status=refusal.status,
            refusal=refusal,
        )
    messages.success(request, f"Case {case.pk}: {transition.success_message(case)}")
    return redirect("review_desk:overview")


def _page(
    request: SignedInRequest,
    transition: Transition,
    form: TransitionForm,
    workspace: ReviewWorkspace,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    refusal: RegistryError | None = None,
) -> HttpResponse:
    context = {
        "case": form.case,
        "transition": transition,
        "form": form,
        "workspace": workspace,
        "choice": CannedTextChoiceForm(),
        "text_field": _text_field(transition),
        "refusal": refusal,
    }
    return render(request, "review_desk/experts/verdict.html", context, status=status)
