"""The public pages of cases, comments on them, and one's own page."""

import re
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName
from registry.appendix_a.difference import compare
from registry.errors import NotForYou, RegistryError
from registry.namespaces.models import Transfer
from registry.registrations import casefile, discussion, permissions
from registry.registrations.drafts import EDITABLE_STATES
from registry.registrations.forms import CaseFilter, CommentForm
from registry.registrations.forms_moves import FORMS
from registry.registrations.models import Registration, Submission
from registry.registrations.rivals import rivals_of
from registry.registrations.standing import standing_of, steps_of
from registry.registrations.workflow import acts_open_to, moves_open_to

PAGE_SIZE = 50
LIST_KEY = re.compile(r"(?P<is_closed>[01])-(?P<pk>[0-9]{1,18})")
ROUND_NUMBER = re.compile("[1-9][0-9]{0,8}")
UNPROCESSABLE = HTTPStatus.UNPROCESSABLE_ENTITY


def visible_case(request: HttpRequest, pk: int) -> Registration:
    """The case, if `request.user` may see it; else 404, as if it did not exist."""
    cases = Registration.objects.visible_to(request.user).select_related("namespace", "registrant", "body")
    return get_object_or_404(cases, pk=pk)


@require_safe
@login_not_required
def case_list(request: HttpRequest) -> HttpResponse:
    """Every public case, the open ones first."""
    chosen = CaseFilter(request.GET)
    cases = Registration.objects.public().open_first().select_related("namespace", "body")
    if chosen.is_valid() and chosen.cleaned_data["state"]:
        cases = cases.filter(state=chosen.cleaned_data["state"])
    if key := LIST_KEY.fullmatch(request.GET.get("after", "")):
        cases = cases.after(int(key["is_closed"]), int(key["pk"]))
    found = list(cases[: PAGE_SIZE + 1])
    context = {"form": chosen, "cases": found[:PAGE_SIZE], "has_more": len(found) > PAGE_SIZE}
    status = HTTPStatus.OK if chosen.is_valid() else HTTPStatus.BAD_REQUEST
    return render(request, "registrations/list.html", context, status=status)


@require_safe
@login_not_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a case: for its editors from the beginning, for everyone from its first round on."""
    return case_page(request, visible_case(request, pk))


def case_page(
    request: HttpRequest, case: Registration, *, status: HTTPStatus = HTTPStatus.OK, **more: Any
) -> HttpResponse:
    """The page of a case as `request.user` sees it; `more` may hold a refusal, and words to give back."""
    is_editor = permissions.is_editor(request.user, case)
    context = {
        "case": case,
        "standing": standing_of(case),
        "steps": steps_of(case),
        "rounds": casefile.rounds_of(case),
        "history": casefile.history_of(case),
        "rivals": rivals_of(case),
        "asked_version": case.content.version,
        "moves": [(move, FORMS[move.name].is_grave) for move in moves_open_to(request.user, case)],
        "acts": acts_open_to(request.user, case),
        "can_edit": is_editor and case.state in EDITABLE_STATES,
        "comment_form": CommentForm(initial={"round_number": casefile.latest_round(case)}),
    }
    return render(request, "registrations/detail.html", context | more, status=status)


@require_http_methods(["POST"])
def comment(request: SignedInRequest, pk: int) -> HttpResponse:
    case = visible_case(request, pk)
    form = CommentForm(request.POST)
    status = UNPROCESSABLE
    if form.is_valid():
        try:
            kept = discussion.comment(case, by=request.user, **form.cleaned_data)
            messages.success(request, "Your comment is kept.")
            return redirect(f"{case.get_absolute_url()}#comment-{kept.pk}")
        except NotForYou:
            raise
        except RegistryError as refusal:
            form.add_error(None, str(refusal))
            status = refusal.status
    return case_page(request, case, status=status, comment_form=form)


@require_safe
@login_not_required
def template_text(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """One round as the plain text that was posted."""
    submission = get_object_or_404(Submission, registration=visible_case(request, pk), round=number)
    return plain_text(submission.text)


def plain_text(text: str) -> HttpResponse:
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@require_safe
@login_not_required
def compare_rounds(request: HttpRequest, pk: int) -> HttpResponse:
    """What changed between two rounds of a case."""
    case = visible_case(request, pk)
    old, new = (_round_asked_for(request, case, name) for name in ("from", "to"))
    context = {"case": case, "old": old, "new": new, "changes": compare(old.submission, new.submission)}
    return render(request, "registrations/compare.html", context)


def _round_asked_for(request: HttpRequest, case: Registration, name: str) -> Submission:
    number = request.GET.get(name, "")
    if not ROUND_NUMBER.fullmatch(number):
        raise Http404(f"“{name}” has to be the number of a round.")
    return get_object_or_404(Submission, registration=case, round=int(number))


@require_safe
def mine(request: SignedInRequest) -> HttpResponse:
    """What waits for this person, and what is theirs."""
    user = request.user
    cases = Registration.objects.select_related("namespace", "body")
    edited = cases.edited_by(user)
    desks = [
        (RoleName(role).label, cases.waiting_for(RoleName(role), user).order_by("state_since")[:PAGE_SIZE])
        for role in sorted(user.roles)
    ]
    context = {
        "desks": desks,
        "waiting": cases.waiting_for_registrant(user),
        "drafts": edited.drafts(),
        "cases": edited.public().open_first()[:PAGE_SIZE],
        "namespaces": user.namespaces.with_latest(),
        "transfers": Transfer.objects.waiting().concerning(user),
        "is_administrator": RoleName.ADMINISTRATOR in user.roles,
    }
    return render(request, "registrations/mine.html", context)
