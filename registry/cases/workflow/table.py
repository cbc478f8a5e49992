"""The process of RFC 8141, sections 6.2 and 6.3, as one table: the moves, from where to where, by whom.

Pages, API and tests read it; `cases.workflow.transitions` makes the moves; `cases.workflow.actions` and
`cases.workflow.co_editors` do what moves no case. Where a move can end in two states, the action says which.
"""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from registry.accounts.models import Recognition
from registry.cases import permissions
from registry.cases.models import OPEN_STATES, Case, State
from registry.cases.permissions import Person
from registry.core.exceptions import NotPermitted, RegistryError


class TransitionNotAllowed(RegistryError):
    """The case is not where this move starts: somebody else was first, or it is too early."""

    title = "This move is not open"


class ConditionNotMet(RegistryError):
    """The case is where the move starts, but something that the move needs is not so."""

    status = HTTPStatus.CONFLICT
    title = "This move is not open"


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that must hold of a case for a move to be open; `otherwise` says why it is not."""

    holds: Callable[[Case], bool]
    message: str


COMMUNITY = Condition(
    lambda case: not case.is_fast_track,
    "On the fast track reviews are advice, and the requesting body decides (RFC 8141, section 6.3, step 3).",
)
FAST_TRACK = Condition(
    lambda case: case.is_fast_track,
    "This case follows the community procedure (RFC 8141, section 6.2), not the fast track.",
)
NO_STANDARDS_ACTION = Condition(
    lambda case: not case.standards_action,
    "A standards action is anticipated, so the experts report to the approval body (RFC 8141, 6.2, step 4).",
)
STANDARDS_ACTION = Condition(
    lambda case: case.standards_action,
    "No standards action is anticipated, so there is nobody to report to (RFC 8141, section 6.2, step 4).",
)
BODY_RECOGNISED = Condition(
    lambda case: case.recognition == Recognition.RECOGNISED,
    "The requesting body is not recognised yet; the approval body decides that (RFC 8141, section 6.3).",
)
RECOGNITION_PENDING = Condition(
    lambda case: case.recognition == Recognition.PENDING,
    "Whether the requesting body is recognised has been decided already.",
)
NOT_YET_APPEALED = Condition(
    lambda case: case.appealed_at is None,
    "This case was appealed once; the direction given then is final.",
)
STILL_THE_REGISTRANT = Condition(
    lambda case: not case.is_of_former_registrant,
    "The namespace was transferred to somebody else since this revision was begun, who revises it now.",
)
HAS_CO_EDITORS = Condition(lambda case: case.co_editors.exists(), "This case has no co-editors.")


@dataclass(frozen=True, slots=True)
class Transition:
    """One row: `name` is also the action, the URL, the form and the mail."""

    name: str
    label: str
    permission: Callable[[Person, Case], bool]
    sources: frozenset[State]
    targets: tuple[State, ...]
    conditions: tuple[Condition, ...] = ()

    @property
    def slug(self) -> str:
        """The name as it stands in an address."""
        return self.name.replace("_", "-")

    def check_allowed(self, user: Person, case: Case) -> None:
        """Raise NotPermitted, TransitionNotAllowed or ConditionNotMet unless `user` may make this move now."""
        if not self.permission(user, case):
            raise NotPermitted(f"“{self.label}” is not open to you in case {case.pk}.")
        if case.state not in self.sources:
            raise TransitionNotAllowed(
                f"Case {case.pk} is {case.get_state_display()} since {case.state_since:%Y-%m-%d %H:%M} UTC; "
                f"“{self.label}” is not open there. Look at the case again."
            )
        for condition in self.conditions:
            if not condition.holds(case):
                raise ConditionNotMet(condition.message)

    def is_allowed_for(self, user: Person, case: Case) -> bool:
        """Whether `check_open` would let `user` pass."""
        return (
            case.state in self.sources
            and all(condition.holds(case) for condition in self.conditions)
            and self.permission(user, case)
        )


def _from(*states: State) -> frozenset[State]:
    return frozenset(states)


S = State
TRANSITIONS: tuple[Transition, ...] = (
    Transition(
        "submit",
        "Submit for review",
        permissions.is_registrant,
        _from(S.DRAFT, S.CHANGES_REQUESTED, S.IN_REVIEW),
        (S.IN_REVIEW,),
        (STILL_THE_REGISTRANT,),
    ),
    Transition(
        "request_changes",
        "Request changes",
        permissions.is_expert,
        _from(S.IN_REVIEW),
        (S.CHANGES_REQUESTED,),
        (COMMUNITY,),
    ),
    Transition(
        "advise", "Give advice", permissions.is_expert, _from(S.IN_REVIEW), (S.IN_REVIEW,), (FAST_TRACK,)
    ),
    Transition(
        "approve",
        "Approve",
        permissions.is_expert,
        _from(S.IN_REVIEW),
        (S.APPROVED, S.IN_REVIEW),
        (COMMUNITY, NO_STANDARDS_ACTION),
    ),
    Transition(
        "forward_report",
        "Forward the report",
        permissions.is_expert,
        _from(S.IN_REVIEW),
        (S.AWAITING_DIRECTION, S.IN_REVIEW),
        (COMMUNITY, STANDARDS_ACTION),
    ),
    Transition(
        "direct",
        "Record the direction",
        permissions.is_liaison,
        _from(S.AWAITING_DIRECTION),
        (S.APPROVED, S.DECLINED),
    ),
    Transition(
        "decline",
        "Decline",
        permissions.is_expert,
        _from(S.IN_REVIEW),
        (S.DECLINED, S.IN_REVIEW),
        (COMMUNITY,),
    ),
    Transition(
        "appeal",
        "Appeal",
        permissions.is_registrant,
        _from(S.DECLINED),
        (S.AWAITING_DIRECTION,),
        (NOT_YET_APPEALED,),
    ),
    Transition(
        "recognise",
        "Recognise the body",
        permissions.is_liaison,
        _from(S.IN_REVIEW),
        (S.IN_REVIEW,),
        (FAST_TRACK, RECOGNITION_PENDING),
    ),
    Transition(
        "refuse_recognition",
        "Refuse recognition",
        permissions.is_liaison,
        _from(S.IN_REVIEW),
        (S.IN_REVIEW,),
        (FAST_TRACK, RECOGNITION_PENDING),
    ),
    Transition(
        "request_completion",
        "Request completion",
        permissions.is_registrant,
        _from(S.IN_REVIEW),
        (S.APPROVED,),
        (FAST_TRACK, BODY_RECOGNISED),
    ),
    Transition(
        "assign",
        "Assign",
        permissions.is_administrator,
        _from(S.APPROVED),
        (S.REGISTERED,),
        (STILL_THE_REGISTRANT,),
    ),
    Transition(
        "return_to_registrant",
        "Return to the registrant",
        permissions.is_administrator,
        _from(S.APPROVED),
        (S.CHANGES_REQUESTED,),
    ),
    Transition("withdraw", "Withdraw", permissions.is_registrant, frozenset(OPEN_STATES), (S.WITHDRAWN,)),
)
TRANSITION_BY_NAME = {transition.name: transition for transition in TRANSITIONS}

# What people do in a case without moving it.
ACTIONS: tuple[Transition, ...] = (
    Transition(
        "anticipate_standards_action",
        "Say whether a standards action is anticipated",
        permissions.is_expert,
        _from(S.IN_REVIEW),
        (S.IN_REVIEW,),
        (COMMUNITY,),
    ),
    Transition(
        "require_two_experts",
        "Say whether two experts must agree",
        permissions.is_expert,
        _from(S.IN_REVIEW),
        (S.IN_REVIEW,),
        (COMMUNITY,),
    ),
    Transition("recuse", "Step back from this case", permissions.may_recuse, frozenset(OPEN_STATES), ()),
    Transition("add_co_editor", "Add a co-editor", permissions.is_registrant, frozenset(OPEN_STATES), ()),
    Transition(
        "remove_co_editor",
        "Remove a co-editor",
        permissions.is_editor,
        frozenset(OPEN_STATES),
        (),
        (HAS_CO_EDITORS,),
    ),
)
ACTION_BY_NAME = {action.name: action for action in ACTIONS}

# An act with no page of its own: people do it beside the finding that it is about.
DISMISS_FINDING = Transition(
    "dismiss_finding",
    "Set a finding aside",
    permissions.is_expert,
    _from(S.IN_REVIEW),
    (S.IN_REVIEW,),
)
ALL_ACTIONS = (*TRANSITIONS, *ACTIONS, DISMISS_FINDING)


def transitions_allowed_for(user: Person, case: Case) -> list[Transition]:
    """The moves that `user` may make in this case now: what a page offers, no more and no less."""
    return [transition for transition in TRANSITIONS if transition.is_allowed_for(user, case)]


def actions_allowed_for(user: Person, case: Case) -> list[Transition]:
    return [action for action in ACTIONS if action.is_allowed_for(user, case)]


def all_allowed_for(user: Person, case: Case) -> list[Transition]:
    """What `user` may do in this case now, wherever on its pages it is done."""
    return [each for each in ALL_ACTIONS if each.is_allowed_for(user, case)]
