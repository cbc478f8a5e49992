"""The desks of the administrators and of the liaison: what waits there, and the moves that end the waiting."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render, resolve_url
from django.views.decorators.http import require_POST, require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName, User
from registry.desk.assignments import assignments_of
from registry.desk.directions import questions_of
from registry.errors import NotForYou, RegistryError
from registry.paging import Page, after_moment, cut, moment_key
from registry.registrations.forms_moves import FORMS, MoveForm
from registry.registrations.models import Registration
from registry.registrations.views import UNPROCESSABLE, visible_case
from registry.registrations.workflow import MOVE_BY_NAME

PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class Room:
    """A page of cases that wait for one role, and the moves that are made from there."""

    role: RoleName
    view: str
    template: str
    moves: tuple[str, ...]
    entries: Callable[[Sequence[Registration]], Sequence[Any]]


ASSIGNMENTS = Room(
    RoleName.ADMINISTRATOR,
    "desk:assignments",
    "desk/assignments.html",
    ("assign", "return_to_registrant"),
    assignments_of,
)
DIRECTIONS = Room(
    RoleName.LIAISON,
    "desk:liaison",
    "desk/liaison.html",
    ("direct", "recognise", "refuse_recognition"),
    questions_of,
)
ROOM_BY_MOVE = {move: room for room in (ASSIGNMENTS, DIRECTIONS) for move in room.moves}


@dataclass(frozen=True, slots=True)
class Attempt:
    """A move that was not made: the form as it was sent, and the refusal, unless the form itself is at fault."""

    form: MoveForm
    refusal: RegistryError | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A case of the page with its forms, by the name of the move, and what became of an attempt there."""

    subject: Any
    forms: dict[str, MoveForm]
    attempt: Attempt | None


def check_holds(user: User, *roles: RoleName) -> None:
    """Raise NotForYou unless `user` holds one of the roles."""
    if not user.roles.intersection(roles):
        raise NotForYou("This desk belongs to others: " + ", ".join(f"the {role.label}s" for role in roles))


@require_safe
def assignments(request: SignedInRequest) -> HttpResponse:
    """Approved cases, the longest waiting first."""
    return _room_page(request, ASSIGNMENTS)


@require_safe
def liaison(request: SignedInRequest) -> HttpResponse:
    """What the approval body is asked, the longest waiting first."""
    return _room_page(request, DIRECTIONS)


@require_POST
def make_move(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    """Make a move from the desk, and come back to it; whatever is refused is said at the case."""
    move = MOVE_BY_NAME.get(name.replace("-", "_"))
    room = ROOM_BY_MOVE.get(move.name) if move else None
    if move is None or room is None:
        raise Http404(f"“{name}” is not done from the desk.")
    check_holds(request.user, room.role)
    case = visible_case(request, pk)
    form = _form(move.name, case, request.POST)
    if not form.is_valid():
        return _room_page(request, room, Attempt(form), status=UNPROCESSABLE)
    try:
        moved = form.make(by=request.user)
    except NotForYou:
        raise
    except RegistryError as refusal:
        form.look_again(visible_case(request, pk))
        return _room_page(request, room, Attempt(form, refusal), status=refusal.status)
    messages.success(request, f"Case {moved.pk}, {moved.subject}: {form.said_of(moved)}")
    asked = request.GET.urlencode()
    return redirect(resolve_url(room.view) + (f"?{asked}" if asked else ""))


def _form(name: str, case: Registration, posted: QueryDict | None = None) -> MoveForm:
    return FORMS[name](posted, case=case, auto_id=f"id_{case.pk}_{name}_%s")


def _room_page(
    request: SignedInRequest,
    room: Room,
    attempt: Attempt | None = None,
    *,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    check_holds(request.user, room.role)
    page = _cases(request, room.role)
    entries = [_entry(subject, room, attempt) for subject in room.entries(page.rows)]
    is_shown = attempt is None or any(entry.attempt for entry in entries)
    context = {"entries": entries, "page": page, "lost": None if is_shown else attempt}
    context["query"] = request.GET.urlencode()
    return render(request, room.template, context, status=status)


def _cases(request: SignedInRequest, role: RoleName) -> Page[Registration]:
    beyond = after_moment(request.GET.get("after", ""), "state_since")
    waiting = Registration.objects.public().waiting_for(role, request.user).filter(beyond)
    cases = waiting.select_related("namespace__latest", "registrant", "body").order_by("state_since", "pk")
    return cut(
        cases, PAGE_SIZE, key=lambda case: moment_key(case.state_since, case.pk), is_later=bool(beyond)
    )


def _entry(subject: Any, room: Room, attempt: Attempt | None) -> Entry:
    case = subject.case
    if attempt is not None and attempt.form.case.pk != case.pk:
        attempt = None
    forms = {name: _form(name, case) for name in room.moves if _is_open(name, case)}
    if attempt is not None:
        forms[attempt.form.name] = attempt.form
    return Entry(subject, forms, attempt)


def _is_open(name: str, case: Registration) -> bool:
    """Whether the case stands where the move begins: the list has only cases in which this person can act."""
    move = MOVE_BY_NAME[name]
    return case.state in move.sources and all(condition.holds(case) for condition in move.conditions)
