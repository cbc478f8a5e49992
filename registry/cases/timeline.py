"""The timeline of a case: the steps so far, from its events, and the expected next steps."""

from collections.abc import Iterable
from dataclasses import dataclass

from registry.accounts.models import Recognition
from registry.audit_log.models import Event
from registry.cases.models import CLOSED_STATES, REGISTRANT_STATES, Case, State


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """One step: done, current, or next."""

    label: str
    is_done: bool = False
    is_current: bool = False
    is_end: bool = False

    @property
    def position(self) -> str:
        """The position as text, which does not depend on colours or signs."""
        if self.is_end:
            return "closed"
        return "now" if self.is_current else "done" if self.is_done else "next"


def timeline_of(case: Case, record: Iterable[Event] = ()) -> list[TimelineStep]:
    """The whole timeline, from the events of the case, oldest first."""
    *passed, now = _labels(case, _past_states(case, record))
    past = [TimelineStep(label, is_done=True) for label in passed]
    if case.state in CLOSED_STATES:
        return [
            *past,
            TimelineStep(now, is_done=case.state == State.REGISTERED, is_current=True, is_end=True),
        ]
    return [*past, TimelineStep(now, is_current=True), *(TimelineStep(label) for label in _next_steps(case))]


def _past_states(case: Case, record: Iterable[Event]) -> list[State]:
    """The states up to the current one. A new round restarts the review."""
    walked = [State.DRAFT]
    for event in record:
        state = event.to_state
        if state not in State.values or state == event.from_state:
            continue
        if state == State.IN_REVIEW:
            walked = [State.DRAFT]
        elif state in REGISTRANT_STATES:
            walked = [State.DRAFT, State.IN_REVIEW]
        walked.append(State(state))
    return walked if walked[-1] == case.state else [*walked, State(case.state)]


def _labels(case: Case, walked: list[State]) -> list[str]:
    """The labels of the steps for these states."""
    labels = []
    for at, state in enumerate(walked):
        is_after_appeal = State.DECLINED in walked[:at]
        if state == State.IN_REVIEW and case.is_fast_track:
            labels += _fast_track(case, is_left=at < len(walked) - 1)
        elif state == State.AWAITING_DIRECTION and is_after_appeal:
            labels.append("Direction on the appeal")
        elif state == State.DECLINED and is_after_appeal:
            labels.append("Finally declined")
        else:
            labels.append(_label(case, state))
    return labels


def _fast_track(case: Case, *, is_left: bool) -> list[str]:
    """The steps of the fast track up to the current one."""
    if case.recognition == Recognition.RECOGNISED:
        return ["Recognition", "Advice"]
    return ["Advice"] if is_left else ["Recognition"]


def _next_steps(case: Case) -> list[str]:
    """The next steps of an open case if each one succeeds."""
    review = ["Recognition", "Advice"] if case.is_fast_track else ["Expert review"]
    direction = ["Direction"] if case.standards_action and not case.is_fast_track else []
    assignment, registered = _label(case, State.APPROVED), _label(case, State.REGISTERED)
    is_recognition_pending = case.is_fast_track and case.recognition == Recognition.PENDING
    before: dict[State, list[str]] = {
        State.DRAFT: [*review, *direction, assignment],
        State.IN_REVIEW: [*(["Advice"] if is_recognition_pending else direction), assignment],
        State.AWAITING_DIRECTION: [assignment],
        **{state: [f"{review[-1]} again", *direction, assignment] for state in REGISTRANT_STATES},
    }
    return [*before.get(State(case.state), []), registered]


def _label(case: Case, state: State) -> str:
    if state == State.REGISTERED and case.is_revision:
        return f"Version {case.revision.version if case.revision else case.next_version} registered"
    if state == State.APPROVED and case.is_revision:
        return "Registration"
    return LABELS.get(state, state.label.capitalize())


# The labels that differ from the name of the state.
LABELS = {
    State.IN_REVIEW: "Expert review",
    State.CHANGES_REQUESTED: "Changes",
    State.AWAITING_DIRECTION: "Direction",
    State.APPROVED: "Assignment",
}
