"""The tasks of a person in their roles and as registrant, and their drafts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from registry.accounts.models import RoleName, User
from registry.cases.deadlines import due_at
from registry.cases.findings import is_required
from registry.cases.models import REGISTRANT_STATES, WAITING_FOR, Case, CaseQuerySet, State
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
    has_more: bool

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
    return Desk(role, [Task(case, _in_role(role, case)) for case in cases[:at_most]], len(cases) > at_most)


def _in_role(role: RoleName, case: Case) -> str:
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
