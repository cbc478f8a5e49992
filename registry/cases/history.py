"""The history of a case: a line of text for each event of the audit log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from registry.accounts.models import User
from registry.audit_log.history import HistoryLine, corrections_among
from registry.audit_log.models import Event
from registry.cases.models import Case, State, Verdict
from registry.cases.models.decisions import COMMENT_NAME
from registry.cases.workflow.table import EVENT_TYPE_BY_NAME
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
    return list(events.select_related("actor").order_by("number"))


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
