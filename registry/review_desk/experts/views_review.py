"""/desk/cases/…: the review page of a case, and the actions of experts on it."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.actions.declarations import Action, obstacles
from registry.actions.forms import ActionForm
from registry.actions.pages import action_page
from registry.cases import comments, permissions
from registry.cases.comments import mail_to_invite
from registry.cases.competing_cases import competing_cases_of
from registry.cases.deadlines import deadline_of, time_spent
from registry.cases.history import record_of
from registry.cases.models import Case, Comment
from registry.cases.queries import get_visible_case
from registry.cases.status import status_of
from registry.cases.workflow.declarations.actions import (
    ANTICIPATE_STANDARDS_ACTION,
    COMMENT,
    DISMISS_FINDING,
    RECUSE,
    REQUIRE_TWO_EXPERTS,
)
from registry.cases.workflow.declarations.reviews import REQUEST_CHANGES, TAKE_BACK, VERDICTS
from registry.cases.workflow.functions import people
from registry.cases.workflow.functions.verdicts import tally_of
from registry.core.exceptions import ConflictOfInterest, NotPermitted, RegistryError
from registry.core.form_views import lead_to, take_action
from registry.core.http.request_limits import accepts_body
from registry.core.pagination import number_of
from registry.core.validators import BodySize
from registry.registration_template.sections import SECTION_BY_KEY
from registry.review_desk.experts.actions import HAND_OVER_CASE, RELEASE_CASE, TAKE_CASE, may_see_review
from registry.review_desk.experts.marks import Mark
from registry.review_desk.experts.queue import next_case
from registry.review_desk.experts.review import with_marks, workspace_for
from registry.review_desk.models import Absence, CaseAssignment, StaffNote
from registry.review_desk.permissions import has_queue

EXPERT_ACTIONS = (TAKE_BACK, ANTICIPATE_STANDARDS_ACTION, REQUIRE_TWO_EXPERTS, RECUSE)


def case_to_review(user: User, pk: int) -> Case:
    """A submitted case in which `user` is expert or leader. Raises NotPermitted or ConflictOfInterest."""
    case = get_visible_case(user, pk)
    if case.is_public and has_queue(user) and (why := permissions.conflict_of_interest(user, case)):
        raise ConflictOfInterest(f"You can't review case {pk}, because {why}. Other experts review it.")
    if not may_see_review(user, case):
        raise NotPermitted(f"You can't review case {pk}.")
    return case


@require_safe
def review(request: SignedInRequest, pk: int) -> HttpResponse:
    """The review page: the template with findings, checklist, action points and changes."""
    return review_page(request, case_to_review(request.user, pk))


def review_page(
    request: SignedInRequest,
    case: Case,
    *,
    typed: Mapping[str, Mark] | None = None,
    **more: Any,
) -> HttpResponse:
    """The page; `typed` are ticks and notes that are not saved."""
    user = request.user
    record = record_of(case)
    assignment = CaseAssignment.objects.current_of(case).first()
    workspace = workspace_for(case, user)
    is_expert = permissions.is_expert(user, case)
    context = {
        "case": case,
        "reviewed_case": case,
        "workspace": with_marks(workspace, typed or {}),
        "tally": tally_of(case, workspace.latest.reviews),
        "status": status_of(case, lambda: record),
        "deadline": deadline_of(case),
        "time_spent": time_spent(record),
        "assignment": assignment,
        "absence": Absence.objects.current_of([assignment.person_id]).get(assignment.person_id)
        if assignment
        else None,
        "take": TAKE_CASE if TAKE_CASE.is_allowed_for(user, case) else None,
        "hand_over": HAND_OVER_CASE if HAND_OVER_CASE.is_allowed_for(user, case) else None,
        "release": RELEASE_CASE,
        "is_expert": is_expert,
        "obstacles": obstacles(VERDICTS.values(), user, case),
        "may_request_changes": REQUEST_CHANGES.is_allowed_for(user, case),
        "may_dismiss_finding": DISMISS_FINDING.is_allowed_for(user, case),
        "staff_notes": StaffNote.objects.filter(case=case).select_related("author"),
        "next_case": next_case(user, after=case.pk),
        "why_closed": comments.why_closed(case),
        "mail_to_invite": mail_to_invite(case),
        "competing_cases": competing_cases_of(case),
        "verdicts": [each for each in VERDICTS.values() if each.is_allowed_for(user, case)],
        "actions": [each for each in EXPERT_ACTIONS if each.is_allowed_for(user, case)],
    }
    return render(request, "review_desk/experts/review.html", context | more)


@require_POST
def take(request: SignedInRequest, pk: int) -> HttpResponse:
    return _take_action_on(request, pk, TAKE_CASE)


@require_POST
def release(request: SignedInRequest, pk: int) -> HttpResponse:
    return _take_action_on(request, pk, RELEASE_CASE)


def _take_action_on(request: SignedInRequest, pk: int, action: Action[Case]) -> HttpResponse:
    case = case_to_review(request.user, pk)
    return _run_action(request, case, partial(action.function, case), action.success_message(case))


def _case_to_hand_over(user: User, pk: int) -> Case:
    case = case_to_review(user, pk)
    if not HAND_OVER_CASE.is_allowed_for(user, case):
        raise NotPermitted("You can hand over only open cases that are assigned to you.")
    return case


def _show_assignment(request: SignedInRequest, form: ActionForm) -> dict[str, Any]:
    return {"assignment": CaseAssignment.objects.current_of(form.subject).first()}


hand_over = action_page(
    HAND_OVER_CASE,
    _case_to_hand_over,
    template="review_desk/experts/hand_over.html",
    show=_show_assignment,
    to=lambda assignment: reverse("review_desk:review", args=[assignment.case_id]),
)


@accepts_body(BodySize.TEXTS)
@require_POST
def comment(request: SignedInRequest, pk: int) -> HttpResponse:
    """Publish a comment on a section."""
    case = case_to_review(request.user, pk)
    section, text = section_of(request), request.POST.get("text", "")
    reply_to = number_of(request.POST.get("reply_to", ""))
    action = partial(
        comments.comment,
        case,
        round_number=round_number_of(request),
        text=text,
        section=section,
        reply_to=reply_to,
    )
    again = comment_again(text, section=section, reply_to=reply_to or "")
    return _run_action(
        request,
        case,
        action,
        COMMENT.success_message(case),
        section,
        [("Comment", text)],
        refused_comment=again,
    )


def comment_again(text: str, **place: str | int) -> dict[str, str | int] | None:
    """The fields that post a refused text as a comment; None if there is no text."""
    return {"text": text, **place} if text.strip() else None


@accepts_body(BodySize.TEXTS)
@require_POST
@recent_sign_in_for(DISMISS_FINDING)
def dismiss_finding(request: SignedInRequest, pk: int) -> HttpResponse:
    case = case_to_review(request.user, pk)
    section, reason = section_of(request), request.POST.get("reason", "")
    action = partial(
        people.dismiss_finding,
        case,
        round_number=round_number_of(request),
        section=section,
        code=request.POST.get("code", ""),
        reason=reason,
    )
    message = DISMISS_FINDING.success_message(case)
    return _run_action(request, case, action, message, section, [("Reason", reason)])


def section_of(request: SignedInRequest) -> str:
    section = request.POST.get("section", "")
    return section if section in SECTION_BY_KEY else ""


def round_number_of(request: SignedInRequest) -> int:
    """The round that the page showed; 0, which no round has, if the form does not name one."""
    number = request.POST.get("round_number", "")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0


def _run_action(
    request: SignedInRequest,
    case: Case,
    action: Callable[..., object],
    message: str,
    section: str = "",
    texts: Iterable[tuple[str, str]] = (),
    **more: Any,
) -> HttpResponse:
    """Take an action and return to its place; a refusal is shown with the texts that were written, by label."""

    def run() -> HttpResponse:
        done = action(by=request.user)
        came_from = request.POST.get("next", "")
        is_from_here = came_from.startswith("/") and url_has_allowed_host_and_scheme(came_from, None)
        back = came_from if is_from_here else resolve_url("review_desk:review", case.pk)
        part = (
            f"#comment-{done.pk}" if isinstance(done, Comment) else f"#section-{section}" if section else ""
        )
        return lead_to(request, message, back + part)

    return take_action(run, partial(refused_page, request, case.pk, texts, **more))


def save_response(request: SignedInRequest, **outcome: Any) -> HttpResponse:
    """The response to a save in the background: the stamp and the status, or a conflict, without the fields."""
    return render(request, "review_desk/experts/_saved.html", outcome)


def refused_page(
    request: SignedInRequest,
    pk: int,
    texts: Iterable[tuple[str, str]],
    refusal: RegistryError | None = None,
    **more: Any,
) -> HttpResponse:
    """The review page after a refusal, with the case as it is now and the texts that were written, by label."""
    case = case_to_review(request.user, pk)
    recovered_texts = [(label, text) for label, text in texts if text]
    return review_page(request, case, refusal=refusal, recovered_texts=recovered_texts, **more)
