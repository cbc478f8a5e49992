"""The page of a case, with what is next for its reader."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.actions.pages import process
from registry.cases import audiences, case_detail, next_steps, permissions
from registry.cases.audiences import subscribers_of
from registry.cases.case_detail import RoundDetail, SectionOfRound
from registry.cases.comments import mail_to_invite, why_closed
from registry.cases.competing_cases import competing_cases_of
from registry.cases.deadlines import deadline_of, time_spent
from registry.cases.drafts import history
from registry.cases.drafts.drafts import complete_template
from registry.cases.forms.cases import CommentForm
from registry.cases.history import history_of, record_of, timeline_of
from registry.cases.models import EDITABLE_STATES, Case, Comment, Round
from registry.cases.queries import get_visible_case
from registry.cases.status import status_of
from registry.cases.workflow.available import (
    actions_allowed_for,
    transitions_allowed_for,
)
from registry.cases.workflow.declarations.actions import COMMENT
from registry.cases.workflow.declarations.definition import Transition
from registry.cases.workflow.declarations.reviews import VERDICTS
from registry.cases.workflow.declarations.transitions import SUBMIT
from registry.cases.workflow.exceptions import AlreadySubmitted, DiscussionClosed
from registry.cases.workflow.functions.submission import is_in_review
from registry.cases.workflow.functions.verdicts import tally_of
from registry.core.exceptions import RegistryError
from registry.core.form_views import get_or_post, lead_to
from registry.core.http.request_limits import accepts_body
from registry.core.pagination import number_of
from registry.namespaces.forms import ComparisonForm
from registry.registration_template.sections import SECTION_BY_KEY


@require_safe
@login_not_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The page of a case: for its editors from the beginning, for everyone from its first round on."""
    return case_page(request, get_visible_case(request.user, pk))


def case_page(request: HttpRequest, case: Case, **more: Any) -> HttpResponse:
    """The page of a case as `request.user` sees it. `more` may contain a refusal and recovered texts."""
    record = record_of(case)
    discussion = _discussion(request, case, more.pop("comment_form", None) or _blank_comment(request, case))
    rounds = discussion["rounds"]
    now = status_of(case, lambda: record)
    context = {
        "case": case,
        "status": now,
        "next_step": next_steps.for_reader(case, now, reader=request.user),
        "deadline": deadline_of(case),
        "time_spent": time_spent(record) if case.is_public else None,
        "timeline": timeline_of(case, record),
        "revision_changes": rounds and history.changes_to_registered(case, rounds[0].round),
        "tally": rounds and tally_of(case, rounds[0].reviews),
        "are_rounds_open": request.GET.get("rounds") == "open",
        "history": history_of(record),
        "competing_cases": competing_cases_of(case),
        "subscribers": subscribers_of(case) if case.is_public else [],
        "co_editors": case.co_editors.all(),
        "requested_version": case.draft_template.version,
        "verdicts": VERDICTS.values(),
        "origin": settings.PUBLIC_ORIGIN,
    }
    context |= discussion | _permitted(request.user, case)
    return render(request, "cases/detail.html", context | more)


def _discussion(request: HttpRequest, case: Case, form: CommentForm) -> dict[str, Any]:
    """The rounds with a page of comments, and the form of a new comment beside its section or below its reply."""
    reply_to = str(form["reply_to"].value())
    page = case_detail.comments_of(case, after=request.GET.get("after", ""), including=reply_to)
    rounds = case_detail.rounds_of(case, page.rows)
    round_of_reply = case_detail.round_with(rounds, reply_to)
    if round_of_reply is None:
        form.drop_reply_to()
    closed = why_closed(case)
    part_to_comment_on = None
    if request.user.is_authenticated and not closed and not round_of_reply:
        part_to_comment_on = _part_to_comment_on(rounds, form["section"].value())
    return {
        "rounds": rounds,
        "comment_page": page,
        "comment_form": form,
        "round_of_reply": round_of_reply,
        "part_to_comment_on": part_to_comment_on,
        "why_closed": closed,
        "mail_to_invite": "" if closed else mail_to_invite(case),
    }


def _permitted(user: permissions.Person, case: Case) -> dict[str, Any]:
    """What the reader may do in the case."""
    is_editor = permissions.is_editor(user, case)
    return {
        "is_registrant": permissions.is_registrant(user, case),
        "invitations": case.invitations.order_by("pk") if is_editor else (),
        "transitions": _transitions_for(user, case),
        "obstacles": _obstacles_of(user, case),
        "actions": actions_allowed_for(user, case),
        "may_review": case.is_public and case.is_open and permissions.is_expert(user, case),
        "can_edit": is_editor and case.state in EDITABLE_STATES,
    }


