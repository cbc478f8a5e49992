"""One page for every move: what it does, what it asks for, and the button that makes it."""

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from registry.accounts.middleware import SignedInRequest
from registry.appendix_a.formatting import format_text
from registry.errors import NotForYou, RegistryError
from registry.registrations import casefile, drafts
from registry.registrations.actions import AlreadySubmitted
from registry.registrations.findings import findings_of
from registry.registrations.forms_moves import FORMS, MoveForm
from registry.registrations.rivals import rivals_of, rivals_of_draft
from registry.registrations.standing import what_assignment_does
from registry.registrations.views import UNPROCESSABLE, case_page, visible_case
from registry.registrations.views_drafts import get_or_post
from registry.registrations.workflow import ACT_BY_NAME, MOVE_BY_NAME, ConditionNotMet, Move, MoveNotOpen


@get_or_post
def make_move(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    """GET shows the form of the move, POST makes it: through the action of the same name."""
    case = visible_case(request, pk)
    move = _move_named(name)
    form = FORMS[move.name](request.POST if request.method == "POST" else None, case=case)
    try:
        move.check_open(request.user, case)
        if form.is_bound and not form.wants_more_rows:
            return _make(request, move, form)
    except (MoveNotOpen, ConditionNotMet) as refusal:
        case = visible_case(request, pk)
        return case_page(request, case, status=refusal.status, refusal=refusal, unsent=form.typed())
    return move_page(request, move, form)


def _move_named(name: str) -> Move:
    name = name.replace("-", "_")
    move = MOVE_BY_NAME.get(name) or ACT_BY_NAME.get(name)
    if move is None:
        raise Http404(f"There is no move “{name}”.")
    return move


def _make(request: SignedInRequest, move: Move, form: MoveForm) -> HttpResponse:
    if not form.is_valid():
        return move_page(request, move, form, status=UNPROCESSABLE)
    try:
        case = form.make(by=request.user)
    except (MoveNotOpen, ConditionNotMet, NotForYou):
        raise
    except AlreadySubmitted as refusal:
        messages.info(request, str(refusal))
        return redirect(form.case)
    except RegistryError as refusal:
        form.look_again(visible_case(request, form.case.pk))
        return move_page(request, move, form, status=refusal.status, refusal=refusal)
    messages.success(request, form.said_of(case))
    return redirect(case)


def move_page(
    request: SignedInRequest,
    move: Move,
    form: MoveForm,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    refusal: RegistryError | None = None,
) -> HttpResponse:
    case = form.case
    context = {"case": case, "move": move, "form": form, "refusal": refusal}
    context["rivals"] = rivals_of_draft(case) if move.name == "submit" else rivals_of(case)
    if move.name == "submit":
        text = format_text(drafts.in_case(case, case.content))
        context |= {"text": text, "findings": findings_of(case)}
    else:
        context["round"] = next(iter(casefile.rounds_of(case)), None)
    if move.name == "assign":
        context["preview"] = what_assignment_does(case)
    return render(request, "registrations/move.html", context, status=status)
