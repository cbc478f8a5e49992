"""What waits for a person: in each role that they hold, as registrant, and in their drafts."""

from dataclasses import dataclass

from registry.accounts.models import RoleName, User
from registry.cases.findings import is_required
from registry.cases.models import WAITING_FOR, Case, State
from registry.registration_template.registrant import Registrant
from registry.registration_template.sections import SECTIONS


@dataclass(frozen=True, slots=True)
class Task:
    """A case that stands still until somebody acts, and what they are to do there."""

    case: Case
    words: str


@dataclass(frozen=True, slots=True)
class Desk:
    """What waits for a person in one role: the longest waiting first."""

    role: RoleName
    tasks: list[Task]
    has_more: bool

    @property
    def label(self) -> str:
        return self.role.label


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft, and how many of the sections that it needs say something."""

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
    if case.state == State.CHANGES_REQUESTED:
        return "Change the template and submit it again."
    return "Consider the advice, and request completion when the registration is ready."


def desks_of(user: User, *, at_most: int) -> list[Desk]:
    """One for each role that the person holds and that decides, whether something waits there or not."""
    return [_desk(RoleName(role), user, at_most) for role in sorted(WAITING_FOR.keys() & user.roles)]


def _desk(role: RoleName, user: User, at_most: int) -> Desk:
    waiting = Case.objects.waiting_for(role, user).select_related("namespace", "body")
    cases = list(waiting.order_by("state_since")[: at_most + 1])
    return Desk(role, [Task(case, _in_role(role, case)) for case in cases[:at_most]], len(cases) > at_most)


def _in_role(role: RoleName, case: Case) -> str:
    if role == RoleName.ADMINISTRATOR:
        return "Register it, or return it to the registrant."
    if role == RoleName.LIAISON:
        is_asked = case.state == State.IN_REVIEW
        return (
            "Decide whether to recognise the body." if is_asked else "Record the approval body's direction."
        )
    if case.is_fast_track:
        return "Give advice if needed."
    return "Report to the approval body." if case.standards_action else "Review the latest round."


def drafts_of(user: User) -> list[Draft]:
    """The drafts that a person edits, the one saved last first."""
    cases = Case.objects.edited_by(user).drafts().select_related("namespace", "body")
    return [_draft(case) for case in cases.order_by("-draft_saved_at")]


def _draft(case: Case) -> Draft:
    """The registry itself writes the version, and an identifier that is not asked for."""
    template = case.draft_template
    needed = [
        getattr(template, section.key)
        for section in SECTIONS
        if is_required(section, case) and section.key != "version"
    ]
    filled = [value for value in needed if (value.organization if isinstance(value, Registrant) else value)]
    return Draft(case, len(filled), len(needed))