def _transitions_for(user: permissions.Person, case: Case) -> list[Transition]:
    """What the reader may do, except to submit a draft that is in review as it is."""
    found = transitions_allowed_for(user, case)
    if SUBMIT in found and is_in_review(case, complete_template(case, case.draft_template)):
        found.remove(SUBMIT)
    return found


def _obstacles_of(user: permissions.Person, case: Case) -> list[str]:
    """What keeps a person with a role from acting in an open case, as sentences."""
    may_act = case.is_open and permissions.has_any_role(user, case)
    return list(filter(None, [permissions.obstacle_of_invitation(user, case)])) if may_act else []


def _part_to_comment_on(rounds: Sequence[RoundDetail], section: str) -> SectionOfRound | None:
    """The section of the latest round in which the form of a comment on `section` is shown."""
    parts = rounds[0].sections if rounds else ()
    return next((each for each in parts if each.is_shown and each.section.key == section), None)


def _blank_comment(request: HttpRequest, case: Case) -> CommentForm:
    """An empty form for the latest round. The query selects a section, or the comment to reply to."""
    section, reply_to = (request.GET.get(name, "") for name in ("section", "reply_to"))
    place: dict[str, Any] = {"section": section} if section in SECTION_BY_KEY else {}
    if key := number_of(reply_to):
        known = Comment.objects.filter(round__case=case, pk=key)
        place["reply_to"] = known.values_list("pk", flat=True).first()
    visitor = cast("User", request.user)  # who may not be signed in, and then sees no form
    return CommentForm(action=COMMENT, subject=case, by=visitor, initial=place)


@accepts_body(COMMENT.body_size)
@require_POST
def comment(request: SignedInRequest, pk: int) -> HttpResponse:
    case = get_visible_case(request.user, pk)
    form = CommentForm(request.POST, action=COMMENT, subject=case, by=request.user)

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        if isinstance(refusal, DiscussionClosed):
            return refused_page(request, pk, form.entered_texts(), refusal)
        return case_page(request, case, comment_form=form, refusal=refusal)

    return process(request, form, page)


def refused_page(
    request: HttpRequest, pk: int, texts: Iterable[tuple[str, str]], refusal: RegistryError
) -> HttpResponse:
    """Show the case with the refusal and the submitted texts."""
    case = get_visible_case(request.user, pk)
    if isinstance(refusal, AlreadySubmitted):
        messages.info(request, str(refusal))
        return redirect(case)
    return case_page(request, case, refusal=refusal, recovered_texts=list(texts))


@get_or_post
def subscribe(request: SignedInRequest, pk: int) -> HttpResponse:
    """Subscribe to a case."""
    return _change_subscription(request, pk, audiences.subscribe, "You are subscribed to this case.")


@get_or_post
def unsubscribe(request: SignedInRequest, pk: int) -> HttpResponse:
    """The unsubscribe page that every mail of a case links to; only its button, a POST, unsubscribes."""
    message = "You are no longer subscribed to this case."
    return _change_subscription(request, pk, audiences.unsubscribe, message)


def _change_subscription(
    request: SignedInRequest, pk: int, action: Callable[..., None], message: str
) -> HttpResponse:
    case = get_visible_case(request.user, pk)
    if request.method == "POST":
        action(case, by=request.user)
        return lead_to(request, message, case)
    context = {"case": case, "subscribers": subscribers_of(case)}
    return render(request, "cases/subscription.html", context)


@require_safe
@login_not_required
def template_text(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """One round as the plain text that was posted."""
    round_ = get_object_or_404(Round, case=get_visible_case(request.user, pk), number=number)
    return plain_text(round_.text)


def plain_text(text: str) -> HttpResponse:
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


@require_safe
@login_not_required
def compare_rounds(request: HttpRequest, pk: int) -> HttpResponse:
    """Compare two rounds of a case, by default the latest two."""
    case = get_visible_case(request.user, pk)
    form = ComparisonForm(
        request.GET.dict(), {each.number: each for each in case.rounds.order_by("number")}, noun="round"
    )
    if not form.is_possible:
        raise Http404(f"Case {case.pk} has fewer than two rounds, so there is nothing to compare.")
    context: dict[str, Any] = {"case": case, "form": form, "changes": None}
    if form.is_valid():
        old, new = form.pair
        context |= {"old": old, "new": new, "changes": history.compare_rounds(old, new)}
    return render(request, "cases/compare.html", context, status=form.status)
