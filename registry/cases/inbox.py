"""The tasks of a person in their roles and as registrant, and their drafts."""

from dataclasses import dataclass

from registry.accounts.models import RoleName, User
from registry.cases.findings import is_required
from registry.cases.models import REGISTRANT_STATES, STATUS_BY_STATE, WAITING_FOR, Case, State
from registry.registration_template.registrant import Registrant
from registry.registration_template.sections import SECTIONS

# The task of a role, shorter than in the status of the case.
TASK_BY_STATE = {
    State.APPROVED: "Register it, or return it to the registrant.",
    State.AWAITING_DIRECTION: "Record the approval body's direction.",
}


@dataclass(frozen=True, slots=True)
class Task:
    """A case that needs an action, with a description of the action."""

    case: Case
    text: str


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

    @property
    def is_filled(self) -> bool:
        return self.filled == self.needed


def waiting_for_registrant(user: User) -> list[Task]:
    cases = Case.objects.waiting_for_registrant(user).select_related("namespace", "body")
    return [Task(case, _as_registrant(case)) for case in cases.order_by("state_since")]


def _as_registrant(case: Case) -> str:
    if case.state in REGISTRANT_STATES:
        return "Change the template and submit it again."
    return "Consider the advice, and request completion when the registration is ready."


def desks_of(user: User, *, at_most: int) -> list[Desk]:
    """A desk for each deciding role of the person, even if it has no tasks."""
    return [_desk(RoleName(role), user, at_most) for role in sorted(WAITING_FOR.keys() & user.roles)]


def _desk(role: RoleName, user: User, at_most: int) -> Desk:
    waiting = Case.objects.waiting_for(role, user).select_related("namespace", "body")
    cases = list(waiting.order_by("state_since")[: at_most + 1])
    return Desk(role, [Task(case, _in_role(role, case)) for case in cases[:at_most]], len(cases) > at_most)


def _in_role(role: RoleName, case: Case) -> str:
    if case.state != State.IN_REVIEW:
        return TASK_BY_STATE.get(State(case.state)) or STATUS_BY_STATE[State(case.state)].task
    if role == RoleName.LIAISON:
        return "Decide whether to recognise the body."
    if case.is_fast_track:
        return "Give advice if needed."
    return "Report to the approval body." if case.standards_action else "Review the latest round."


def drafts_of(user: User) -> list[Draft]:
    """The drafts that a person edits, most recently saved first."""
    cases = Case.objects.edited_by(user).drafts().select_related("namespace", "body")
    return [_draft(case) for case in cases.order_by("-draft_saved_at")]


def _draft(case: Case) -> Draft:
    """Count the required sections, except the version, which the registry sets."""
    template = case.draft_template
    needed = [
        getattr(template, section.key)
        for section in SECTIONS
        if is_required(section, case) and section.key != "version"
    ]
    filled = [value for value in needed if (value.organization if isinstance(value, Registrant) else value)]
    return Draft(case, len(filled), len(needed))
