"""/desk/cases/…/verdict/…: an answer, drafted from what was noted, and edited before it goes."""

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render

from registry.accounts.middleware import SignedInRequest
from registry.desk.forms import CannedChoice
from registry.desk.report import draft_points, draft_report
from registry.desk.review import Desk, desk_of
from registry.desk.views_cases import VERDICTS, case_to_review, review_page
from registry.errors import NotForYou, RegistryError
from registry.registrations.forms import with_values
from registry.registrations.forms_moves import FORMS, MoveForm, RequestChanges
from registry.registrations.views import get_or_post
from registry.registrations.workflow import MOVE_BY_NAME, ConditionNotMet, Move, MoveNotOpen

TEXT_OF = {"decline": "reason", "forward_report": "report"}


@get_or_post
def verdict(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    """GET drafts the answer; POST gives it, through the action of its name, or puts a canned text in."""
    case = case_to_review(request, pk)
    name = name.replace("-", "_")
    if name not in VERDICTS:
        raise Http404(f"There is no verdict “{name}”.")
    move = MOVE_BY_NAME[name]
    posted = _with_canned_text(request, move) if request.method == "POST" else None
    form = FORMS[name](posted, case=case)
    desk = desk_of(case, request.user)
    try:
        move.check_open(request.user, case)
        if form.is_bound and not form.wants_more_rows and "insert" not in request.POST:
            return _give(request, move, form, desk)
    except (MoveNotOpen, ConditionNotMet) as refusal:
        again = case_to_review(request, pk)
        return review_page(request, again, status=refusal.status, refusal=refusal, unsent=list(form.typed()))
    if not form.is_bound:
        _draft(form, desk)
    return _page(request, move, form, desk)


def _with_canned_text(request: SignedInRequest, move: Move) -> object:
    """What was posted, with the chosen canned text below it if that was asked for."""
    choice = CannedChoice(request.POST)
    if "insert" not in request.POST or not choice.is_valid() or choice.cleaned_data["canned"] is None:
        return request.POST
    field = _text_of(move)
    written = request.POST.get(field, "").rstrip()
    text = choice.cleaned_data["canned"].text
    return with_values(request.POST, **{field: f"{written}\n\n{text}" if written else text})


def _text_of(move: Move) -> str:
    return TEXT_OF.get(move.name, "rationale")


def _draft(form: MoveForm, desk: Desk) -> None:
    """Begin with what the case and the notes say."""
    if form.name == "forward_report":
        form.initial["report"] = draft_report(form.case, desk)
    if isinstance(form, RequestChanges):
        form.begin_with(draft_points(desk))


def _give(request: SignedInRequest, move: Move, form: MoveForm, desk: Desk) -> HttpResponse:
    if not form.is_valid():
        return _page(request, move, form, desk, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        case = form.make(by=request.user)
    except (MoveNotOpen, ConditionNotMet, NotForYou):
        raise
    except RegistryError as refusal:
        case = case_to_review(request, form.case.pk)
        form.look_again(case)
        return _page(request, move, form, desk_of(case, request.user), status=refusal.status, refusal=refusal)
    messages.success(request, f"Case {case.pk}: {form.said_of(case)}")
    return redirect("desk:desk")


def _page(
    request: SignedInRequest,
    move: Move,
    form: MoveForm,
    desk: Desk,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    refusal: RegistryError | None = None,
) -> HttpResponse:
    context = {
        "case": form.case,
        "move": move,
        "form": form,
        "desk": desk,
        "choice": CannedChoice(),
        "text_field": _text_of(move),
        "refusal": refusal,
    }
    return render(request, "desk/verdict.html", context, status=status)
