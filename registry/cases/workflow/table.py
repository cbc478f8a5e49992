"""The process of RFC 8141, sections 6.2 and 6.3, as a table: every transition of a case, and who makes it.

The functions of the transitions are in `cases.workflow.transitions`. `cases.workflow.action_table` lists the
actions that do not change the state.
"""

from collections.abc import Callable

from registry.cases import permissions
from registry.cases.discussion.canned_texts import NoOwnWords
from registry.cases.drafts.drafts import StaleDraft
from registry.cases.drafts.replies import PointsUnanswered
from registry.cases.models import OPEN_STATES, Case, State
from registry.cases.permissions import Person
from registry.cases.workflow import conditions
from registry.cases.workflow.action_table import ACTIONS, ANSWER_OF_FIRST_EXPERT, CORRECT, DISMISS_FINDING
from registry.cases.workflow.definition import INFORMED, Action, Audience, EventType, Transition
from registry.cases.workflow.exceptions import (
    AlreadySubmitted,
    NothingChanged,
    SecondExpertNeeded,
    StaleRound,
    SubmissionIncomplete,
    UnknownSection,
)
from registry.cases.workflow.parameters import (
    DRAFT_STAMP,
    ROUND_NUMBER,
    ActionPoints,
    Flag,
    Text,
    YesOrNo,
    optional_reason,
    reference,
)
from registry.namespaces.services.availability import NidNotRegistrable, NidTaken
from registry.namespaces.services.registration import StaleRevision

VERDICT_REFUSALS = (StaleRound, NoOwnWords)
DECISION_REFUSALS = (*VERDICT_REFUSALS, SecondExpertNeeded)


def _after_one_or_two(success: str) -> Callable[[Case], str]:
    """The message after a decision: `success`, unless a second expert must give the same verdict."""
    waiting = "Your answer is kept. It takes effect when a second expert gives the same."
    return lambda case: waiting if case.state == State.IN_REVIEW else success


