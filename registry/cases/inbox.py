"""The tasks of a person in their roles and as registrant, and their drafts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db.models import F
from django.db.models.functions import Coalesce
from django.urls import reverse

from registry.accounts.models import RoleName, User
from registry.accounts.waiting import Line, WaitingKind, declare
from registry.cases.deadlines import due_at, due_column
from registry.cases.findings import is_required
from registry.cases.models import (
    OPEN_STATES,
    REGISTRANT_STATES,
    WAITING_FOR,
    Case,
    CaseQuerySet,
    Invitation,
    State,
)
from registry.cases.models.people import is_held_by
from registry.registration_template.sections import SECTIONS, Registrant

Finder = Callable[[User], CaseQuerySet]
_FINDERS: dict[RoleName, Finder] = {}
# The task of a role, shorter than in the status of the case. A task follows “Your turn:”.
TASK_BY_STATE = {
    State.APPROVED: "register it, or return it to the registrant.",
    State.AWAITING_DIRECTION: "record the approval body's direction.",
}


@dataclass(frozen=True, slots=True)
class Task:
    """A case that needs an action, with a description of the action."""

    case: Case
    text: str

    @property
    def due(self) -> datetime | None:
        return due_at(self.case)


@dataclass(frozen=True, slots=True)
class Desk:
    """The tasks of a person in one role, oldest first."""

    role: RoleName
    tasks: list[Task]
    total: int

    @property
    def has_more(self) -> bool:
        return self.total > len(self.tasks)

    @property
    def label(self) -> str:
        return self.role.label


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft, with the number of required sections and how many of them are filled in."""

    case: Case
    filled: int
    needed: int
    may_delete: bool

    @property
    def is_filled(self) -> bool:
        return self.filled == self.needed


def finds_waiting_cases(role: RoleName) -> Callable[[Finder], Finder]:
    """Decorate a function that finds the cases that wait for a person in this role more exactly: a package above this one
    knows to whom they are assigned.
    """

    def register(find: Finder) -> Finder:
        _FINDERS[role] = find
        return find

    return register


def cases_waiting_for(role: RoleName, user: User) -> CaseQuerySet:
    """The cases that wait for `user` in this role, and not for another person."""
    find = _FINDERS.get(role)
    return find(user) if find else Case.objects.waiting_for(role, user)


def waiting_for_registrant(user: User) -> list[Task]:
    cases = Case.objects.waiting_for_registrant(user).select_related("namespace", "body")
    return [Task(case, _as_registrant(case)) for case in cases.order_by("state_since")]


def _as_registrant(case: Case) -> str:
    if case.state in REGISTRANT_STATES:
        return "change the template and submit it again."
    return "consider the advice, and request completion when the registration is ready."


def desks_of(user: User, *, at_most: int) -> list[Desk]:
    """A desk for each deciding role of the person, even if it has no tasks."""
    return [_desk(RoleName(role), user, at_most) for role in sorted(WAITING_FOR.keys() & user.roles)]


def _desk(role: RoleName, user: User, at_most: int) -> Desk:
    waiting = cases_waiting_for(role, user).select_related("namespace", "body")
    cases = list(waiting.order_by("state_since")[: at_most + 1])
    total = waiting.count() if len(cases) > at_most else len(cases)
    return Desk(role, [Task(case, task_in(role, case)) for case in cases[:at_most]], total)


def task_in(role: RoleName, case: Case) -> str:
    """What the person can do with the case in this role, as the rest of “Your turn: …”."""
    if case.state == State.APPROVED and case.is_fast_track:
        return "register it."
    if case.state != State.IN_REVIEW:
        return TASK_BY_STATE[State(case.state)]
    if role == RoleName.LIAISON:
        return "decide whether to recognise the body."
    if case.is_fast_track:
        return "give advice if needed."
    return "report to the approval body." if case.standards_action else "review the latest round."


def drafts_of(user: User) -> list[Draft]:
    """The drafts that a person edits, most recently saved first."""
    cases = Case.objects.edited_by(user).drafts().select_related("namespace", "body")
    held = set(cases.filter(is_held_by(user)).values_list("pk", flat=True))
    return [_draft(case, case.pk in held) for case in cases.order_by("-draft_saved_at")]


def _draft(case: Case, may_delete: bool) -> Draft:
    """Count the required sections, except the version, which the registry sets."""
    template = case.draft_template
    needed = [
        getattr(template, section.key)
        for section in SECTIONS
        if is_required(section, case) and section.key != "version"
    ]
    filled = [value for value in needed if (value.organization if isinstance(value, Registrant) else value)]
    return Draft(case, len(filled), len(needed), may_delete)


# A kind of cases in the inbox.
waiting_cases = partial(
    WaitingKind,
    since="state_since",
    due=due_column,
    nid=Coalesce(F("namespace__nid"), F("requested_nid")),
    person=Coalesce(F("organisation__name"), F("registrant__name")),
    related=("namespace", "organisation", "registrant", "body"),
)


def waiting_in(role: RoleName) -> Callable[[User], CaseQuerySet]:
    """The cases that wait for a person in this role, if they have it."""
    return lambda user: cases_waiting_for(role, user) if role in user.roles else Case.objects.none()


def shows_case(task: Callable[[Case], str], view: str = "cases:detail") -> Callable[[Case], Line]:
    return lambda case: Line(str(case), task(case), reverse(view, args=[case.pk]))


declare(
    waiting_cases(
        name="own_case",
        label="Your case",
        rows=Case.objects.waiting_for_registrant,
        show=shows_case(_as_registrant),
        assignee=True,
    )
)
declare(
    waiting_cases(
        name="assignment",
        label="Case to register",
        rows=waiting_in(RoleName.ADMINISTRATOR),
        show=shows_case(partial(task_in, RoleName.ADMINISTRATOR)),
    )
)
declare(
    waiting_cases(
        name="approval_request",
        label="Case for the approval body",
        rows=waiting_in(RoleName.LIAISON),
        show=shows_case(partial(task_in, RoleName.LIAISON)),
    )
)
declare(
    WaitingKind(
        name="co_editor_invitation",
        label="Invitation to a case",
        rows=lambda user: Invitation.objects.to(user).filter(case__state__in=OPEN_STATES),
        show=lambda invitation: Line(
            f"{invitation.case.change_controller} invites you to be a co-editor of {invitation.case}",
            "accept or decline the invitation.",
            reverse("cases:transition", args=[invitation.case_id, "accept-invitation"]),
        ),
        since="invited_at",
        nid=Coalesce(F("case__namespace__nid"), F("case__requested_nid")),
        person=Coalesce(F("case__organisation__name"), F("case__registrant__name")),
        assignee=True,
        related=("case__namespace", "case__organisation", "case__registrant"),
    )
)
