"""The process of RFC 8141, Sections 6.2 and 6.3, as a table of the transitions of a case.

Those of experts and of the approval body are declared in `cases.workflow.declarations.reviews`, those of registrants and
administrators here. Their functions are in `cases.workflow.functions`. `cases.workflow.declarations.actions` has the
actions that do not change the state.
"""

from registry.actions.declarations import EventType
from registry.actions.parameters import Text, optional_reason
from registry.audit_log.history import ROUND
from registry.audit_log.models import BrokenAuditLog
from registry.cases import permissions
from registry.cases.drafts.replies import PointsUnanswered
from registry.cases.models import EDITABLE_STATES, OPEN_STATES, Case, State
from registry.cases.workflow.declarations import conditions, definition, reviews
from registry.cases.workflow.declarations.actions import (
    ACTIONS,
    COMMENT,
    CORRECT,
    DISMISS_FINDING,
    ERASE,
    FIRST_VERDICT,
    RENAME,
)
from registry.cases.workflow.declarations.definition import (
    REGISTRANT_AND_SUBSCRIBERS,
    Audience,
    CaseAction,
    Transition,
)
from registry.cases.workflow.declarations.parameters import DRAFT_STAMP, ROUND_NUMBER, ProfileToConfirm
from registry.cases.workflow.exceptions import (
    AlreadySubmitted,
    NothingChanged,
    SubmissionIncomplete,
)
from registry.namespaces.actions.profiles import StaleProfile
from registry.namespaces.actions.registration import NIDNotRegistrable, NIDTaken, StaleRevision
from registry.namespaces.history import ASSIGN as REGISTERED
from registry.namespaces.proposals.checking import ProfileRefused


def _withdrawn(case: Case) -> str:
    """What a withdrawal will do."""
    if not case.is_public:
        return "The draft will be closed. It was never submitted, so nothing of it becomes public."
    again = "" if case.is_of_former_registrant else " A new case can be started at any time."
    return f"The case will be closed, and can't be opened again. Submitted rounds and comments stay public.{again}"


SUBMIT = Transition(
    name="submit",
    label="Submit for review",
    effect=(
        "The draft becomes the next round, which is public and can't be changed. It is posted to the "
        "discussion list. When an informal namespace is registered, its number takes the place of urn-N in the text. "
        "By submitting, the registrant confirms that the people named in the text agree to its publication, and on "
        "the fast track that the requesting body authorised the request (RFC 8141, Section 6.3)."
    ),
    success="Submitted. The text was posted to the discussion list.",
    past="Submitted round {round}",
    details=definition.SUBMISSION,
    permission=permissions.is_registrant,
    sources=EDITABLE_STATES,
    conditions=(conditions.STILL_THE_REGISTRANT,),
    limit="rounds",
    parameters=(DRAFT_STAMP,),
    refusals=(SubmissionIncomplete, PointsUnanswered, NothingChanged, AlreadySubmitted),
    other_mails={
        "post_to_list": (Audience.DISCUSSION_LIST,),
        "competing_case_submitted": (Audience.EDITORS_WHO_SHARE_NID,),
    },
)
APPEAL = Transition(
    name="appeal",
    effect="The approval body decides on the request that the experts declined. A case can be appealed only once.",
    success="Appeal submitted. Next, the approval body decides on the request.",
    past="Appealed",
    permission=permissions.is_registrant,
    sources=frozenset({State.DECLINED}),
    targets=(State.AWAITING_DIRECTION,),
    conditions=conditions.APPEALABLE,
    parameters=(Text("reason", "Reason for the appeal", sample="The names would be unique."),),
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
CANCEL_COMPLETION = Transition(
    name="cancel_completion",
    label="Cancel the completion",
    effect="The case will go back to its review, and your body decides again when to complete the registration.",
    success="Cancelled. You can submit another round, and request completion again.",
    past="Cancelled the request for completion",
    permission=permissions.is_registrant,
    sources=frozenset({State.APPROVED}),
    conditions=(conditions.FAST_TRACK,),
    parameters=(optional_reason(),),
    mailed_to=(*REGISTRANT_AND_SUBSCRIBERS, Audience.PREVIOUSLY_ABLE_TO_ACT),
)
LEAVE_FAST_TRACK = Transition(
    name="leave_fast_track",
    label="Leave the fast track",
    effect="The case will continue under the community procedure, and the experts decide. Its content is kept.",
    success="The case continues under the community procedure. Next, the experts review it.",
    past="Left the fast track: the case continues under the community procedure",
    permission=permissions.is_registrant,
    conditions=(conditions.FAST_TRACK,),
    parameters=(optional_reason(),),
    is_grave=True,
)
ASSIGN = Transition(
    name="assign",
    effect="Registration is permanent: it can't be undone, and the identifier is never reused.",
    success="Registered.",
    past="Registered {nid}, version {version}",
    details=REGISTERED.details,
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
    conditions=(conditions.RETURNABLE,),
    parameters=(Text("reason", "Reason", sample="The address is wrong."),),
)
WITHDRAW = Transition(
    name="withdraw",
    effect="The case will be closed. Submitted rounds stay public. A new case can be started at any time.",
    effect_now=_withdrawn,
    success="The request is withdrawn.",
    past="Withdrew the request",
    permission=permissions.is_registrant,
    sources=OPEN_STATES,
    targets=(State.WITHDRAWN,),
    parameters=(optional_reason(),),
    is_grave=True,
    mailed_to=(*REGISTRANT_AND_SUBSCRIBERS, Audience.PREVIOUSLY_ABLE_TO_ACT),
)

# In the order of the buttons on pages.
TRANSITIONS = (
    SUBMIT,
    reviews.REQUEST_CHANGES,
    reviews.ADVISE,
    reviews.APPROVE,
    reviews.FORWARD_REPORT,
    reviews.DIRECT,
    reviews.RETURN_TO_EXPERTS,
    reviews.DECLINE,
    reviews.TAKE_BACK,
    APPEAL,
    reviews.RECOGNISE,
    reviews.REFUSE_RECOGNITION,
    REQUEST_COMPLETION,
    CANCEL_COMPLETION,
    LEAVE_FAST_TRACK,
    ASSIGN,
    RETURN_TO_REGISTRANT,
    WITHDRAW,
)
ALL_ACTIONS: tuple[CaseAction, ...] = (*TRANSITIONS, *ACTIONS, DISMISS_FINDING)
ACTION_BY_SLUG = {action.slug: action for action in (*TRANSITIONS, *ACTIONS)}
EVENT_TYPE_BY_NAME: dict[str, EventType] = {
    each.name: each for each in (*ALL_ACTIONS, FIRST_VERDICT, COMMENT, CORRECT, ERASE, RENAME)
}
