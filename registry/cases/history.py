"""The history of a case: a line of text for each event of the audit log, and the timeline of its page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from registry.accounts.models import Recognition, User
from registry.audit_log.history import HistoryLine, corrections_among
from registry.audit_log.models import Event
from registry.cases.models import CLOSED_STATES, REGISTRANT_STATES, Case, State, Verdict
from registry.cases.models.states import COMMENT_NAME
from registry.cases.workflow.declarations.transitions import EVENT_TYPE_BY_NAME
from registry.registration_template.sections import SECTION_BY_KEY


@dataclass(frozen=True, slots=True)
class CaseLine(HistoryLine):
    """One event of a case, as text."""

    @property
    def state(self) -> str:
        """The new state of the case; "" if the state did not change or the label contains it."""
        if self.event.from_state == self.event.to_state:
            return ""
        label = State(self.event.to_state).label
        return "" if self.label.lower().startswith(label) else label

    @property
    def reason(self) -> str:
        """The reason, unless a review shows it."""
        return "" if self.event.verb in Verdict.values else self.event.reason


def record_of(case: Case) -> list[Event]:
    """The events of a case, oldest first, without the comments, which the discussion shows."""
    events = Event.objects.of_case(case.pk).exclude(verb=COMMENT_NAME)
    return list(events.with_proofs().select_related("actor").order_by("number"))


def history_of(record: Sequence[Event]) -> list[CaseLine]:
    """The lines of the history, latest event first."""
    named = {event.details.get("person") for event in record} - {None}
    people = User.objects.in_bulk(named) if named else {}
    corrected = corrections_among(record)
    return [
        CaseLine(event, describe_event(event, people), corrected.get(event.number, ()))
        for event in reversed(record)
    ]


def describe_event(event: Event, people: Mapping[int, User]) -> str:
    """The line for an event; `people` are the people whom the events name, by primary key."""
    event_type = EVENT_TYPE_BY_NAME.get(event.verb)
    if event_type is None:
        return event.verb.replace("_", " ").capitalize()
    past = event_type.past if isinstance(event_type.past, str) else event_type.past(event)
    section = SECTION_BY_KEY.get(event.details.get("section", ""))
    return past.format_map(
        {"round": "", "version": ""}
        | event.details
        | {
            "nid": event.nid,
            "person": people.get(event.details.get("person", 0), "a person"),
            "section": section.title if section else "",
        }
    )


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