SUBMIT = Transition(
    name="submit",
    label="Submit for review",
    effect=(
        "The text below becomes the next round: it can't be changed any more, everyone can read it, and it "
        "is posted to the discussion list. The case is public from its first round on."
    ),
    success="Submitted. The text was posted to the discussion list.",
    past="Submitted round {round}",
    permission=permissions.is_registrant,
    sources=frozenset({State.DRAFT, State.CHANGES_REQUESTED, State.IN_REVIEW}),
    targets=(State.IN_REVIEW,),
    conditions=(conditions.STILL_THE_REGISTRANT,),
    parameters=(DRAFT_STAMP,),
    refusals=(SubmissionIncomplete, PointsUnanswered, StaleDraft, NothingChanged, AlreadySubmitted),
    other_mails={
        "post_to_list": (Audience.DISCUSSION_LIST,),
        "competing_case_submitted": (Audience.EDITORS_WHO_SHARE_NID,),
    },
)
REQUEST_CHANGES = Transition(
    name="request_changes",
    label="Request changes",
    effect="The case goes back to the registrant, who answers each action point and submits the next round.",
    success="Changes are requested. The registrant was told.",
    past="Requested changes",
    permission=permissions.is_expert,
    sources=frozenset({State.IN_REVIEW}),
    targets=(State.CHANGES_REQUESTED,),
    conditions=(conditions.COMMUNITY,),
    parameters=(
        ROUND_NUMBER,
        Text(
            "rationale",
            "In general",
            "What you think of the round as a whole. It may stay empty.",
            lines=5,
            is_optional=True,
        ),
        ActionPoints(
            "action_points",
            "What is to change, at least once.",
            sample=[{"section": "purpose", "text": "Say who benefits."}],
        ),
    ),
    refusals=(*VERDICT_REFUSALS, UnknownSection),
)
ADVISE = Transition(
    name="advise",
    label="Give advice",
    effect="On the fast track a review is advice: the requesting body decides what to take from it.",
    success="Your advice is kept, and the registrant was told.",
    past="Gave advice",
    permission=permissions.is_expert,
    sources=frozenset({State.IN_REVIEW}),
    targets=(State.IN_REVIEW,),
    conditions=(conditions.FAST_TRACK,),
    parameters=(ROUND_NUMBER, Text("rationale", "Advice", sample="Mature, and useful to gardens.")),
    refusals=VERDICT_REFUSALS,
    mailed_to=INFORMED,
)
APPROVE = Transition(
    name="approve",
    label="Approve",
    effect="The round goes to an administrator, who registers it as it stands.",
    success=_after_one_or_two("Approved. An administrator registers it next."),
    past="Approved round {round}",
    permission=permissions.is_expert,
    sources=frozenset({State.IN_REVIEW}),
    targets=(State.APPROVED, State.IN_REVIEW),
    conditions=(conditions.COMMUNITY, conditions.NO_STANDARDS_ACTION),
    parameters=(
        ROUND_NUMBER,
        Text(
            "rationale",
            "Rationale",
            "Why this round can be registered. It becomes part of the public record.",
            sample="Sound, and useful to gardens.",
        ),
    ),
    refusals=DECISION_REFUSALS,
)
FORWARD_REPORT = Transition(
    name="forward_report",
    label="Forward the report",
    effect="The report goes to the approval body, and the case waits for its direction.",
    success=_after_one_or_two("The report is on its way to the approval body."),
    past="Forwarded the report to the approval body",
    permission=permissions.is_expert,
    sources=frozenset({State.IN_REVIEW}),
    targets=(State.AWAITING_DIRECTION, State.IN_REVIEW),
    conditions=(conditions.COMMUNITY, conditions.STANDARDS_ACTION),
    parameters=(
        ROUND_NUMBER,
        Text(
            "report",
            "Report",
            "What the review found, and what you recommend. It is public.",
            sample="We recommend to register it.",
            lines=14,
        ),
    ),
    refusals=DECISION_REFUSALS,
)
DIRECT = Transition(
    name="direct",
    label="Record the direction",
    effect="Records what the approval body decided. The case goes on to an administrator, or ends declined.",
    success="The direction is recorded.",
    past="Recorded the direction of the approval body",
    permission=permissions.is_liaison,
    sources=frozenset({State.AWAITING_DIRECTION}),
    targets=(State.APPROVED, State.DECLINED),
    parameters=(
        ROUND_NUMBER,
        YesOrNo(
            "is_approved",
            "The approval body decided",
            sample=True,
            yes="that the namespace is to be registered",
            no="to decline the request",
        ),
        reference("Reference to the decision"),
        optional_reason(label="In its words", lines=5),
    ),
    refusals=(StaleRound,),
)
DECLINE = Transition(
    name="decline",
    label="Decline",
    effect="The case ends here, unless the registrant appeals to the approval body.",
    success=_after_one_or_two("Declined. The registrant was told why."),
    past="Declined",
    permission=permissions.is_expert,
    sources=frozenset({State.IN_REVIEW}),
    targets=(State.DECLINED, State.IN_REVIEW),
    conditions=(conditions.COMMUNITY,),
    parameters=(ROUND_NUMBER, Text("reason", "Reason", sample="The names would not be unique.")),
    refusals=DECISION_REFUSALS,
    is_grave=True,
)
APPEAL = Transition(
    name="appeal",
    label="Appeal",
    effect="The approval body looks at the declined request. A case can be appealed once.",
    success="Your appeal waits for the approval body.",
    past="Appealed",
    permission=permissions.is_registrant,
    sources=frozenset({State.DECLINED}),
    targets=(State.AWAITING_DIRECTION,),
    conditions=(conditions.NOT_YET_APPEALED,),
    parameters=(Text("reason", "Why the decision should be looked at again", sample="It is needed."),),
)
RECOGNISE = Transition(
    name="recognise",
    label="Recognise the body",
    effect="The body is recognised for the fast track: reviews are advice, and it decides when to complete.",
    success="The recognition is recorded.",
    past="Recorded that the requesting body is recognised",
    permission=permissions.is_liaison,
    sources=frozenset({State.IN_REVIEW}),
    targets=(State.IN_REVIEW,),
    conditions=(conditions.FAST_TRACK, conditions.RECOGNITION_PENDING),
    parameters=(
        reference("Reference to the recognition"),
        Flag("for_later_cases", "It holds for later cases of this body too"),
    ),
)
REFUSE_RECOGNITION = Transition(
    name="refuse_recognition",
    label="Refuse recognition",
    effect="The case goes on under the community procedure, with all that it holds: the experts decide.",
    success="The refusal is recorded. The case goes on under the community procedure.",
    past="Recorded that the requesting body is not recognised",
    permission=permissions.is_liaison,
    sources=frozenset({State.IN_REVIEW}),
    targets=(State.IN_REVIEW,),
    conditions=(conditions.FAST_TRACK, conditions.RECOGNITION_PENDING),
    parameters=(reference("Reference to the decision"),),
    is_grave=True,
)
REQUEST_COMPLETION = Transition(
    name="request_completion",
    label="Request completion",
    effect="The latest round goes to an administrator, who registers it as it stands.",
    success="Completion is requested. An administrator registers the namespace next.",
    past="Requested completion",
    permission=permissions.is_registrant,
    sources=frozenset({State.IN_REVIEW}),
    targets=(State.APPROVED,),
    conditions=(conditions.FAST_TRACK, conditions.BODY_RECOGNISED),
    parameters=(ROUND_NUMBER,),
    refusals=(StaleRound,),
)
ASSIGN = Transition(
    name="assign",
    label="Assign",
    effect="This can't be undone: a namespace is registered for ever, its identifier never given again.",
    success="Registered.",
    past="Registered {nid}, version {version}",
    permission=permissions.is_administrator,
    sources=frozenset({State.APPROVED}),
    targets=(State.REGISTERED,),
    conditions=(conditions.STILL_THE_REGISTRANT,),
    parameters=(ROUND_NUMBER,),
    refusals=(StaleRound, NidTaken, NidNotRegistrable, StaleRevision),
    other_mails={"competing_case_registered": (Audience.EDITORS_WHO_LOSE_NID,)},
)
RETURN_TO_REGISTRANT = Transition(
    name="return_to_registrant",
    label="Return to the registrant",
    effect="The case goes back to the registrant, who changes the template and submits it again.",
    success="Returned. The registrant was told why.",
    past="Returned the case to the registrant",
    permission=permissions.is_administrator,
    sources=frozenset({State.APPROVED}),
    targets=(State.CHANGES_REQUESTED,),
    parameters=(Text("reason", "Reason", sample="The address is wrong."),),
)
WITHDRAW = Transition(
    name="withdraw",
    label="Withdraw",
    effect="The case ends. What was submitted stays readable, and a new case can be begun at any time.",
    success="The request is withdrawn.",
    past="Withdrew the request",
    permission=permissions.is_registrant,
    sources=frozenset(OPEN_STATES),
    targets=(State.WITHDRAWN,),
    parameters=(optional_reason(),),
    is_grave=True,
    mailed_to=(*INFORMED, Audience.WERE_TO_ACT),
)

