"""/desk/cases/…: the page on which an expert goes through a round, and what they do there."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.cases import permissions
from registry.cases.competing_cases import competing_cases_of
from registry.cases.deadlines import deadline_of, shares_of
from registry.cases.discussion import comments
from registry.cases.history import record_of
from registry.cases.models import Case
from registry.cases.status import status_of
from registry.cases.views.detail import get_or_post, visible_case
from registry.cases.workflow import dismissals
from registry.cases.workflow.action_table import (
    ANTICIPATE_STANDARDS_ACTION,
    DISMISS_FINDING,
    RECUSE,
    REQUIRE_TWO_EXPERTS,
)
from registry.cases.workflow.table import (
    ADVISE,
    APPROVE,
    DECLINE,
    FORWARD_REPORT,
    REQUEST_CHANGES,
    transitions_allowed_for,
)
from registry.core.exceptions import NotPermitted, RegistryError
from registry.registration_template.sections import SECTION_BY_KEY
from registry.review_desk.experts import actions
from registry.review_desk.experts.checklist import questions_in_section
from registry.review_desk.experts.forms import HandOverForm
from registry.review_desk.experts.queue import claims_on, current_absences
from registry.review_desk.experts.review import workspace_for
from registry.review_desk.models import Claim

VERDICTS = (REQUEST_CHANGES, APPROVE, FORWARD_REPORT, ADVISE, DECLINE)
EXPERT_ACTIONS = (ANTICIPATE_STANDARDS_ACTION, REQUIRE_TWO_EXPERTS, RECUSE)


def case_to_review(request: SignedInRequest, pk: int) -> Case:
    """A submitted case in which `request.user` is expert, or leads the experts; else NotPermitted."""
    case = visible_case(request, pk)
    if not case.is_public or not (
        permissions.is_expert(request.user, case) or actions.may_reassign(request.user, case)
    ):
        raise NotPermitted(f"Case {pk} is not one that you review.")
    return case


@require_safe
def review(request: SignedInRequest, pk: int) -> HttpResponse:
    """The template on one side; findings, checklist, points and difference beside it."""
    return review_page(request, case_to_review(request, pk))


def review_page(
    request: SignedInRequest, case: Case, *, status: HTTPStatus = HTTPStatus.OK, **more: Any
) -> HttpResponse:
    user = request.user
    record = record_of(case)
    claim = claims_on([case]).first()
    is_expert = permissions.is_expert(user, case)
    context = {
        "case": case,
        "workspace": workspace_for(case, user),
        "status": status_of(case, record),
        "deadline": deadline_of(case),
        "shares": shares_of(record),
        "claim": claim,
        "absence": current_absences([claim.person_id]).get(claim.person_id) if claim else None,
        "may_hand_over": case.is_open and _may_hand_over(request, case, claim),
        "is_expert": is_expert,
        "may_dismiss_finding": DISMISS_FINDING.is_allowed_for(user, case),
        "why_closed": comments.why_closed(case),
        "competing_cases": competing_cases_of(case),
        "verdicts": [each for each in transitions_allowed_for(user, case) if each in VERDICTS],
        "actions": [each for each in EXPERT_ACTIONS if each.is_allowed_for(user, case)],
    }
    return render(request, "review_desk/experts/review.html", context | more, status=status)


def _may_hand_over(request: SignedInRequest, case: Case, claim: Claim | None) -> bool:
    is_holder = claim is not None and claim.person_id == request.user.pk
    return is_holder or actions.may_reassign(request.user, case)


@require_POST
def claim(request: SignedInRequest, pk: int) -> HttpResponse:
    case = case_to_review(request, pk)
    return _run_action(
        request, case, lambda: actions.claim_case(case, by=request.user), "You have taken this case."
    )


@require_POST
def release(request: SignedInRequest, pk: int) -> HttpResponse:
    case = case_to_review(request, pk)
    return _run_action(
        request, case, lambda: actions.release_case(case, by=request.user), "The case is given back."
    )


@get_or_post
def hand_over(request: SignedInRequest, pk: int) -> HttpResponse:
    case = case_to_review(request, pk)
    claim = claims_on([case]).first()
    if not case.is_open or not _may_hand_over(request, case, claim):
        raise NotPermitted("You can hand over only what you hold.")
    form = HandOverForm(request.POST or None, case=case, holder=claim.person if claim else None)
    if request.method == "POST" and form.is_valid():
        to = form.cleaned_data["to"]
        return _run_action(
            request,
            case,
            lambda: actions.hand_over_case(case, by=request.user, to=to),
            f"{to} has the case now.",
        )
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    context = {"case": case, "form": form, "claim": claim}
    return render(request, "review_desk/experts/hand_over.html", context, status=status)


@require_POST
def comment(request: SignedInRequest, pk: int) -> HttpResponse:
    """A comment on a section, where it stands."""
    case = case_to_review(request, pk)
    section, text = _section(request), request.POST.get("text", "")

    def keep() -> None:
        comments.comment(
            case, by=request.user, round_number=_round_number(request), text=text, section=section
        )

    return _run_action(
        request, case, keep, "Your comment is published. Subscribers are notified.", section,
        recovered_texts=[("Comment", text)] if text else [],
    )  # fmt: skip


@require_POST
def dismiss_finding(request: SignedInRequest, pk: int) -> HttpResponse:
    case = case_to_review(request, pk)
    section, reason = _section(request), request.POST.get("reason", "")

    def keep() -> None:
        dismissals.dismiss_finding(
            case,
            by=request.user,
            round_number=_round_number(request),
            section=section,
            code=request.POST.get("code", ""),
            reason=reason,
        )

    recovered_texts = [("Reason", reason)] if reason else []
    return _run_action(
        request, case, keep, "The finding was dismissed.", section, recovered_texts=recovered_texts
    )


@require_POST
def checklist(request: SignedInRequest, pk: int) -> HttpResponse:
    """Keep the ticks and notes of one section."""
    case = case_to_review(request, pk)
    section = _section(request)
    marks = {
        each.key: actions.Mark(f"tick-{each.key}" in request.POST, request.POST.get(f"note-{each.key}", ""))
        for each in questions_in_section(section)
    }

    def keep() -> None:
        actions.save_marks(case, by=request.user, round_number=_round_number(request), marks=marks)

    recovered_texts = [
        (each.text, marks[each.key].note) for each in questions_in_section(section) if marks[each.key].note
    ]
    return _run_action(
        request, case, keep, "Your ticks and notes were saved.", section, recovered_texts=recovered_texts
    )


def _section(request: SignedInRequest) -> str:
    section = request.POST.get("section", "")
    return section if section in SECTION_BY_KEY else ""


def _round_number(request: SignedInRequest) -> int:
    """The round that was looked at; 0, which no round has, where the page was not ours."""
    number = request.POST.get("round_number", "")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0


def _run_action(
    request: SignedInRequest,
    case: Case,
    act: Callable[[], object],
    said: str,
    section: str = "",
    *,
    recovered_texts: list[tuple[str, str]] | None = None,
) -> HttpResponse:
    """Do it and come back to the place; a refusal comes with the page, and with what was written."""
    try:
        act()
    except NotPermitted:
        raise
    except RegistryError as refusal:
        again = case_to_review(request, case.pk)
        return review_page(
            request, again, status=refusal.status, refusal=refusal, recovered_texts=recovered_texts or []
        )
    messages.success(request, said)
    came_from_queue = request.POST.get("next") == "desk"
    back = (
        reverse("review_desk:overview") if came_from_queue else reverse("review_desk:review", args=[case.pk])
    )
    return redirect(f"{back}#section-{section}" if section else back)
