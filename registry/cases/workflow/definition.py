"""The classes of the transition table. One object declares a transition or another action of a case.

Pages, API, mail, history and documentation read these objects. The function that carries out an action is
bound to its object with `action_of`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, TypeVar

from registry.accounts.gravity import Gravity
from registry.accounts.models import Scope
from registry.audit_log.details import Detail
from registry.audit_log.models import Event
from registry.cases import permissions
from registry.cases.models import Case, State
from registry.cases.permissions import Permission, Person
from registry.cases.workflow.conditions import Condition
from registry.cases.workflow.exceptions import ConditionNotMet, TransitionNotAllowed
from registry.cases.workflow.parameters import ActionPoints, Parameter, ProfileToConfirm, Stamp, Text
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import TextMissing, TextTooLong, UnstorableCharacter

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Case])
# The permissions of people who do not act for the registry.
EDITOR_PERMISSIONS = (permissions.is_registrant, permissions.is_editor, permissions.is_invited)


class Audience(Enum):
    """Recipients of a mail. `cases.notifications.audiences` finds their addresses."""

    REGISTRANT = auto()
    SUBSCRIBERS = auto()  # except the person who acted
    PERSON = auto()  # the person whom the action concerns
    INVITED_ADDRESS = auto()  # mailed only if it belongs to an account
    NEXT_TO_ACT = auto()
    ABLE_TO_ACT = auto()  # includes the experts who did not review earlier rounds
    PREVIOUSLY_ABLE_TO_ACT = auto()  # in the previous state
    DISCUSSION_LIST = auto()
    EDITORS_WHO_LOSE_NID = auto()  # of other cases, when a new namespace is registered
    LEADERS_OF_SPLIT_EXPERTS = auto()  # if the verdicts on the latest round differ
    EDITORS_WHO_SHARE_NID = (
        auto()
    )  # of other cases, also with a similar NID, when the case first asks for its NID


REGISTRANT_AND_SUBSCRIBERS = (Audience.REGISTRANT, Audience.SUBSCRIBERS)


@dataclass(kw_only=True, eq=False)
class EventType:
    """An event in the life of a case, as the history and the mails describe it.

    `past` is the line of the history: a format string with the details of the event, `nid`, `person` and
    `section`, or a function that chooses one. The mail to `mailed_to` is `templates/emails/<name>.txt`;
    `other_mails` are further templates with their recipients. `details` are those of the event. If `is_private_in_draft`, a draft gets no event. If
    `publishes_head`, the head of the audit log is signed with the event, and its mails contain it.
    """

    name: str
    past: str | Callable[[Event], str]
    mailed_to: tuple[Audience, ...] = (*REGISTRANT_AND_SUBSCRIBERS, Audience.NEXT_TO_ACT)
    other_mails: Mapping[str, tuple[Audience, ...]] = field(default_factory=dict)
    details: tuple[Detail, ...] = ()
    is_private_in_draft: bool = False
    publishes_head: bool = False

    @property
    def mails(self) -> Mapping[str, tuple[Audience, ...]]:
        """The audiences of every mail, by its template."""
        return ({self.name: self.mailed_to} if self.mailed_to else {}) | dict(self.other_mails)


@dataclass(kw_only=True, eq=False)
class Action(EventType):
    """An action in a case that does not change its state.

    `action` is the function that carries it out, `action(case, *, by, **arguments)`; it returns the fresh case.
    `effect` describes the consequences before the action, `success` confirms it afterwards. `refusals` are the
    exceptions that the function raises, in addition to those that its conditions and parameters imply.
    `label` and `operation_id`, which names the action in the API, follow from the name by default:
    "Request changes", `requestChanges`. `gravity` follows from the permission: what editors do is ordinary. Most actions are
    possible in review, and most transitions lead there.
    """

    label: str = ""
    effect: str
    success: str | Callable[[Case], str]
    permission: Permission
    sources: frozenset[State] = frozenset({State.IN_REVIEW})
    conditions: tuple[Condition, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    refusals: tuple[type[RegistryError], ...] = ()
    is_grave: bool = False
    gravity: Gravity = None  # type: ignore[assignment]  # set below
    operation_id: str = ""
    action: Callable[..., Case] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        first, *rest = self.name.split("_")
        object_name = "".join(part.capitalize() for part in rest) or "Case"
        self.operation_id = self.operation_id or first + object_name
        self.label = self.label or self.name.replace("_", " ").capitalize()
        is_for_editors = self.permission in EDITOR_PERMISSIONS
        self.gravity = self.gravity or (Gravity.ORDINARY if is_for_editors else Gravity.DECISION)

    @property
    def slug(self) -> str:
        """The name in URLs."""
        return self.name.replace("_", "-")

    @property
    def scope(self) -> Scope:
        """The scope that an API token needs."""
        return self.gravity.scope

    @property
    def sample(self) -> dict[str, Any]:
        """A request body as an example."""
        return {each.member: each.sample for each in self.parameters if each.sample is not None}

    @property
    def all_refusals(self) -> tuple[type[RegistryError], ...]:
        """All exceptions of the action, except for a missing permission."""
        texts = [each for each in self.parameters if isinstance(each, Text | ActionPoints)]
        is_needed = any(isinstance(each, ActionPoints) or not each.is_optional for each in texts)
        has_texts = bool(texts) or any(isinstance(each, ProfileToConfirm) for each in self.parameters)
        return (
            TransitionNotAllowed,
            *((ConditionNotMet,) if self.conditions else ()),
            *((TextMissing,) if is_needed else ()),
            *((UnstorableCharacter, TextTooLong) if has_texts else ()),
            *(each.refusal for each in self.parameters if isinstance(each, Stamp)),
            *self.refusals,
        )

    def success_message(self, case: Case) -> str:
        """The success message; `case` is the case after the action."""
        return self.success if isinstance(self.success, str) else self.success(case)

    def is_open(self, case: Case) -> bool:
        """Whether state and conditions permit the action, regardless of the person."""
        return case.state in self.sources and all(each.holds(case) for each in self.conditions)

    def is_allowed_for(self, user: Person, case: Case) -> bool:
        """Whether `check_allowed` would succeed."""
        return self.is_open(case) and self.permission(user, case)

    def check_permission(self, user: Person, case: Case) -> None:
        """Raise NotPermitted unless `user` may do this in some state."""
        if not self.permission(user, case):
            raise NotPermitted(f"You do not have permission for “{self.label}” in case {case.pk}.")

    def check_allowed(self, user: Person, case: Case) -> None:
        """Raise NotPermitted, TransitionNotAllowed or ConditionNotMet unless `user` may do this now."""
        self.check_permission(user, case)
        if case.state not in self.sources:
            raise TransitionNotAllowed(
                f"The state of case {case.pk} has been “{case.get_state_display()}” since "
                f"{case.state_since:%Y-%m-%d %H:%M} UTC. “{self.label}” is not possible in this state."
            )
        for condition in self.conditions:
            if not condition.holds(case):
                raise ConditionNotMet(condition.message)


@dataclass(kw_only=True, eq=False)
class Transition(Action):
    """An action that moves a case from one of `sources` to one of `targets`; the first is the usual one."""

    targets: tuple[State, ...] = (State.IN_REVIEW,)


def action_of(definition: Action) -> Callable[[AnyFunction], AnyFunction]:
    """Bind the decorated function to `definition`, as its action."""

    def bind(function: AnyFunction) -> AnyFunction:
        definition.action = function
        return function

    return bind
