"""The actions of a case that do not change its state, and event types without an action."""

from registry.accounts.gravity import Gravity
from registry.actions.declarations import Action, UseOfGrants
from registry.actions.parameters import Address, Choice, Number, Text, optional_reason
from registry.audit_log.history import CORRECTION, CORRECTION_DETAILS, CORRECTION_LABEL
from registry.audit_log.models import Event
from registry.cases import permissions
from registry.cases.models import OPEN_STATES, Case, State
from registry.cases.models.states import COMMENT_NAME, FIRST_VERDICT_NAME
from registry.cases.workflow.declarations import conditions, definition
from registry.cases.workflow.declarations.conditions import COMMUNITY, HAS_CO_EDITORS, HAS_INVITATIONS
from registry.cases.workflow.declarations.definition import (
    REGISTRANT_AND_SUBSCRIBERS,
    Audience,
    CaseAction,
    CaseEvent,
)
from registry.cases.workflow.declarations.parameters import (
    ROUND_NUMBER,
    CoEditorAddress,
    CommentedRound,
    CommentedSection,
    InvitedAddress,
)
from registry.cases.workflow.declarations.reviews import VERDICTS
from registry.cases.workflow.exceptions import (
    AlreadyAnEditor,
    AlreadyInvited,
    FindingBlocks,
    HasActed,
    NoSuchFinding,
    NotAnEditor,
    NotInvited,
    SecondExpertNeeded,
)
from registry.core import markdown
from registry.core.validators import MAX_COMMENT_LENGTH, InvalidAddress
from registry.namespaces.history import RENAME_ORGANISATION


def _anticipated(event: Event) -> str:
    return f"Recorded that {'a' if event.details['anticipated'] else 'no'} standards action is anticipated"


def _required(event: Event) -> str:
    return "Required two experts" if event.details["required"] else "Required only one expert"


def _reviewed_first(event: Event) -> str:
    return f"Reviewed as the first of two experts: {VERDICTS[event.details['verdict']].label}"


def _left_or_removed(event: Event) -> str:
    has_left = event.details.get("person") == event.actor_id
    return "Left the case as a co-editor" if has_left else "Removed {person} as a co-editor"


ANTICIPATE_STANDARDS_ACTION = CaseAction(
    name="anticipate_standards_action",
    label="Record whether a standards action is anticipated",
    effect=(
        "If the namespace is to become part of a standard, the experts report to the approval body, which "
        "decides. Otherwise, the experts decide."
    ),
    success="The decision is recorded.",
    past=_anticipated,
    details=definition.ANTICIPATION,
    permission=permissions.is_expert,
    conditions=(COMMUNITY,),
    parameters=(
        Choice(
            "anticipated",
            "Standards action",
            sample=True,
            yes="anticipated",
            no="not anticipated",
            proposed=lambda case: not case.standards_action,
        ),
        Text("reason", "Reason", lines=4, sample="A specification is in preparation."),
    ),
)
REQUIRE_TWO_EXPERTS = CaseAction(
    name="require_two_experts",
    effect=(
        "If two experts are required, both must give the same verdict to approve, decline or report. "
        "One expert can always request changes."
    ),
    success="The decision is recorded.",
    past=_required,
    details=definition.REQUIREMENT,
    permission=permissions.is_expert,
    conditions=(COMMUNITY,),
    parameters=(
        Choice(
            "required",
            "Two experts",
            sample=True,
            yes="required",
            no="not required: the first verdict decides",
            proposed=lambda case: not case.needs_two_experts,
        ),
        Text("reason", "Reason", lines=4, sample="The request affects other namespaces."),
    ),
    refusals=(SecondExpertNeeded,),
)
RECUSE = CaseAction(
    name="recuse",
    operation_id="recuseFromCase",
    label="Recuse yourself",
    effect="You will no longer be able to act in this case as expert, administrator or liaison. This can't be undone.",
    success="You are recused from this case.",
    past="Recused themselves from the case",
    permission=permissions.has_any_role,
    sources=OPEN_STATES - {State.DRAFT},
    parameters=(optional_reason("Optional. The reason is public."),),
    is_grave=True,
)
INVITE_CO_EDITOR = CaseAction(
    name="invite_co_editor",
    label="Invite a co-editor",
    effect=(
        "If the address belongs to an account, its owner will be notified and can accept. A co-editor can edit the "
        "draft, but can't act in the case as expert, administrator or liaison. Only you can submit or withdraw."
    ),
    success="The invitation was recorded. If the address belongs to an account, its owner is notified.",
    past="Invited a co-editor",
    permission=permissions.is_registrant,
    gravity=Gravity.CONTROL,
    sources=OPEN_STATES,
    limit="invitations",
    makes_grant=True,
    parameters=(Address("email", "E-mail address", sample="co-editor@example.org"),),
    refusals=(InvalidAddress, AlreadyAnEditor, AlreadyInvited),
    mailed_to=(Audience.INVITED_ADDRESS,),
    is_private_in_draft=True,
)
WITHDRAW_INVITATION = CaseAction(
    name="withdraw_invitation",
    label="Withdraw an invitation",
    effect="The invitation will be withdrawn, and can't be accepted.",
    success="The invitation was withdrawn.",
    past="Withdrew the invitation of a co-editor",
    permission=permissions.is_registrant,
    gravity=Gravity.CONTROL,
    sources=OPEN_STATES,
    conditions=(HAS_INVITATIONS,),
    parameters=(InvitedAddress("email", "Invited address", sample="co-editor@example.org"),),
    refusals=(InvalidAddress, NotInvited),
    mailed_to=(Audience.INVITED_ADDRESS,),
    is_private_in_draft=True,
)
ACCEPT_INVITATION = CaseAction(
    name="accept_invitation",
    label="Accept the invitation",
    effect=(
        "You will be able to edit the draft, and will be notified of changes of state. You can't then act in the case as "
        "expert, administrator or liaison."
    ),
    success="You are a co-editor of this case.",
    past="Accepted the invitation to be a co-editor",
    permission=permissions.is_invited,
    sources=OPEN_STATES,
    uses_grants=UseOfGrants(
        lambda case, by: case.invitations.to(by),
        NotInvited,
        "This invitation is no longer valid. {lapse} Ask for another one.",
    ),
    refusals=(HasActed,),
    mailed_to=REGISTRANT_AND_SUBSCRIBERS,
    is_private_in_draft=True,
)
DECLINE_INVITATION = CaseAction(
    name="decline_invitation",
    label="Decline the invitation",
    effect="The registrant will be notified. You can be invited again.",
    success="You declined the invitation. The registrant is notified.",
    past="Declined the invitation to be a co-editor",
    permission=permissions.is_invited,
    sources=OPEN_STATES,
    mailed_to=(Audience.REGISTRANT,),
    is_private_in_draft=True,
)
REMOVE_CO_EDITOR = CaseAction(
    name="remove_co_editor",
    label="Remove a co-editor",
    effect=(
        "The person will no longer be able to see or edit the draft. A person who edited it still can't act in the "
        "case as expert, administrator or liaison."
    ),
    success="The co-editor was removed.",
    past=_left_or_removed,
    details=definition.REMOVAL,
    permission=permissions.is_registrant_or_co_editor,
    gravity=Gravity.CONTROL,
    sources=OPEN_STATES,
    conditions=(HAS_CO_EDITORS,),
    parameters=(CoEditorAddress("email", "Address of the co-editor", sample="co-editor@example.org"),),
    refusals=(InvalidAddress, NotAnEditor),
    mailed_to=(*REGISTRANT_AND_SUBSCRIBERS, Audience.PERSON),
    is_grave=True,
    is_private_in_draft=True,
)
ACTIONS = (
    ANTICIPATE_STANDARDS_ACTION,
    REQUIRE_TWO_EXPERTS,
    RECUSE,
    INVITE_CO_EDITOR,
    WITHDRAW_INVITATION,
    ACCEPT_INVITATION,
    DECLINE_INVITATION,
    REMOVE_CO_EDITOR,
)

