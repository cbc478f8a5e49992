"""Where a case stands, for people: who has it, what they are to do, and the line of steps it walks along."""

from dataclasses import dataclass

from registry.accounts.models import Recognition
from registry.namespaces.models import Kind
from registry.namespaces.registering import next_informal_nid
from registry.registrations.models import Registration, State


@dataclass(frozen=True, slots=True)
class Standing:
    """Who has the case now ("" when it is closed), what they are to do, and what comes after that."""

    holder: str
    task: str
    afterwards: str = ""

    @property
    def verb(self) -> str:
        return "have" if self.holder.endswith("s") else "has"


@dataclass(frozen=True, slots=True)
class Step:
    """One stop on the way: behind the case, where it is, or ahead of it."""

    label: str
    is_done: bool = False
    is_current: bool = False


BY_STATE: dict[State, Standing] = {
    State.DRAFT: Standing(
        "The registrant",
        "Complete the template and submit it. Until then only its editors see this case.",
        "Then the designated experts review it, in public.",
    ),
    State.CHANGES_REQUESTED: Standing(
        "The registrant",
        "Change the template as the action points of the last review ask, and submit it again.",
        "Then it goes back to the experts who had it.",
    ),
    State.AWAITING_DIRECTION: Standing(
        "The approval body",
        "Decide. Its liaison records the direction here, with a reference to the decision.",
        "Then an administrator registers the namespace, or the case ends as declined.",
    ),
    State.APPROVED: Standing(
        "The administrators",
        "Check the approved round once more, and register it.",
        "Then anyone can look the namespace up.",
    ),
    State.REGISTERED: Standing("", "The registration is complete and stays readable for ever."),
    State.WITHDRAWN: Standing("", "The registrant took the request back."),
}
REVIEW = Standing(
    "The designated experts",
    "Read the latest round, then approve it, ask for changes, or decline.",
    "Approved, it goes to an administrator, who registers it. The registrant can improve it meanwhile.",
)
REVIEW_FOR_A_STANDARD = Standing(
    "The designated experts",
    "Read the latest round and report on it to the approval body, ask for changes, or decline.",
    "The approval body then directs whether the namespace is registered.",
)
RECOGNITION = Standing(
    "The approval body",
    "Say whether the requesting body is one for the fast track. Meanwhile anyone may give advice.",
    "Recognised, the requesting body decides when to complete; otherwise the designated experts decide.",
)
COMPLETION = Standing(
    "The requesting body",
    "Weigh the advice, and ask for completion when the registration is mature. Reviews bind nobody here.",
    "Then an administrator registers the namespace.",
)
TRANSFERRED = Standing(
    "The registrant",
    "Withdraw it: the namespace was transferred to somebody else, who revises it now.",
    "This revision can't be registered any more.",
)
DECLINED = Standing("", "The request was declined. The registrant may appeal to the approval body, once.")
DECLINED_FINALLY = Standing("", "The request was declined, and the appeal was heard.")


def standing_of(case: Registration) -> Standing:
    """Who has the case now, and what for."""
    state = State(case.state)
    if case.is_open and case.is_of_former_registrant:
        return TRANSFERRED
    if state == State.IN_REVIEW:
        return _in_review(case)
    if state == State.DECLINED:
        return DECLINED_FINALLY if case.appealed_at else DECLINED
    return BY_STATE[state]


def _in_review(case: Registration) -> Standing:
    if case.is_fast_track:
        return COMPLETION if case.recognition == Recognition.RECOGNISED else RECOGNITION
    return REVIEW_FOR_A_STANDARD if case.standards_action else REVIEW


def steps_of(case: Registration) -> list[Step]:
    """The line from draft to registration, or to where the case ended."""
    stops = _stops(case)
    here = next(index for index, (state, _) in enumerate(stops) if state == case.state)
    return [
        Step(label, is_done=index < here or state == State.REGISTERED == case.state, is_current=index == here)
        for index, (state, label) in enumerate(stops)
    ]


def _stops(case: Registration) -> list[tuple[State, str]]:
    stops = [(State.DRAFT, "Draft"), (State.IN_REVIEW, "Advice" if case.is_fast_track else "Expert review")]
    if case.state in {State.DECLINED, State.WITHDRAWN}:
        reached = stops if case.is_public else stops[:1]
        return [*reached, (State(case.state), case.get_state_display().capitalize())]
    if case.state == State.CHANGES_REQUESTED:
        stops.append((State.CHANGES_REQUESTED, "Changes by the registrant"))
    if case.standards_action or case.appealed_at or case.state == State.AWAITING_DIRECTION:
        stops.append((State.AWAITING_DIRECTION, "Direction by the approval body"))
    return [*stops, (State.APPROVED, "Assignment"), (State.REGISTERED, "Registered")]


def what_assignment_does(case: Registration) -> str:
    """What `assign` would do now, to be read before it is done."""
    if case.is_revision and case.namespace is not None:
        return f"Registers version {case.next_version} of {case.namespace.nid}."
    nid = next_informal_nid() if case.kind == Kind.INFORMAL else case.requested_nid
    return f"Registers {nid}, version 1, for ever."
