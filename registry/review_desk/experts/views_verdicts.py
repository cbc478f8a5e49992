"""/desk/cases/…/verdict/…: a verdict, drafted from the notes of the expert and edited before it is given."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.actions.declarations import ConditionNotMet
from registry.actions.parameters import Text
from registry.cases.forms.actions import (
    ActionPointsForm,
    CaseActionForm,
    action_form,
    free_row,
    with_action_point,
)
from registry.cases.models import CannedText, Case
from registry.cases.queries import get_case_for
from registry.cases.workflow.declarations.definition import CaseAction, Transition
from registry.cases.workflow.declarations.parameters import MAX_ACTION_POINTS
from registry.cases.workflow.declarations.reviews import FORWARD_REPORT, VERDICTS
from registry.cases.workflow.exceptions import TransitionNotAllowed
from registry.core.exceptions import RegistryError
from registry.core.form_views import (
    get_or_post,
    is_in_background,
    lead_to,
    posted,
    process_form,
    take_action,
    with_draft_status,
    with_values,
)
from registry.core.http.request_limits import accepts_body
from registry.core.validators import BodySize
from registry.registration_template.sections import SECTION_BY_KEY
from registry.review_desk.experts import verdict_drafts
from registry.review_desk.experts.queue import next_case
from registry.review_desk.experts.review import ReviewWorkspace, workspace_for
from registry.review_desk.experts.saving import SavedElsewhere
from registry.review_desk.experts.verdict_drafts import draft_action_points, draft_report
from registry.review_desk.experts.views_review import (
    case_to_review,
    comment_again,
    refused_page,
    save_response,
)
from registry.review_desk.models import CaseAssignment, VerdictDraft


class CannedTextChoiceForm(forms.Form):
    canned = forms.ModelChoiceField(
        CannedText.objects.order_by("title"), label="Canned text", required=False, empty_label="Choose one"
    )


@accepts_body(BodySize.TEXTS)
@get_or_post
def verdict(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    """GET drafts a verdict from the notes; POST gives it, or inserts a canned text."""
    transition = VERDICTS.get(name.replace("-", "_"))
    if transition is None:
        raise Http404(f"There is no verdict “{name}”.")
    case_to_review(request.user, pk)
    case = get_case_for(transition, request.user, pk)
    if request.method == "POST" and is_in_background(request):
        return _keep_in_background(request, case, transition)
    return _verdict(request, case, transition)


@recent_sign_in_for(*VERDICTS.values())
def _verdict(request: SignedInRequest, case: Case, transition: Transition) -> HttpResponse:
    pk = case.pk
    if "discard" in request.POST:
        verdict_drafts.drop_drafts(case, by=request.user, verdict=transition.name)
        return redirect("review_desk:verdict", pk, transition.slug)
    form = action_form(transition, _with_canned_text(request, transition), case=case, by=request.user)

    def give() -> HttpResponse:
        changed = form.perform()
        verdict_drafts.drop_drafts(case, by=request.user)
        following = next_case(request.user, after=pk)
        next_text = f" Next, this is case {following.pk}." if following else " No other case waits for you."
        to = ("review_desk:review", following.pk) if following else ("review_desk:overview",)
        return lead_to(request, f"Case {pk}: {transition.success_message(changed)}{next_text}", *to)

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        if isinstance(refusal, TransitionNotAllowed | ConditionNotMet):
            again = comment_again(_as_text(*_typed(request, transition)))
            texts = form.entered_texts()
            return refused_page(request, pk, texts, refusal, refused_comment=again)
        if refusal:
            form.subject = get_case_for(transition, request.user, pk)
            form.refresh_stamps(refusal)
            refusal = form.show_refusal(refusal)
        return _verdict_page(request, form, refusal)

    def process() -> HttpResponse:
        if {"keep", "over"} & request.POST.keys():
            return _keep_and_leave(request, case, transition)
        transition.check_allowed(request.user, case)
        if "point" in request.POST and free_row(request.POST) is None:
            raise verdict_drafts.TooManyPoints
        return process_form(form, give, page) if form.is_submitted else page()

    return take_action(process, page)


def _keep_and_leave(request: SignedInRequest, case: Case, transition: Transition) -> HttpResponse:
    """Keep the text, and lead to the case, or back to the form if the kept text is to replace another one."""
    _keep_draft(request, case, transition)
    if "over" in request.POST:
        return redirect("review_desk:verdict", case.pk, transition.slug)
    saved = "Your text is saved. You find it again with the same button."
    return lead_to(request, saved, "review_desk:review", case.pk)


def _keep_draft(request: SignedInRequest, case: Case, transition: Transition) -> VerdictDraft | None:
    """Save what is in the fields, without checking whether it can be sent."""
    texts, points = _typed(request, transition)
    stamp = request.POST.get("over", request.POST.get("stamp"))
    return verdict_drafts.keep_draft(
        case, transition.name, by=request.user, texts=texts, points=points, stamp=stamp
    )


def _typed(request: SignedInRequest, transition: CaseAction) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The texts and the action points in the fields."""
    names = [each.field_name for each in transition.parameters if isinstance(each, Text)]
    rows = [
        {name: request.POST.get(f"points-{row}-{name}", "") for name in ("section", "text")}
        for row in range(MAX_ACTION_POINTS)
    ]
    return {name: request.POST.get(name, "") for name in names}, [row for row in rows if any(row.values())]


