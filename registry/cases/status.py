"""The status of a case in sentences: who it is assigned to, their task, and the next step."""

from collections.abc import Callable, Sequence

from registry.accounts.models import Recognition
from registry.audit_log.models import Event
from registry.cases.models import STATUS_BY_STATE, Case, State, Status
from registry.cases.workflow.declarations.conditions import is_declined_by_approval_body
from registry.cases.workflow.declarations.transitions import RETURN_TO_REGISTRANT
from registry.namespaces.actions.registration import next_informal_nid
from registry.namespaces.models import Kind

DRAFT_ON_THE_FAST_TRACK = Status(
    "The registrant",
    "Complete the template and submit it. Drafts are visible to their editors only.",
    "Next, the experts give advice in public, and the approval body decides whether to recognise your body.",
)
REVIEW = Status(
    "The designated experts",
    "Review the latest round. Approve it, request changes, or decline it.",
    "If approved, an administrator registers it. Until then, the draft can still be edited.",
    "The designated experts review the latest round. They approve it, request changes, or decline it.",
)
REVIEW_FOR_A_STANDARD = Status(
    "The designated experts",
    "Review the latest round. Report on it to the approval body, request changes, or decline it.",
    "Next, the approval body decides whether the namespace is registered.",
    "The designated experts review the latest round. They report on it, request changes, or decline it.",
)
RECOGNITION = Status(
    "The approval body",
    "Decide whether the requesting body qualifies for the fast track. Anyone can give advice.",
    "If recognised, the requesting body decides when to complete. If not, the designated experts decide.",
    "The approval body decides whether the requesting body qualifies for the fast track. Anyone can give advice.",
)
COMPLETION = Status(
    "The requesting body",
    "Consider the advice, and request completion when the registration is ready. Reviews are advice only.",
    "Next, an administrator registers the namespace.",
    "The requesting body considers the advice, and requests completion when the registration is ready.",
)
RETURNED = Status(
    "The registrant",
    "Edit the template as the administrator requested, and submit it again.",
    "Next, it is reviewed again.",
    "The registrant edits the template as the administrator requested, and submits it again.",
)
APPROVED_REVISION = Status(
    "The administrators",
    "Check the approved round again, and register it as the next version.",
    "Next, it becomes the current registration. Earlier versions stay available.",
    "An administrator checks the approved round again, and registers it as the next version.",
)
DIRECTION_ON_APPEAL = Status(
    "The approval body",
    "Decide on the declined request again. The liaison records the decision here.",
    "Next, an administrator registers the namespace, or the case is finally declined.",
    "The approval body decides on the declined request again. The liaison records the decision here.",
)
TRANSFERRED = Status(
    "The registrant",
    "Withdraw the request: the namespace was transferred to another registrant.",
    "This revision can no longer be registered.",
    "This request can only be withdrawn: the namespace was transferred to another registrant.",
)
DECLINED = Status(
    "",
    "The request was declined. The registrant can appeal once to the approval body.",
    "It can still be discussed. A new case can be started at any time.",
)
DECLINED_BY_APPROVAL_BODY = Status(
    "",
    "The approval body declined the request. This decision is final.",
    "The discussion stays public. A new case can be started at any time.",
)
DECLINED_FINALLY = Status(
    "",
    "The request was declined, and the appeal was decided.",
    "The discussion stays public. A new case can be started at any time.",
)


def status_of(case: Case, record: Callable[[], Sequence[Event]] = tuple) -> Status:
    """The status of the case; `record` returns its events, oldest first, and is called only if they count."""
    state = State(case.state)
    if case.is_open and case.is_of_former_registrant:
        return TRANSFERRED
    if state == State.IN_REVIEW:
        return _in_review(case)
    if state == State.DECLINED:
        return _declined(case)
    if state == State.CHANGES_REQUESTED and _last_transition(record()) == RETURN_TO_REGISTRANT.name:
        return RETURNED
    special = {
        State.DRAFT: DRAFT_ON_THE_FAST_TRACK if case.is_fast_track else None,
        State.AWAITING_DIRECTION: DIRECTION_ON_APPEAL if case.appealed_at else None,
        State.APPROVED: APPROVED_REVISION if case.is_revision else None,
    }
    return special.get(state) or STATUS_BY_STATE[state]


def _declined(case: Case) -> Status:
    if case.appealed_at:
        return DECLINED_FINALLY
    return DECLINED_BY_APPROVAL_BODY if is_declined_by_approval_body(case) else DECLINED


def _last_transition(record: Sequence[Event]) -> str:
    return next((event.verb for event in reversed(record) if event.from_state != event.to_state), "")


def _in_review(case: Case) -> Status:
    if case.is_fast_track:
        return COMPLETION if case.recognition == Recognition.RECOGNISED else RECOGNITION
    return REVIEW_FOR_A_STANDARD if case.standards_action else REVIEW


def what_assignment_does(case: Case, *, next_informal: str = "") -> str:
    """The effect of `assign` now. `next_informal` is the next informal NID, if the caller knows it."""
    if case.is_revision and case.namespace is not None:
        return f"Registers version {case.next_version} of {case.namespace.nid}."
    is_informal = case.kind == Kind.INFORMAL
    nid = (next_informal or next_informal_nid()) if is_informal else case.requested_nid
    return f"Registers {nid}, version 1, permanently."