# In the order in which pages offer them.
TRANSITIONS = (
    SUBMIT,
    REQUEST_CHANGES,
    ADVISE,
    APPROVE,
    FORWARD_REPORT,
    DIRECT,
    DECLINE,
    APPEAL,
    RECOGNISE,
    REFUSE_RECOGNITION,
    REQUEST_COMPLETION,
    ASSIGN,
    RETURN_TO_REGISTRANT,
    WITHDRAW,
)
ALL_ACTIONS: tuple[Action, ...] = (*TRANSITIONS, *ACTIONS, DISMISS_FINDING)
ACTION_BY_SLUG = {action.slug: action for action in (*TRANSITIONS, *ACTIONS)}
EVENT_TYPE_BY_NAME: dict[str, EventType] = {
    each.name: each for each in (*ALL_ACTIONS, ANSWER_OF_FIRST_EXPERT, CORRECT)
}


def transitions_allowed_for(user: Person, case: Case) -> list[Transition]:
    """The transitions that `user` may make in this case now."""
    return [transition for transition in TRANSITIONS if transition.is_allowed_for(user, case)]


def actions_allowed_for(user: Person, case: Case) -> list[Action]:
    """The actions with a page of their own, other than transitions, that are open to `user` now."""
    return [action for action in ACTIONS if action.is_allowed_for(user, case)]


def all_allowed_for(user: Person, case: Case) -> list[Action]:
    """All that `user` may do in this case now, on any page."""
    return [action for action in ALL_ACTIONS if action.is_allowed_for(user, case)]
