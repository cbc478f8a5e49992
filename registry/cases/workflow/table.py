"""The process of RFC 8141, Sections 6.2 and 6.3, as a table of the transitions of a case.

The functions of the transitions are in `cases.workflow.transitions`. `cases.workflow.action_table` lists the
actions that do not change the state.
"""

from collections.abc import Callable

from registry.audit_log.details import REFERENCE, ROUND
from registry.audit_log.models import BrokenAuditLog
from registry.cases import permissions
from registry.cases.discussion.canned_texts import OnlyCannedText
from registry.cases.drafts.replies import PointsUnanswered
from registry.cases.models import EDITABLE_STATES, OPEN_STATES, Case, State
from registry.cases.workflow import conditions, event_details
from registry.cases.workflow.action_table import ACTIONS, COMMENT, CORRECT, DISMISS_FINDING, FIRST_VERDICT
from registry.cases.workflow.definition import (
    REGISTRANT_AND_SUBSCRIBERS,
    Action,
    Audience,
    EventType,
    Transition,
)
from registry.cases.workflow.exceptions import (
    AlreadySubmitted,
    NothingChanged,
    PlaceholderLeft,
    SecondExpertNeeded,
    SubmissionIncomplete,
    UnknownSection,
)
from registry.cases.workflow.parameters import (
    DRAFT_STAMP,
    ROUND_NUMBER,
    ActionPoints,
    BooleanOption,
    Choice,
    ProfileToConfirm,
    Text,
    optional_reason,
    reference,
)
from registry.namespaces.history import EVENT_TYPES as NAMESPACE_EVENTS
from registry.namespaces.proposals.checking import ProfileRefused
from registry.namespaces.services.availability import NIDNotRegistrable, NIDTaken
from registry.namespaces.services.profiles import StaleProfile
from registry.namespaces.services.registration import StaleRevision

DECISION_REFUSALS = (OnlyCannedText, SecondExpertNeeded)


def _after_one_or_two(success: str) -> Callable[[Case], str]:
    """The message after a decision: `success`, unless a second expert must give the same verdict."""
    waiting = "Your verdict is recorded. It takes effect when a second expert gives the same verdict."
    return lambda case: waiting if case.state == State.IN_REVIEW else success


