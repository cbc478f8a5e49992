"""The line of steps that a case walks along: those behind it as the record has them, and those ahead."""

from collections.abc import Iterable
from dataclasses import dataclass

from registry.accounts.models import Recognition
from registry.audit_log.models import Event
from registry.cases.models import CLOSED_STATES, Case, State


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """One stop on the way: behind the case, where it is, or ahead of it."""

    label: str
    is_done: bool = False
    is_current: bool = False
    is_end: bool = False

    @property
    def words(self) -> str:
        """Where it lies, for those who see neither colour nor sign."""
        if self.is_end:
            return "the end"
        return "now" if self.is_current else "done" if self.is_done else "to come"


def timeline_of(case: Case, record: Iterable[Event] = ()) -> list[TimelineStep]:
    """The whole line, given what the record says of the case, the oldest event first."""
    *passed, now = _labels(case, _walked(case, record))
    behind = [TimelineStep(label, is_done=True) for label in passed]
    if case.state in CLOSED_STATES:
        return [
            *behind,
            TimelineStep(now, is_done=case.state == State.REGISTERED, is_current=True, is_end=True),
        ]
    return [*behind, TimelineStep(now, is_current=True), *(TimelineStep(label) for label in _ahead(case))]


def _walked(case: Case, record: Iterable[Event]) -> list[State]:
    """The states that the case came through to where it is; a new round begins the review anew."""
    walked = [State.DRAFT]
    for event in record:
        state = event.to_state
        if state not in State.values or state == event.from_state:
            continue
        if state == State.IN_REVIEW:
            walked = [State.DRAFT]
        elif state == State.CHANGES_REQUESTED:
            walked = [State.DRAFT, State.IN_REVIEW]
        walked.append(State(state))
    return walked if walked[-1] == case.state else [*walked, State(case.state)]


def _labels(case: Case, walked: list[State]) -> list[str]:
    """The states that the case came through, as the steps that it made there."""
    labels = []
    for at, state in enumerate(walked):
        is_after_appeal = State.DECLINED in walked[:at]
        if state == State.IN_REVIEW and case.is_fast_track:
            labels += _fast_track(case, is_left=at < len(walked) - 1)
        elif state == State.AWAITING_DIRECTION and is_after_appeal:
            labels.append("Direction on the appeal")
        elif state == State.DECLINED and is_after_appeal:
            labels.append("Declined for good")
        else:
            labels.append(_label(case, state))
    return labels


def _fast_track(case: Case, *, is_left: bool) -> list[str]:
    """What of the fast track a case has behind it, to where it is or left."""
    if case.recognition == Recognition.RECOGNISED:
        return ["Recognition", "Advice"]
    return ["Advice"] if is_left else ["Recognition"]


def _ahead(case: Case) -> list[str]:
    """What an open case has ahead of it, if nobody objects."""
    review = ["Recognition", "Advice"] if case.is_fast_track else ["Expert review"]
    direction = ["Direction"] if case.standards_action and not case.is_fast_track else []
    assignment, registered = _label(case, State.APPROVED), _label(case, State.REGISTERED)
    is_asking = case.is_fast_track and case.recognition == Recognition.PENDING
    before: dict[State, list[str]] = {
        State.DRAFT: [*review, *direction, assignment],
        State.IN_REVIEW: [*(["Advice"] if is_asking else direction), assignment],
        State.CHANGES_REQUESTED: [f"{review[-1]} again", *direction, assignment],
        State.AWAITING_DIRECTION: [assignment],
        State.APPROVED: [],
    }
    return [*before.get(State(case.state), []), registered]


def _label(case: Case, state: State) -> str:
    if state == State.REGISTERED and case.is_revision:
        return f"Version {case.revision.version if case.revision else case.next_version} registered"
    if state == State.APPROVED and case.is_revision:
        return "Registration"
    return LABELS.get(state, state.label.capitalize())


# The steps that are not named after their state.
LABELS = {
    State.IN_REVIEW: "Expert review",
    State.CHANGES_REQUESTED: "Changes",
    State.AWAITING_DIRECTION: "Direction",
    State.APPROVED: "Assignment",
}
