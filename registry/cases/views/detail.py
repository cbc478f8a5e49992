"""The public page of a case: what was submitted and said, its comments and its subscribers."""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.cases import case_detail, permissions
from registry.cases.competing_cases import competing_cases_of
from registry.cases.deadlines import deadline_of, shares_of
from registry.cases.discussion import comments
from registry.cases.drafts.drafts import EDITABLE_STATES
from registry.cases.forms.cases import CommentForm, ComparisonForm
from registry.cases.history import history_of, record_of
from registry.cases.models import Case, Comment, Round
from registry.cases.notifications import subscriptions
from registry.cases.notifications.subscriptions import subscribers_of
from registry.cases.status import status_of
from registry.cases.timeline import timeline_of
from registry.cases.workflow.table import actions_allowed_for, transitions_allowed_for
from registry.core.exceptions import NotPermitted, RegistryError
from registry.registration_template.diff import compare_templates
from registry.registration_template.sections import SECTION_BY_KEY

ROUND_NUMBER = re.compile("[1-9][0-9]{0,8}")
COMMENT_KEY = re.compile("[1-9][0-9]{0,17}")
UNPROCESSABLE = HTTPStatus.UNPROCESSABLE_ENTITY
get_or_post = require_http_methods(["GET", "HEAD", "POST"])


def visible_case(request: HttpRequest, pk: int) -> Case:
    """The case, if `request.user` may see it; else 404, as if it did not exist."""
    cases = Case.objects.visible_to(request.user).select_related("namespace", "registrant", "body")
    return get_object_or_404(cases.prefetch_related("co_editors__user"), pk=pk)


@require_safe
@login_not_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a case: for its editors from the beginning, for everyone from its first round on."""
    return case_page(request, visible_case(request, pk))


def case_page(
    request: HttpRequest, case: Case, *, status: HTTPStatus = HTTPStatus.OK, **more: Any
) -> HttpResponse:
    """The page of a case as `request.user` sees it; `more` may hold a refusal, and words to give back."""
    is_editor = permissions.is_editor(request.user, case)
    record = record_of(case)
    rounds = case_detail.rounds_of(case)
    comment_form = more.pop("comment_form", None) or _blank_comment(request, case)
    answering = case_detail.round_with(rounds, str(comment_form["answered"].value()))
    if answering is None:
        comment_form.forget_answered()
    context = {
        "case": case,
        "status": status_of(case, record),
        "deadline": deadline_of(case),
        "shares": shares_of(record) if case.is_public else None,
        "timeline": timeline_of(case, record),
        "rounds": rounds,
        "answering": answering,
        "are_rounds_open": request.GET.get("rounds") == "open",
        "history": history_of(record),
        "competing_cases": competing_cases_of(case),
        "subscribers": list(subscribers_of(case)) if case.is_public else [],
        "co_editors": case.co_editors.all(),
        "asked_version": case.draft_template.version,
        "transitions": transitions_allowed_for(request.user, case),
        "actions": actions_allowed_for(request.user, case),
        "can_edit": is_editor and case.state in EDITABLE_STATES,
        "why_closed": comments.why_closed(case),
        "comment_form": comment_form,
        "origin": settings.PUBLIC_ORIGIN,
    }
    return render(request, "cases/detail.html", context | more, status=status)


def _blank_comment(request: HttpRequest, case: Case) -> CommentForm:
    """On the latest round: on the section, or in answer to the comment, that the address names."""
    asked = {name: request.GET.get(name, "") for name in ("section", "answered")}
    initial: dict[str, Any] = {"round_number": case_detail.latest_round(case)}
    if asked["section"] in SECTION_BY_KEY:
        initial["section"] = asked["section"]
    if COMMENT_KEY.fullmatch(asked["answered"]):
        known = Comment.objects.filter(round__case=case, pk=asked["answered"])
        initial["answered"] = known.values_list("pk", flat=True).first()
    return CommentForm(initial=initial)


@require_http_methods(["POST"])
def comment(request: SignedInRequest, pk: int) -> HttpResponse:
    case = visible_case(request, pk)
    form = CommentForm(request.POST)
    status = UNPROCESSABLE
    if form.is_valid():
        try:
            kept = comments.comment(case, by=request.user, **form.cleaned_data)
            messages.success(request, "Your comment is published. Subscribers are notified.")
            return redirect(kept)
        except NotPermitted:
            raise
        except comments.DiscussionClosed as refusal:
            case = visible_case(request, pk)
            recovered_texts = [("Comment", form.cleaned_data["text"])]
            return case_page(
                request, case, status=refusal.status, refusal=refusal, recovered_texts=recovered_texts
            )
        except RegistryError as refusal:
            form.add_error(None, str(refusal))
            status = refusal.status
    return case_page(request, case, status=status, comment_form=form)


@get_or_post
def subscribe(request: SignedInRequest, pk: int) -> HttpResponse:
    """Subscribe to a case."""
    return _say(request, pk, subscriptions.subscribe, "You are subscribed to this case.")


@get_or_post
def unsubscribe(request: SignedInRequest, pk: int) -> HttpResponse:
    """The unsubscribe page that every mail of a case links to; only its button, a POST, unsubscribes."""
    return _say(request, pk, subscriptions.unsubscribe, "You are no longer subscribed to this case.")


def _say(request: SignedInRequest, pk: int, act: Callable[..., None], said: str) -> HttpResponse:
    case = visible_case(request, pk)
    if request.method == "POST":
        act(case, by=request.user)
        messages.success(request, said)
        return redirect(case)
    subscribers = list(subscribers_of(case))
    return render(request, "cases/subscription.html", {"case": case, "subscribers": subscribers})


@require_safe
@login_not_required
def template_text(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """One round as the plain text that was posted."""
    round_ = get_object_or_404(Round, case=visible_case(request, pk), number=number)
    return plain_text(round_.text)


def plain_text(text: str) -> HttpResponse:
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@require_safe
@login_not_required
def compare_rounds(request: HttpRequest, pk: int) -> HttpResponse:
    """What changed between two rounds of a case: those asked for, or else the two latest."""
    case = visible_case(request, pk)
    rounds = list(case.rounds.order_by("number").only("case", "number", "submitted_at"))
    if len(rounds) < 2:
        raise Http404(f"Case {case.pk} has fewer than two rounds, so there is nothing to compare.")
    form = ComparisonForm(request.GET or None, rounds=rounds)
    asked = request.GET or {name: str(form.fields[name].initial) for name in ("from", "to")}
    old, new = (_round_asked_for(case, asked.get(name, ""), name) for name in ("from", "to"))
    context = {"case": case, "form": form, "old": old, "new": new}
    context["changes"] = compare_templates(old.template, new.template)
    return render(request, "cases/compare.html", context)


def _round_asked_for(case: Case, number: str, name: str) -> Round:
    if not ROUND_NUMBER.fullmatch(number):
        raise Http404(f"“{name}” has to be the number of a round.")
    return get_object_or_404(Round, case=case, number=int(number))
