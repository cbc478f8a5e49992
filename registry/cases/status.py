"""Where a case stands, in sentences: who has it, what they are to do, and what comes next."""

from collections.abc import Sequence
from dataclasses import dataclass

from registry.accounts.models import Recognition
from registry.audit_log.models import Event
from registry.cases.models import Case, State
from registry.cases.workflow.table import RETURN_TO_REGISTRANT
from registry.namespaces.models import Kind
from registry.namespaces.services.registration import next_informal_nid


@dataclass(frozen=True, slots=True)
class Status:
    """Who has the case now ("" when it is closed), what they are to do, and what comes after that."""

    holder: str
    task: str
    afterwards: str = ""

    @property
    def verb(self) -> str:
        return "have" if self.holder.endswith("s") else "has"


BY_STATE: dict[State, Status] = {
    State.DRAFT: Status(
        "The registrant",
        "Complete the template and submit it. Until then only its editors see this case.",
        "Then the designated experts review it, in public.",
    ),
    State.CHANGES_REQUESTED: Status(
        "The registrant",
        "Change the template as the action points of the last review ask, and submit it again.",
        "Then it goes back to the experts who had it.",
    ),
    State.AWAITING_DIRECTION: Status(
        "The approval body",
        "Decide. Its liaison records the direction here, with a reference to the decision.",
        "Then an administrator registers the namespace, or the case ends as declined.",
    ),
    State.APPROVED: Status(
        "The administrators",
        "Check the approved round once more, and register it.",
        "Then anyone can look the namespace up.",
    ),
    State.REGISTERED: Status(
        "",
        "The registration is complete and stays readable for ever.",
        "When the namespace changes, its registrant begins a revision on its page.",
    ),
    State.WITHDRAWN: Status(
        "",
        "The registrant took the request back. What was submitted stays readable.",
        "Whoever still wants the namespace begins a new case.",
    ),
}
DRAFT_ON_THE_FAST_TRACK = Status(
    "The registrant",
    "Complete the template and submit it. Until then only its editors see this case.",
    "Then the experts give advice, in public, and the approval body says whether it knows the requesting body.",
)
REVIEW = Status(
    "The designated experts",
    "Read the latest round, then approve it, ask for changes, or decline.",
    "Approved, it goes to an administrator, who registers it. The registrant can improve it meanwhile.",
)
REVIEW_FOR_A_STANDARD = Status(
    "The designated experts",
    "Read the latest round and report on it to the approval body, ask for changes, or decline.",
    "The approval body then directs whether the namespace is registered.",
)
RECOGNITION = Status(
    "The approval body",
    "Say whether the requesting body is one for the fast track. Meanwhile anyone may give advice.",
    "Recognised, the requesting body decides when to complete; otherwise the designated experts decide.",
)
COMPLETION = Status(
    "The requesting body",
    "Weigh the advice, and ask for completion when the registration is mature. Reviews bind nobody here.",
    "Then an administrator registers the namespace.",
)
RETURNED = Status(
    "The registrant",
    "Change the template as the administrator asks, who could not assign the namespace, and submit it again.",
    "Then it is reviewed again.",
)
APPROVED_REVISION = Status(
    "The administrators",
    "Check the approved round once more, and register it as the next version.",
    "Then anyone can read it as the namespace's registration; the versions before it stay readable.",
)
DIRECTION_ON_APPEAL = Status(
    "The approval body",
    "Look at the declined request again, and decide. Its liaison records the direction here.",
    "Then an administrator registers the namespace, or the case ends as declined, for good.",
)
TRANSFERRED = Status(
    "The registrant",
    "Withdraw it: the namespace was transferred to somebody else, who revises it now.",
    "This revision can't be registered any more.",
)
DECLINED = Status(
    "",
    "The request was declined. The registrant may appeal to the approval body, once.",
    "Until then it can still be discussed; a new case can be begun at any time.",
)
DECLINED_FINALLY = Status(
    "",
    "The request was declined, and the appeal was heard.",
    "What was said stays readable, and a new case can be begun at any time.",
)


def status_of(case: Case, record: Sequence[Event] = ()) -> Status:
    """Who has the case now, and what for; `record` is what the record says of it, the oldest event first."""
    state = State(case.state)
    if case.is_open and case.is_of_former_registrant:
        return TRANSFERRED
    if state == State.IN_REVIEW:
        return _in_review(case)
    if state == State.DECLINED:
        return DECLINED_FINALLY if case.appealed_at else DECLINED
    transitions = [event.verb for event in record if event.from_state != event.to_state]
    special = {
        State.DRAFT: DRAFT_ON_THE_FAST_TRACK if case.is_fast_track else None,
        State.CHANGES_REQUESTED: RETURNED if transitions[-1:] == [RETURN_TO_REGISTRANT.name] else None,
        State.AWAITING_DIRECTION: DIRECTION_ON_APPEAL if case.appealed_at else None,
        State.APPROVED: APPROVED_REVISION if case.is_revision else None,
    }
    return special.get(state) or BY_STATE[state]


def _in_review(case: Case) -> Status:
    if case.is_fast_track:
        return COMPLETION if case.recognition == Recognition.RECOGNISED else RECOGNITION
    return REVIEW_FOR_A_STANDARD if case.standards_action else REVIEW


def what_assignment_does(case: Case, *, next_informal: str = "") -> str:
    """What `assign` would do now, to be read before it is done; `next_informal` where it is known already."""
    if case.is_revision and case.namespace is not None:
        return f"Registers version {case.next_version} of {case.namespace.nid}."
    is_informal = case.kind == Kind.INFORMAL
    nid = (next_informal or next_informal_nid()) if is_informal else case.requested_nid
    return f"Registers {nid}, version 1, for ever."
