"""The classes of the transition table: what a transition or another action in a case is, declared in one object.

Pages, API, mail, history and documentation read these objects. The function that carries out an action is
bound to its object with `action_of`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, TypeVar

from registry.accounts.models import Scope
from registry.audit_log.models import Event
from registry.cases import permissions
from registry.cases.models import Case, State
from registry.cases.permissions import Person
from registry.cases.workflow.conditions import Condition
from registry.cases.workflow.exceptions import ConditionNotMet, TransitionNotAllowed
from registry.cases.workflow.parameters import ActionPoints, Parameter, Text
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import TextMissing, TextTooLong, UnstorableCharacter

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Case])
EDITOR_PERMISSIONS = (permissions.is_registrant, permissions.is_editor)


class Audience(Enum):
    """Recipients of a mail. `cases.notifications.audiences` finds their addresses."""

    REGISTRANT = auto()
    SUBSCRIBERS = auto()  # except the person who acted
    PERSON = auto()  # whom the action concerns
    NEXT_TO_ACT = auto()
    ABLE_TO_ACT = auto()  # also the experts who had no part in earlier rounds
    WERE_TO_ACT = auto()  # in the state before
    DISCUSSION_LIST = auto()
    EDITORS_WHO_LOSE_NID = auto()  # of other cases, when a new namespace is registered
    EDITORS_WHO_SHARE_NID = auto()  # of other cases, when the case first asks for its NID


INFORMED = (Audience.REGISTRANT, Audience.SUBSCRIBERS)


@dataclass(kw_only=True, eq=False)
class EventType:
    """An event in the life of a case, as the history and the mails describe it.

    `past` is the line of the history: a format string with the details of the event, `nid`, `person` and
    `section`, or a function that chooses one. The mail to `mailed_to` is `templates/emails/<name>.txt`;
    `other_mails` are further templates with their recipients.
    """

    name: str
    past: str | Callable[[Event], str]
    mailed_to: tuple[Audience, ...] = (*INFORMED, Audience.NEXT_TO_ACT)
    other_mails: Mapping[str, tuple[Audience, ...]] = field(default_factory=dict)

    @property
    def mails(self) -> Mapping[str, tuple[Audience, ...]]:
        """The audiences of every mail, by its template."""
        return ({self.name: self.mailed_to} if self.mailed_to else {}) | dict(self.other_mails)


@dataclass(kw_only=True, eq=False)
class Action(EventType):
    """An action in a case that does not change its state.

    `action` is the function that carries it out, `action(case, *, by, **arguments)`; it returns the fresh case.
    `effect` says in advance what will happen, `success` afterwards what has happened. `refusals` are the
    exceptions that the function raises, besides those that its conditions and texts imply.
    """

    label: str
    effect: str
    success: str | Callable[[Case], str]
    permission: Callable[[Person, Case], bool]
    sources: frozenset[State]
    conditions: tuple[Condition, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    refusals: tuple[type[RegistryError], ...] = ()
    is_grave: bool = False
    action: Callable[..., Case] = field(init=False, repr=False)

    @property
    def slug(self) -> str:
        """The name as it appears in a URL."""
        return self.name.replace("_", "-")

    @property
    def scope(self) -> Scope:
        """The scope that an API token needs."""
        return Scope.WRITE if self.permission in EDITOR_PERMISSIONS else Scope.DECIDE

    @property
    def sample(self) -> dict[str, Any]:
        """A request body as an example."""
        return {each.member: each.sample for each in self.parameters if each.sample is not None}

    @property
    def all_refusals(self) -> tuple[type[RegistryError], ...]:
        """Every reason for a refusal, except a missing permission."""
        texts = [each for each in self.parameters if isinstance(each, Text | ActionPoints)]
        is_needed = any(isinstance(each, ActionPoints) or not each.is_optional for each in texts)
        return (
            TransitionNotAllowed,
            *((ConditionNotMet,) if self.conditions else ()),
            *((TextMissing,) if is_needed else ()),
            *((UnstorableCharacter, TextTooLong) if texts else ()),
            *self.refusals,
        )

    def success_message(self, case: Case) -> str:
        """The sentence for the person who acted; `case` is the case after the action."""
        return self.success if isinstance(self.success, str) else self.success(case)

    def is_open(self, case: Case) -> bool:
        """Whether state and conditions permit the action, to a person with the permission."""
        return case.state in self.sources and all(each.holds(case) for each in self.conditions)

    def is_allowed_for(self, user: Person, case: Case) -> bool:
        """Whether `check_allowed` would let `user` pass."""
        return self.is_open(case) and self.permission(user, case)

    def check_allowed(self, user: Person, case: Case) -> None:
        """Raise NotPermitted, TransitionNotAllowed or ConditionNotMet unless `user` may do this now."""
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


@dataclass(kw_only=True, eq=False)
class Transition(Action):
    """An action that moves a case from one of `sources` to one of `targets`; the first is the usual one."""

    targets: tuple[State, ...]


def action_of(definition: Action) -> Callable[[AnyFunction], AnyFunction]:
    """Bind the decorated function to `definition`, as its action."""

    def bind(function: AnyFunction) -> AnyFunction:
        definition.action = function
        return function

    return bind
