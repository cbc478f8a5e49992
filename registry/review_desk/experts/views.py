"""The experts' pages below /desk/ that are not about one verdict: absences, canned texts, and the ticks and notes of
the checklist.
"""

from functools import partial
from typing import Any

from django.contrib import messages
from django.forms import model_to_dict
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.actions.forms import ActionForm
from registry.actions.pages import action_page
from registry.cases.canned_texts import ADD_CANNED_TEXT, CHANGE_CANNED_TEXT, REMOVE_CANNED_TEXT
from registry.cases.models import CannedText, Case
from registry.core.exceptions import RegistryError
from registry.core.form_views import is_in_background, lead_to, take_action, with_draft_status
from registry.core.http.request_limits import accepts_body
from registry.core.validators import BodySize
from registry.review_desk.experts import verdict_drafts
from registry.review_desk.experts.actions import ADD_ABSENCE, remove_absence
from registry.review_desk.experts.checklist import CHECKLIST, questions_in_section
from registry.review_desk.experts.marks import Mark, OwnMarks, save_marks
from registry.review_desk.experts.review import workspace_for
from registry.review_desk.experts.saving import SavedElsewhere
from registry.review_desk.experts.verdict_drafts import draft_action_points
from registry.review_desk.experts.views_review import (
    case_to_review,
    refused_page,
    review_page,
    round_number_of,
    save_response,
    section_of,
)
from registry.review_desk.models import Absence
from registry.review_desk.permissions import check_has_role


def _own_account(user: User) -> User:
    return user


def _show_absences(request: SignedInRequest, form: ActionForm) -> dict[str, Any]:
    """The absences of the user and of others."""
    upcoming = Absence.objects.from_day(timezone.now().date()).select_related("person")
    return {
        "own": upcoming.filter(person=request.user),
        "others": upcoming.exclude(person=request.user)[:100],
    }


absences = action_page(
    ADD_ABSENCE,
    _own_account,
    template="review_desk/experts/absences.html",
    show=_show_absences,
    to=lambda _: reverse("review_desk:absences"),
)


@require_POST
def end_absence(request: SignedInRequest, pk: int) -> HttpResponse:
    check_has_role(request.user)
    remove_absence(get_object_or_404(Absence, pk=pk), by=request.user)
    return lead_to(request, "The absence was removed.", "review_desk:absences")


@require_safe
def canned_texts(request: SignedInRequest) -> HttpResponse:
    ADD_CANNED_TEXT.check_permission(request.user, request.user)
    context = {"texts": CannedText.objects.select_related("changed_by"), "remove": REMOVE_CANNED_TEXT}
    return render(request, "review_desk/experts/canned_texts.html", context)


def _canned_text(user: User, pk: int) -> CannedText:
    return get_object_or_404(CannedText, pk=pk)


_page_of_text = partial(
    action_page,
    template="review_desk/experts/canned_text.html",
    to=lambda _: reverse("review_desk:canned_texts"),
)
new_canned_text = _page_of_text(ADD_CANNED_TEXT, _own_account)
canned_text = _page_of_text(
    CHANGE_CANNED_TEXT, _canned_text, initial=partial(model_to_dict, fields=("title", "text"))
)
remove_canned_text = _page_of_text(REMOVE_CANNED_TEXT, _canned_text)


@accepts_body(BodySize.TEXTS)
@require_POST
def checklist(request: SignedInRequest, pk: int) -> HttpResponse:
    """Save the ticks and notes of the whole page."""
    case = case_to_review(request.user, pk)
    typed = _marks_of(request)
    stamp = request.POST.get("over", request.POST.get("stamp", ""))

    def save() -> HttpResponse:
        number = round_number_of(request)
        saved = save_marks(case, by=request.user, round_number=number, marks=typed, stamp=stamp)
        if is_in_background(request):
            return _saved_response(request, case, saved, saved_at=timezone.now())
        section = section_of(request)
        to = resolve_url("review_desk:review", pk) + (f"#section-{section}" if section else "")
        if saved.newer_round:
            messages.warning(
                request,
                f"Your ticks and notes were saved for round {number}. This page shows round {saved.newer_round}, "
                "which has been submitted since then.",
            )
            return redirect(to)
        return lead_to(request, "Your ticks and notes were saved.", to)

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        conflict = _conflict(case, refusal, typed)
        if is_in_background(request):
            return save_response(request, trouble=refusal, conflict=conflict)
        if conflict:
            return review_page(request, case, typed=typed, refusal=refusal, conflict=conflict)
        notes = [(each.text, typed[each.key].note) for each in CHECKLIST]
        return refused_page(request, pk, notes, refusal)

    response = take_action(save, page)
    return with_draft_status(response) if is_in_background(request) else response


@accepts_body(BodySize.TEXTS)
@require_POST
def add_point(request: SignedInRequest, pk: int) -> HttpResponse:
    """Make a finding an action point in the draft of a request for changes."""
    case = case_to_review(request.user, pk)
    section, text = section_of(request), request.POST.get("text", "")

    def add() -> HttpResponse:
        first = draft_action_points(workspace_for(case, request.user))
        count = verdict_drafts.add_point(case, by=request.user, section=section, text=text, first=first)
        points = f"{count} action point{'s' if count > 1 else ''}"
        added = f"Added. Your draft of “Request changes” has {points}."
        return lead_to(request, added, "review_desk:review", pk)

    return take_action(add, partial(refused_page, request, pk, [("Action point", text)]))


def _marks_of(request: SignedInRequest) -> dict[str, Mark]:
    posted = request.POST
    return {
        each.key: Mark(f"tick-{each.key}" in posted, posted.get(f"note-{each.key}", "")) for each in CHECKLIST
    }


def _conflict(case: Case, refusal: RegistryError | None, typed: dict[str, Mark]) -> dict[str, Any] | None:
    """How what was typed differs from what is saved."""
    if not isinstance(refusal, SavedElsewhere):
        return None
    differences = [
        (f"{each.text} ({each.reference})", str(saved), str(typed[each.key]))
        for each in CHECKLIST
        if (saved := refusal.saved.get(each.key, Mark())) != typed[each.key]
    ]
    return {
        "title": "You changed your ticks and notes in another window",
        "differences": differences,
        "stamp": refusal.stamp,
        "form": "checklist",
        "address": resolve_url("review_desk:review", case.pk),
    }


def _saved_response(request: SignedInRequest, case: Case, saved: OwnMarks, **outcome: Any) -> HttpResponse:
    ticked = {key for key, mark in saved.marks.items() if mark.is_ticked}
    sections = dict.fromkeys(question.section for question in CHECKLIST)
    counts = [
        (key, sum(each.key in ticked for each in questions_in_section(key)), len(questions_in_section(key)))
        for key in sections
    ]
    context = {"case": case, "stamp": saved.stamp, "counts": counts, "ticked": len(ticked)}
    context |= {"questions": len(CHECKLIST), "newer_round": saved.newer_round}
    context |= {"round_number": round_number_of(request)}
    return save_response(request, **context, **outcome)