def _conflict(
    request: SignedInRequest, transition: CaseAction, refusal: RegistryError | None
) -> dict[str, Any] | None:
    """The saved text and that of the page."""
    if not isinstance(refusal, SavedElsewhere):
        return None
    saved = _as_text(refusal.saved.texts, refusal.saved.points) if refusal.saved else ""
    return {
        "title": "You changed this text in another window",
        "differences": [("", saved, _as_text(*_typed(request, transition)))],
        "stamp": refusal.stamp,
        "form": "verdict",
        "address": request.path,
    }


def _as_text(texts: Mapping[str, str], points: Sequence[Mapping[str, str]]) -> str:
    """A draft as one text, with a line for each action point."""
    lines = [f"{_title_of(point['section'])}: {point['text']}" for point in points]
    return "\n".join([*filter(None, texts.values()), *lines])


def _title_of(section: str) -> str:
    return SECTION_BY_KEY[section].title if section in SECTION_BY_KEY else "No section"


def _keep_in_background(request: SignedInRequest, case: Case, transition: Transition) -> HttpResponse:
    def keep() -> HttpResponse:
        stamp = verdict_drafts.stamp_of(_keep_draft(request, case, transition))
        return save_response(request, saved_at=timezone.now(), stamp=stamp, is_verdict=True)

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        return save_response(request, trouble=refusal, conflict=_conflict(request, transition, refusal))

    return with_draft_status(take_action(keep, page))


def _with_canned_text(request: SignedInRequest, transition: Transition) -> QueryDict | None:
    """The submitted fields; the button “insert” appends the chosen canned text to the text, and “point” makes it, or a
    finding, an action point.
    """
    choice = CannedTextChoiceForm(request.POST)
    section, is_finding, text = request.POST.get("point", "").partition("|")
    if is_finding:
        return with_action_point(request.POST, section, text)
    if (
        not {"insert", "point"} & request.POST.keys()
        or not choice.is_valid()
        or choice.cleaned_data["canned"] is None
    ):
        return posted(request)
    if "point" in request.POST:
        return with_action_point(request.POST, "", choice.cleaned_data["canned"].text)
    field = _text_field(transition)
    written = request.POST.get(field, "").rstrip()
    text = choice.cleaned_data["canned"].text
    return with_values(request.POST, **{field: f"{written}\n\n{text}" if written else text})


def _text_field(transition: CaseAction) -> str:
    """The name of the first text; "" if there is none."""
    return next((each.field_name for each in transition.parameters if isinstance(each, Text)), "")


def _draft(form: CaseActionForm, workspace: ReviewWorkspace, kept: VerdictDraft | None) -> None:
    """Fill in what the expert wrote earlier, or else the report or the action points from the case and the notes."""
    if form.action is FORWARD_REPORT:
        form.initial["report"] = draft_report(form.case, workspace)
    if kept:
        form.initial |= kept.texts
    if isinstance(form, ActionPointsForm):
        form.set_action_points(kept.points if kept else draft_action_points(workspace))


def _verdict_page(
    request: SignedInRequest, form: CaseActionForm, refusal: RegistryError | None
) -> HttpResponse:
    workspace = workspace_for(form.case, request.user)
    kept = verdict_drafts.draft_of(form.case, form.action.name, request.user)
    if not form.is_bound:
        _draft(form, workspace, kept)
    context = {
        "case": form.case,
        "transition": form.action,
        "form": form,
        "workspace": workspace,
        "choice": CannedTextChoiceForm(),
        "text_field": _text_field(form.action),
        "kept": None if form.is_bound else kept,
        "assignment": CaseAssignment.objects.current_of(form.case).exclude(person=request.user).first(),
        "refusal": refusal,
        "stamp": request.POST.get("stamp", "") if form.is_bound else verdict_drafts.stamp_of(kept),
        "conflict": _conflict(request, form.action, refusal),
    }
    return render(request, "review_desk/experts/verdict.html", context)
