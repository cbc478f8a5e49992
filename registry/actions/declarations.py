"""The declaration of an action: one object that says what a person can do with a case, a namespace, an offer, a claim.

Pages, forms, endpoints, histories and the documentation of the process read it. `performs` (`actions.engine`) binds the function
that carries it out.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Generic, TypeVar

from django.contrib.auth.models import AnonymousUser

from registry.accounts.gravity import Gravity
from registry.accounts.models import PendingGrant, Scope, Token, User
from registry.actions.parameters import Parameter
from registry.audit_log import log
from registry.audit_log.history import Detail
from registry.audit_log.models import Event
from registry.core.exceptions import ConflictOfInterest, NotPermitted, RegistryError
from registry.core.validators import BodySize

Person = User | AnonymousUser
Subject = TypeVar("Subject")


class ConditionNotMet(RegistryError):
    """The state of the case permits the action, but a condition of the action is not met."""

    title = "This action is not available"


@dataclass(frozen=True)
class Condition(Generic[Subject]):
    """A condition on a subject. `message` explains the `refusal` if it does not hold: a format string with `{subject}`, or a
    function.
    """

    holds: Callable[[Subject], bool]
    message: str | Callable[[Subject], str]
    refusal: type[RegistryError] = ConditionNotMet

    def fault(self, subject: Subject) -> str:
        """Why the condition does not hold; "" if it does."""
        if self.holds(subject):
            return ""
        message = self.message
        return message.format(subject=subject) if isinstance(message, str) else message(subject)

    def check(self, subject: Subject) -> None:
        """Raise the refusal unless the condition holds."""
        if fault := self.fault(subject):
            raise self.refusal(fault)


def never(*_: object) -> bool:
    return False


def no_obstacle(*_: object) -> str:
    return ""


def nothing(*_: object) -> None:
    """What most actions neither lock nor mail."""


@dataclass(kw_only=True, eq=False)
class EventType:
    """A type of event, as histories describe it.

    `past` is the line of the history: a format string with the details of the event, or a function that chooses one.
    `details` are those of the event. One that is not public changes nothing that the registry shows to everyone. `page` is the
    name of the page that shows what changed, by the NID, if that is not the page of the subject. `notify` writes the mails about it.
    """

    name: str
    past: str | Callable[[Event], str] = ""
    details: tuple[Detail, ...] = ()
    is_public: bool = True
    page: str = ""
    notify: Callable[[Event, "ActionContext[Any]"], None] = nothing

    def line_of(self, event: Event, **more: Any) -> str:
        """The line of an event of this type; `more` are values of the format string that are not details."""
        past = self.past if isinstance(self.past, str) else self.past(event)
        return past.format(**{**event.details, **more})


def events_in(*modules: ModuleType) -> Iterator[EventType]:
    """The types of events that modules declare, in order: actions without an event are none."""
    for module in modules:
        for each in vars(module).values():
            if isinstance(each, EventType) and getattr(each, "is_logged", True):
                yield each


def by_name(types: Iterable[EventType]) -> dict[str, EventType]:
    """Types of events by name. Raises AssertionError if two have one name, such as one that a module only imports."""
    found = dict[str, EventType]()
    for each in types:
        if found.setdefault(str(each.name), each) is not each:
            raise AssertionError(f"Two types of events are named {each.name}.")
    return found


def actions_on(
    subject_type: "SubjectType[Any]", *modules: ModuleType, without: Collection["Action[Any]"] = ()
) -> dict[str, "Action[Any]"]:
    """The actions on subjects of a type that modules declare, by their slugs, in order. Those in `without` are left out:
    they have pages or endpoints of their own.
    """
    found = (each for module in modules for each in vars(module).values() if isinstance(each, Action))
    return {each.slug: each for each in found if each.subject_type is subject_type and each not in without}


def offered(actions: Mapping[str, "Action[Any]"], person: Person, subject: Any) -> dict[str, "Action[Any]"]:
    """Those of the actions that the person may take on the subject now."""
    return {name: each for name, each in actions.items() if each.is_allowed_for(person, subject)}


def obstacles(actions: Iterable["Action[Any]"], person: Person, subject: Any) -> list[str]:
    """Why actions that would be offered to the person are not, each reason once."""
    return list(dict.fromkeys(filter(None, (each.obstacle_for(person, subject) for each in actions))))


class SubjectType(ABC, Generic[Subject]):
    """What actions are about; an app subclasses it for its model. `performs` binds an action to one."""

    def begin(
        self, subject: Subject, by: User | None, action: "Action[Subject]", made_with: Token | None = None
    ) -> "ActionContext[Subject]":
        """The context of an action on a locked subject."""
        return ActionContext(subject, by, action, made_with)

    @abstractmethod
    def lock(self, subject: Subject, by: User | None) -> Subject:
        """Re-read a subject, and lock it until the end of the transaction, with what permissions and conditions read.

        Raises a RegistryError if it is gone.
        """

    @abstractmethod
    def members(self, subject: Subject) -> Mapping[str, Any]:
        """The members of the events of a subject that say what they are about, such as `nid`."""

    def mark_changed(self, subject: Subject) -> None:
        """Note on the subject that an action has changed it."""

    def record(self, context: "ActionContext[Subject]") -> None:
        """Write the event of an action, and its mails."""
        subject = context.subject
        if context.event_type.is_public:
            self.mark_changed(subject)
        members = {**self.members(subject), **context.details}
        event = log.append(context.event_type.name, by=context.by, reason=context.reason, **members)
        context.event_type.notify(event, context)


@dataclass(frozen=True)
class UseOfGrants(Generic[Subject]):
    """The pending grants that an action uses up: `found` among those of its subject for the person who acts.

    If none of them is valid any longer, the action raises `refusal` with `message`, in which `{lapse}` is the reason.
    `accounts` are the keys of others whose authority counts.
    """

    found: Callable[[Subject, User], Iterable[PendingGrant]]
    refusal: type[RegistryError]
    message: str
    accounts: Callable[[Subject], Iterable[int]] = lambda _: ()


@dataclass(kw_only=True, eq=False)
class Action(EventType, Generic[Subject]):
    """An action on a subject.

    `effect` describes the consequences before the action, and `effect_now` those on one subject, as its state is; `success`
    confirms it afterwards. `permission` says who may do this
    in some state of the subject, and `not_permitted` is what others are told, with `{subject}`; `is_open`, whether the state
    of the subject permits it. Pages and API offer the action to those who may take it now, and of them, if it is given, to
    those for whom `offered_to` holds. `obstacle` says in a sentence which interest keeps a person who has the permission from
    acting now; "" if none does.
    `gravity` says how far the effect reaches: pages ask for a recent sign-in, tokens need a scope. If `acts_in_role` holds,
    the person acts for the registry, and a token also needs the scope to decide. `limit` is one of
    settings.ACTIONS_AN_HOUR. `lock_first` gets the subject and the arguments, and locks rows that all actions lock before
    those of the subject. `makes_grant`: what it grants is worth as much as the authority of the person; `uses_grants`: it
    uses what another person granted. `refusals` are the exceptions that the function raises, in addition to those that
    conditions, parameters and grants imply. Unless it `is_logged`, the engine writes no event and no mail. With
    `is_automatic`, the registry itself may act, without a person.
    `label`, and `operation_id`, which names the action in the API, follow from the name by default; `button` is the label.
    """

    label: str = ""
    button: str = ""
    effect: str
    effect_now: Callable[[Subject], str] | None = None
    success: str | Callable[[Any], str]
    permission: Callable[[Any, Subject], bool]
    not_permitted: str = ""
    gravity: Gravity
    acts_in_role: Callable[[User, Subject], bool] = never
    limit: str = ""
    conditions: tuple[Condition[Subject], ...] = ()
    offered_to: Callable[[Any, Subject], bool] | None = None
    obstacle: Callable[[Any, Subject], str] = no_obstacle
    parameters: tuple[Parameter, ...] = ()
    refusals: tuple[type[RegistryError], ...] = ()
    lock_first: Callable[[Subject, Mapping[str, Any]], None] = nothing
    makes_grant: bool = False
    uses_grants: UseOfGrants[Subject] | None = None
    needs_confirmed_address: bool = True
    is_automatic: bool = False
    is_logged: bool = True
    is_grave: bool = False
    operation_id: str = ""
    # As `performs` binds them.
    function: Callable[..., Any] = field(init=False, repr=False)
    subject_type: SubjectType[Subject] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        first, *rest = self.name.split("_")
        self.operation_id = self.operation_id or first + "".join(part.capitalize() for part in rest)
        self.label = self.label or self.name.replace("_", " ").capitalize()
        self.button = self.button or self.label

    @property
    def slug(self) -> str:
        """The name in URLs."""
        return self.name.replace("_", "-")

    @property
    def scope(self) -> Scope:
        """The scope that an API token needs."""
        return self.gravity.scope

    @property
    def body_size(self) -> BodySize:
        """The limit of a form or a request."""
        return max((each.body_size for each in self.parameters), default=BodySize.SMALL)

    @property
    def sample(self) -> dict[str, Any]:
        """A request body as an example."""
        return {each.member: each.sample for each in self.parameters if each.sample is not None}

    @property
    def all_refusals(self) -> tuple[type[RegistryError], ...]:
        """All exceptions of the action, except for a missing permission. Each once."""
        found = [
            *(each.refusal for each in self.conditions),
            *(refusal for each in self.parameters for refusal in each.refusals),
            *([self.uses_grants.refusal] if self.uses_grants else []),
            *([ConflictOfInterest] if self.obstacle is not no_obstacle else []),
            *self.refusals,
        ]
        return tuple(dict.fromkeys(found))

    def effect_on(self, subject: Subject) -> str:
        """What the action will do to the subject, as its state is now."""
        return self.effect_now(subject) if self.effect_now else self.effect

    def success_message(self, result: Any) -> str:
        """The success message; `result` is what the function returned."""
        return self.success if isinstance(self.success, str) else self.success(result)

    def is_open(self, subject: Subject) -> bool:
        """Whether the state of the subject permits the action, regardless of the person."""
        return all(each.holds(subject) for each in self.conditions)

    def is_allowed_for(self, person: Person, subject: Subject) -> bool:
        """Whether the person may take the action now, and it is offered to them."""
        return self._is_for(person, subject) and not self.obstacle(person, subject)

    def obstacle_for(self, person: Person, subject: Subject) -> str:
        """Why an action that would be offered to the person is not: their interest, as a sentence; "" if it is none."""
        return self.obstacle(person, subject) if self._is_for(person, subject) else ""

    def _is_for(self, person: Person, subject: Subject) -> bool:
        if not (self.is_open(subject) and self.permission(person, subject)):
            return False
        return self.offered_to is None or self.offered_to(person, subject)

    def check_permission(self, person: Person, subject: Subject) -> None:
        """Raise NotPermitted unless the person may do this in some state of the subject."""
        if not self.permission(person, subject):
            raise NotPermitted(self.not_permitted.format(subject=subject))

    def check_open(self, subject: Subject) -> None:
        """Raise the refusal of the first condition that does not hold."""
        for each in self.conditions:
            each.check(subject)

    def check_allowed(self, person: Person, subject: Subject) -> None:
        """Raise NotPermitted or another RegistryError unless the person may do this now."""
        self.check_permission(person, subject)
        self.check_open(subject)
        if why := self.obstacle(person, subject):
            raise ConflictOfInterest(why)


@dataclass(slots=True)
class ActionContext(Generic[Subject]):
    """The locked subject of an action, and what its function says of its event: the reason, the details, the person whom it
    concerns, and an address that it concerns, which may belong to no account.

    A function may set another `event_type` than its action. `made_with` is the token with which a grant is made.
    """

    subject: Subject
    by: User | None
    event_type: EventType
    made_with: Token | None = None
    reason: str = ""
    details: dict[str, Any] = field(default_factory=dict)
    person: User | None = None
    address: str = ""
    # False if the action had nothing to change.
    is_recorded: bool = True
    # Called after the event: what it leads to.
    afterwards: Callable[[], object] = nothing
    # What the function returned.
    result: Any = None
    # Those who stood behind the subject before the action, and get its mails, too.
    people_before: Sequence[User] = ()

    @property
    def actor(self) -> User:
        """The person who acts, if the action is not automatic."""
        if self.by is None:
            raise AssertionError(f"{self.event_type.name} needs a person")
        return self.by