# Has no page: its form is shown with the finding.
DISMISS_FINDING = CaseAction(
    name="dismiss_finding",
    label="Dismiss a finding",
    effect=(
        "Records why advice on the latest round need not be followed. A dismissal is public, and applies "
        "while the section is unchanged. Blocking findings can't be dismissed."
    ),
    success="The finding was dismissed.",
    past="Dismissed a finding on {section}",
    details=definition.DISMISSAL,
    permission=permissions.is_expert,
    parameters=(
        ROUND_NUMBER,
        Text("section", "Section", "The key of the section with the finding.", sample="assignment"),
        Text("code", "Code", "The code of the finding.", sample="uniqueness-not-explained"),
        Text(
            "reason",
            "Reason",
            "Why the advice need not be followed.",
            sample="The specification explains it.",
        ),
    ),
    refusals=(NoSuchFinding, FindingBlocks),
    mailed_to=(),
)

# Recorded instead of the verdict while a second expert is needed.
FIRST_VERDICT = CaseEvent(
    name=FIRST_VERDICT_NAME,
    past=_reviewed_first,
    details=definition.FIRST_OF_TWO,
    mailed_to=(*REGISTRANT_AND_SUBSCRIBERS, Audience.ABLE_TO_ACT),
    other_mails={"experts_disagree": (Audience.LEADERS_OF_SPLIT_EXPERTS,)},
)
# Has no page: its form is shown with the discussion. `cases.comments` carries it out.
COMMENT = Action[Case](
    name=COMMENT_NAME,
    label="Comment on a round",
    button="Comment",
    operation_id="createComment",
    effect="The comment is public and can't be changed. A comment that repeats the previous one is stored once.",
    success="Your comment is published. Subscribers and those whom it mentions are notified.",
    past="Commented on round {round}",
    details=definition.DISCUSSION,
    permission=permissions.may_see,
    not_permitted="There is no case {subject.pk}.",
    gravity=Gravity.ORDINARY,
    limit="comments",
    conditions=(conditions.SUBMITTED, conditions.UNDER_DISCUSSION),
    parameters=(
        CommentedRound("round_number", "The number of the round", sample=1),
        CommentedSection("section", "The key of the section", sample="purpose"),
        Text(
            "text",
            "The text of the comment",
            f"{markdown.HELP} “@” and the name of a participant mention them.",
            sample="Which trees are meant?",
            lines=5,
            max_length=MAX_COMMENT_LENGTH,
        ),
        Number("reply_to", "The number of the comment that it replies to", is_optional=True),
    ),
)
# A correction by an administrator; `cases.corrections` sends its mail.
CORRECT = CaseEvent(name=CORRECTION, past=CORRECTION_LABEL, details=CORRECTION_DETAILS, mailed_to=())
# `accounts.erasure` writes it.
ERASE = CaseEvent(name="erase_personal_data", past="Erased personal data", mailed_to=())
# `organisations.actions.organisations` writes it.
RENAME = CaseEvent(
    name="rename_organisation",
    past="Renamed the organisation",
    details=RENAME_ORGANISATION.details,
    mailed_to=(),
)