SUBMIT = Transition(
    name="submit",
    label="Submit for review",
    effect=(
        "The draft becomes the next round, which is public and can't be changed. It is posted to the "
        "discussion list. When an informal namespace is registered, its number takes the place of urn-N in the text."
    ),
    success="Submitted. The text was posted to the discussion list.",
    past="Submitted round {round}",
    details=event_details.SUBMISSION,
    permission=permissions.is_registrant,
    sources=EDITABLE_STATES,
    conditions=(conditions.STILL_THE_REGISTRANT,),
    parameters=(DRAFT_STAMP,),
    refusals=(SubmissionIncomplete, PointsUnanswered, NothingChanged, AlreadySubmitted),
    other_mails={
        "post_to_list": (Audience.DISCUSSION_LIST,),
        "competing_case_submitted": (Audience.EDITORS_WHO_SHARE_NID,),
    },
)
REQUEST_CHANGES = Transition(
    name="request_changes",
    effect="The case goes back to the registrant, who answers each action point and submits the next round.",
    success="Changes requested. The registrant is notified.",
    past="Requested changes",
    details=event_details.CHANGES_REQUESTED,
    permission=permissions.is_expert,
    targets=(State.CHANGES_REQUESTED,),
    conditions=(conditions.COMMUNITY,),
    parameters=(
        ROUND_NUMBER,
        Text(
            "rationale",
            "General remarks",
            "Your assessment of the round as a whole. Optional.",
            lines=5,
            is_optional=True,
        ),
        ActionPoints(
            "action_points",
            "Action points, at least one.",
            sample=[{"section": "purpose", "text": "Say who benefits."}],
        ),
    ),
    refusals=(OnlyCannedText, UnknownSection),
)
ADVISE = Transition(
    name="advise",
    operation_id="adviseOnCase",
    label="Give advice",
    effect="On the fast track, reviews are advice. The requesting body decides whether to follow it.",
    success="Your advice is recorded. The registrant is notified.",
    past="Gave advice",
    details=(ROUND,),
    permission=permissions.is_expert,
    conditions=(conditions.FAST_TRACK,),
    parameters=(
        ROUND_NUMBER,
        Text("rationale", "Advice", sample="The syntax is clear, and the names are unique."),
    ),
    refusals=(OnlyCannedText,),
    mailed_to=REGISTRANT_AND_SUBSCRIBERS,
)
APPROVE = Transition(
    name="approve",
    effect="An administrator registers this round, without changes.",
    success=_after_one_or_two("Approved. Next, an administrator registers it."),
    past="Approved round {round}",
    details=(ROUND,),
    permission=permissions.is_expert,
    targets=(State.APPROVED, State.IN_REVIEW),
    conditions=(conditions.COMMUNITY, conditions.NO_STANDARDS_ACTION),
    parameters=(
        ROUND_NUMBER,
        Text(
            "rationale",
            "Rationale",
            "Why this round can be registered. It becomes part of the public record.",
            sample="The assignment of names is well defined.",
        ),
    ),
    refusals=DECISION_REFUSALS,
)
FORWARD_REPORT = Transition(
    name="forward_report",
    label="Forward the report",
    effect="The approval body receives the report and decides the case.",
    success=_after_one_or_two("The report was forwarded to the approval body."),
    past="Forwarded the report to the approval body",
    details=(ROUND,),
    permission=permissions.is_expert,
    targets=(State.AWAITING_DIRECTION, State.IN_REVIEW),
    conditions=(conditions.COMMUNITY, conditions.STANDARDS_ACTION),
    parameters=(
        ROUND_NUMBER,
        Text(
            "report",
            "Report",
            "The findings of the review, and your recommendation. The report is public.",
            sample="We recommend registration.",
            lines=14,
        ),
    ),
    refusals=(*DECISION_REFUSALS, PlaceholderLeft),
)
DIRECT = Transition(
    name="direct",
    label="Record the direction",
    effect="Records the decision of the approval body: to register the namespace, or to decline the request.",
    success="The direction is recorded.",
    past="Recorded the direction of the approval body",
    details=(ROUND, REFERENCE),
    permission=permissions.is_liaison,
    sources=frozenset({State.AWAITING_DIRECTION}),
    targets=(State.APPROVED, State.DECLINED),
    parameters=(
        ROUND_NUMBER,
        Choice(
            "is_approved",
            "Decision of the approval body",
            sample=True,
            yes="register the namespace",
            no="decline the request",
        ),
        reference("Reference to the decision"),
        optional_reason(label="Reason given by the approval body", lines=5),
    ),
)
DECLINE = Transition(
    name="decline",
    effect="The case is closed. The registrant can appeal once to the approval body.",
    success=_after_one_or_two("Declined. The registrant is notified of the reason."),
    past="Declined",
    details=(ROUND,),
    permission=permissions.is_expert,
    targets=(State.DECLINED, State.IN_REVIEW),
    conditions=(conditions.COMMUNITY,),
    parameters=(ROUND_NUMBER, Text("reason", "Reason", sample="The names would not be unique.")),
    refusals=DECISION_REFUSALS,
    is_grave=True,
)
APPEAL = Transition(
    name="appeal",
    effect="The approval body decides on the declined request again. A case can be appealed only once.",
    success="Appeal submitted. Next, the approval body decides on the request again.",
    past="Appealed",
    permission=permissions.is_registrant,
    sources=frozenset({State.DECLINED}),
    targets=(State.AWAITING_DIRECTION,),
    conditions=(conditions.NOT_YET_APPEALED,),
    parameters=(Text("reason", "Reason for the appeal", sample="The names would be unique."),),
)
RECOGNISE = Transition(
    name="recognise",
    operation_id="recogniseBody",
    label="Recognise the body",
    effect="The body can use the fast track: reviews are advice, and it decides when to request completion.",
    success="The recognition is recorded.",
    past="Recorded the recognition of the requesting body",
    details=(REFERENCE, *event_details.RECOGNITION),
    permission=permissions.is_liaison,
    conditions=(conditions.FAST_TRACK, conditions.RECOGNITION_PENDING),
    parameters=(
        reference("Reference to the recognition"),
        BooleanOption("for_later_cases", "Also applies to later cases of this body"),
    ),
)
REFUSE_RECOGNITION = Transition(
    name="refuse_recognition",
    operation_id="refuseBodyRecognition",
    effect="The case continues under the community procedure, and the experts decide. Its content is kept.",
    success="The refusal is recorded. The case continues under the community procedure.",
    past="Recorded that recognition of the requesting body was refused",
    details=(REFERENCE,),
    permission=permissions.is_liaison,
    conditions=(conditions.FAST_TRACK, conditions.RECOGNITION_PENDING),
    parameters=(reference("Reference to the decision"),),
    is_grave=True,
)
REQUEST_COMPLETION = Transition(
    name="request_completion",
    effect="An administrator registers the latest round, without changes.",
    success="Completion requested. Next, an administrator registers the namespace.",
    past="Requested completion",
    details=(ROUND,),
    permission=permissions.is_registrant,
    targets=(State.APPROVED,),
    conditions=(conditions.FAST_TRACK, conditions.BODY_RECOGNISED),
    parameters=(ROUND_NUMBER,),
)
ASSIGN = Transition(
    name="assign",
    effect="Registration is permanent: it can't be undone, and the identifier is never reused.",
    success="Registered.",
    past="Registered {nid}, version {version}",
    details=NAMESPACE_EVENTS["assign"].details,
    permission=permissions.is_administrator,
    sources=frozenset({State.APPROVED}),
    targets=(State.REGISTERED,),
    conditions=(conditions.STILL_THE_REGISTRANT,),
    parameters=(
        ROUND_NUMBER,
        ProfileToConfirm(
            "profile",
            "Profile",
            "The proposed profile as you confirm it. Without it, the profile of the namespace does not change.",
        ),
    ),
    refusals=(NIDTaken, NIDNotRegistrable, StaleRevision, BrokenAuditLog, ProfileRefused, StaleProfile),
    other_mails={"competing_case_registered": (Audience.EDITORS_WHO_LOSE_NID,)},
    publishes_head=True,
)
RETURN_TO_REGISTRANT = Transition(
    name="return_to_registrant",
    label="Return to the registrant",
    effect="The registrant changes the template and submits it again.",
    success="Returned. The registrant is notified of the reason.",
    past="Returned the case to the registrant",
    permission=permissions.is_administrator,
    sources=frozenset({State.APPROVED}),
    targets=(State.CHANGES_REQUESTED,),
    parameters=(Text("reason", "Reason", sample="The address is wrong."),),
)
WITHDRAW = Transition(
    name="withdraw",
    effect="The case is closed. Submitted rounds stay public. A new case can be started at any time.",
    success="The request is withdrawn.",
    past="Withdrew the request",
    permission=permissions.is_registrant,
    sources=OPEN_STATES,
    targets=(State.WITHDRAWN,),
    parameters=(optional_reason(),),
    is_grave=True,
    mailed_to=(*REGISTRANT_AND_SUBSCRIBERS, Audience.PREVIOUSLY_ABLE_TO_ACT),
)

# In the order of their declaration, which is that of the buttons on pages.
TRANSITIONS = tuple(each for each in list(globals().values()) if isinstance(each, Transition))
ALL_ACTIONS: tuple[Action, ...] = (*TRANSITIONS, *ACTIONS, DISMISS_FINDING)
ACTION_BY_SLUG = {action.slug: action for action in (*TRANSITIONS, *ACTIONS)}
EVENT_TYPE_BY_NAME: dict[str, EventType] = {
    each.name: each for each in (*ALL_ACTIONS, FIRST_VERDICT, COMMENT, CORRECT)
}
