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
from registry.appendix_a.sections import SECTION_BY_KEY
from registry.desk import actions
from registry.desk.checklist import questions_on
from registry.desk.forms import HandOverForm
from registry.desk.models import Holding
from registry.desk.queue import absences_of, holdings_of
from registry.desk.review import desk_of
from registry.errors import NotForYou, RegistryError
from registry.registrations import discussion, permissions, setting_aside
from registry.registrations.clocks import clock_of, shares_of
from registry.registrations.history import record_of
from registry.registrations.models import Registration
from registry.registrations.rivals import rivals_of
from registry.registrations.standing import standing_of
from registry.registrations.views import get_or_post, visible_case
from registry.registrations.workflow import SET_ASIDE, acts_open_to, moves_open_to

VERDICTS = ("request_changes", "approve", "forward_report", "advise", "decline")
ACTS_OF_EXPERTS = ("anticipate_standards_action", "require_two_experts", "recuse")


def case_to_review(request: SignedInRequest, pk: int) -> Registration:
    """A submitted case in which `request.user` is expert, or leads the experts; else NotForYou."""
    case = visible_case(request, pk)
    if not case.is_public or not (
        permissions.is_expert(request.user, case) or actions.may_lead(request.user, case)
    ):
        raise NotForYou(f"Case {pk} is not one that you review.")
    return case


@require_safe
def review(request: SignedInRequest, pk: int) -> HttpResponse:
    """The template on one side; findings, checklist, points and difference beside it."""
    return review_page(request, case_to_review(request, pk))


def review_page(
    request: SignedInRequest, case: Registration, *, status: HTTPStatus = HTTPStatus.OK, **more: Any
) -> HttpResponse:
    user = request.user
    record = record_of(case)
    holding = holdings_of([case]).first()
    is_expert = permissions.is_expert(user, case)
    context = {
        "case": case,
        "desk": desk_of(case, user),
        "standing": standing_of(case, record),
        "clock": clock_of(case),
        "shares": shares_of(record),
        "holding": holding,
        "away": absences_of([holding.person_id]).get(holding.person_id) if holding else None,
        "may_give": case.is_open and _may_give(request, case, holding),
        "is_expert": is_expert,
        "may_set_aside": SET_ASIDE.is_open_to(user, case),
        "why_closed": discussion.why_closed(case),
        "rivals": rivals_of(case),
        "verdicts": [move for move in moves_open_to(user, case) if move.name in VERDICTS],
        "acts": [act for act in acts_open_to(user, case) if act.name in ACTS_OF_EXPERTS],
    }
    return render(request, "desk/review.html", context | more, status=status)


def _may_give(request: SignedInRequest, case: Registration, holding: Holding | None) -> bool:
    is_holder = holding is not None and holding.person_id == request.user.pk
    return is_holder or actions.may_lead(request.user, case)


@require_POST
def take(request: SignedInRequest, pk: int) -> HttpResponse:
    case = case_to_review(request, pk)
    return _done(request, case, lambda: actions.take(case, by=request.user), "You have taken this case.")


@require_POST
def give_back(request: SignedInRequest, pk: int) -> HttpResponse:
    case = case_to_review(request, pk)
    return _done(request, case, lambda: actions.give_back(case, by=request.user), "The case is given back.")


@get_or_post
def hand_over(request: SignedInRequest, pk: int) -> HttpResponse:
    case = case_to_review(request, pk)
    holding = holdings_of([case]).first()
    if not case.is_open or not _may_give(request, case, holding):
        raise NotForYou("You can hand over only what you hold.")
    form = HandOverForm(request.POST or None, case=case, holder=holding.person if holding else None)
    if request.method == "POST" and form.is_valid():
        to = form.cleaned_data["to"]
        return _done(
            request, case, lambda: actions.hand_over(case, by=request.user, to=to), f"{to} has the case now."
        )
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    context = {"case": case, "form": form, "holding": holding}
    return render(request, "desk/hand_over.html", context, status=status)


@require_POST
def comment(request: SignedInRequest, pk: int) -> HttpResponse:
    """A comment on a section, where it stands."""
    case = case_to_review(request, pk)
    section, text = _section(request), request.POST.get("text", "")

    def keep() -> None:
        discussion.comment(
            case, by=request.user, round_number=_round_number(request), text=text, section=section
        )

    return _done(
        request, case, keep, "Your comment is kept. Those who watch the case are told.", section,
        unsent=[("Comment", text)] if text else [],
    )  # fmt: skip


@require_POST
def set_aside(request: SignedInRequest, pk: int) -> HttpResponse:
    case = case_to_review(request, pk)
    section, reason = _section(request), request.POST.get("reason", "")

    def keep() -> None:
        setting_aside.set_aside(
            case,
            by=request.user,
            round_number=_round_number(request),
            section=section,
            code=request.POST.get("code", ""),
            reason=reason,
        )

    unsent = [("Reason", reason)] if reason else []
    return _done(request, case, keep, "The finding is set aside.", section, unsent=unsent)


@require_POST
def checklist(request: SignedInRequest, pk: int) -> HttpResponse:
    """Keep the ticks and notes of one section."""
    case = case_to_review(request, pk)
    section = _section(request)
    marks = {
        each.key: actions.Mark(f"tick-{each.key}" in request.POST, request.POST.get(f"note-{each.key}", ""))
        for each in questions_on(section)
    }

    def keep() -> None:
        actions.mark(case, by=request.user, round_number=_round_number(request), marks=marks)

    unsent = [(each.words, marks[each.key].note) for each in questions_on(section) if marks[each.key].note]
    return _done(request, case, keep, "Your ticks and notes are kept.", section, unsent=unsent)


def _section(request: SignedInRequest) -> str:
    section = request.POST.get("section", "")
    return section if section in SECTION_BY_KEY else ""


def _round_number(request: SignedInRequest) -> int:
    """The round that was looked at; 0, which no round has, where the page was not ours."""
    number = request.POST.get("round_number", "")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0


def _done(
    request: SignedInRequest,
    case: Registration,
    act: Callable[[], object],
    said: str,
    section: str = "",
    *,
    unsent: list[tuple[str, str]] | None = None,
) -> HttpResponse:
    """Do it and come back to the place; a refusal comes with the page, and with what was written."""
    try:
        act()
    except NotForYou:
        raise
    except RegistryError as refusal:
        again = case_to_review(request, case.pk)
        return review_page(request, again, status=refusal.status, refusal=refusal, unsent=unsent or [])
    messages.success(request, said)
    came_from_queue = request.POST.get("next") == "desk"
    back = reverse("desk:desk") if came_from_queue else reverse("desk:review", args=[case.pk])
    return redirect(f"{back}#part-{section}" if section else back)
