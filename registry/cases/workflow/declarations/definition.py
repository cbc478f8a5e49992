"""The kinds of declarations in the workflow, transitions and other actions, and the details of their events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from registry.accounts.gravity import Gravity
from registry.actions.declarations import Action, EventType
from registry.audit_log.history import ROUND, Detail, private
from registry.cases import permissions
from registry.cases.models import Case, State
from registry.cases.workflow.exceptions import TransitionNotAllowed
from registry.core.exceptions import RegistryError
from registry.organisations.event_details import ORGANISATION

SECTION = Detail("section", str, "The key of the section of the template.")
SUBMISSION = (
    ROUND,
    Detail("replies", int, "How many action points the round answers.").optional,
    Detail(
        "authorised_by", str, "The body that authorised the fast track, as the registrant confirmed (6.3)."
    ).optional,
    Detail(
        "recognised", bool, "True if an earlier recognition of the body applies from this round on (6.3)."
    ).optional,
    private("replies_digest", str).optional,
    private("profile_digest", str).optional,
    private("co_editors", list).optional,
    private("recused", list).optional,
    ORGANISATION.optional,
)
CHANGES_REQUESTED = (
    ROUND,
    Detail("action_points", int, "How many changes are requested."),
    private("points_digest", str),
)
RECOGNITION = (
    Detail("for_later_cases", bool, "Whether the recognition also applies to later cases of the body."),
    private("body", int).optional,
)
ANTICIPATION = (Detail("anticipated", bool, "Whether a standards action is anticipated."),)
REQUIREMENT = (Detail("required", bool, "Whether two experts are required."),)
REMOVAL = (private("person", int), private("recused", bool))
DISMISSAL = (
    ROUND,
    SECTION,
    Detail("code", str, "The code of the finding."),
    private("message_digest", str),
)
TAKEN_BACK = (ROUND, Detail("verdict", str, "The verdict of an expert."))
FIRST_OF_TWO = (ROUND, Detail("verdict", str, "The verdict of an expert."))
DISCUSSION = (
    ROUND,
    Detail("comment", int, "The number of the comment."),
    Detail("reply_to", int, "The number of the comment that it replies to.").optional,
    SECTION.optional,
    private("comment_digest", str),
)


# The permissions of people who do not act for the registry.
EDITOR_PERMISSIONS = (
    permissions.is_registrant,
    permissions.is_editor,
    permissions.is_registrant_or_co_editor,
    permissions.is_invited,
)


# Those of people who do.
PERMISSIONS_IN_ROLES = (permissions.is_expert, permissions.is_administrator, permissions.is_liaison)


class Audience(Enum):
    """Recipients of a mail. `cases.audiences` finds their addresses."""

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
class CaseEvent(EventType):
    """An event in the life of a case.

    The mail to `mailed_to` is `templates/emails/<name>.txt`; `other_mails` are further templates with their recipients. If
    `is_private_in_draft`, a draft gets no event. If `publishes_head`, the head of the audit log is signed with the event,
    and its mails contain it.
    """

    mailed_to: tuple[Audience, ...] = (*REGISTRANT_AND_SUBSCRIBERS, Audience.NEXT_TO_ACT)
    other_mails: Mapping[str, tuple[Audience, ...]] = field(default_factory=dict)
    is_private_in_draft: bool = False
    publishes_head: bool = False

    @property
    def mails(self) -> Mapping[str, tuple[Audience, ...]]:
        """The audiences of every mail, by its template."""
        return ({self.name: self.mailed_to} if self.mailed_to else {}) | dict(self.other_mails)


@dataclass(kw_only=True, eq=False)
class CaseAction(CaseEvent, Action[Case]):
    """An action in a case that does not change its state; `sources` are the states in which it is possible.

    `gravity` follows from the permission: what editors do is ordinary. Most actions are possible in review, and most
    transitions lead there.
    """

    gravity: Gravity = None  # type: ignore[assignment]  # set below
    sources: frozenset[State] = frozenset({State.IN_REVIEW})

    def __post_init__(self) -> None:
        first, *rest = self.name.split("_")
        self.operation_id = self.operation_id or first + (
            "".join(part.capitalize() for part in rest) or "Case"
        )
        super().__post_init__()
        is_for_editors = self.permission in EDITOR_PERMISSIONS
        self.gravity = self.gravity or (Gravity.ORDINARY if is_for_editors else Gravity.DECISION)
        if self.permission in PERMISSIONS_IN_ROLES:
            self.obstacle = permissions.obstacle_of_invitation
        self.not_permitted = f"You do not have permission for “{self.label}” in case {{subject.pk}}."

    @property
    def all_refusals(self) -> tuple[type[RegistryError], ...]:
        return TransitionNotAllowed, *super().all_refusals

    def is_open(self, subject: Case) -> bool:
        return subject.state in self.sources and super().is_open(subject)

    def check_open(self, subject: Case) -> None:
        if subject.state not in self.sources:
            raise TransitionNotAllowed(
                f"The state of case {subject.pk} has been “{subject.get_state_display()}” since "
                f"{subject.state_since:%Y-%m-%d %H:%M} UTC. “{self.label}” is not possible in this state."
            )
        super().check_open(subject)


@dataclass(kw_only=True, eq=False)
class Transition(CaseAction):
    """An action that moves a case from one of `sources` to one of `targets`; the first is the usual one."""

    targets: tuple[State, ...] = (State.IN_REVIEW,)
