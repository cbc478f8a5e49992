"""The whole history of a case, from the record, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from registry.accounts.models import User
from registry.audit_log.history import HistoryLine, corrections_among
from registry.audit_log.models import Event
from registry.cases.models import Case, State, Verdict
from registry.registration_template.sections import SECTION_BY_KEY

# What was done, by the verb of the event; what stands in braces is of the event, or of the person it names.
WORDS = {
    "submit": "Submitted round {round}",
    "request_changes": "Requested changes",
    "advise": "Gave advice",
    "approve": "Approved round {round}",
    "forward_report": "Forwarded the report to the approval body",
    "direct": "Recorded the direction of the approval body",
    "decline": "Declined",
    "appeal": "Appealed",
    "recognise": "Recorded that the requesting body is recognised",
    "refuse_recognition": "Recorded that the requesting body is not recognised",
    "request_completion": "Requested completion",
    "assign": "Registered {nid}, version {version}",
    "return_to_registrant": "Returned the case to the registrant",
    "withdraw": "Withdrew the request",
    "answer_of_first_expert": "Answered as the first of two experts",
    "dismiss_finding": "Set a finding on {section} aside",
    "recuse": "Stepped back from the case",
    "add_co_editor": "Added {person} as a co-editor",
    "correct": "Corrected event {corrects} of the record",
    "remove_co_editor": "Removed {person} as a co-editor",
}


@dataclass(frozen=True, slots=True)
class CaseLine(HistoryLine):
    """One event of a case, in words."""

    @property
    def state(self) -> str:
        """The state that the case came to; "" when it stayed where it was, or the words say it."""
        if self.event.from_state == self.event.to_state:
            return ""
        label = State(self.event.to_state).label
        return "" if self.label.lower().startswith(label) else label

    @property
    def reason(self) -> str:
        """Why, unless a review says so already."""
        return "" if self.event.verb in Verdict.values else self.event.reason


def record_of(case: Case) -> list[Event]:
    """What the record says of a case, the oldest event first."""
    return list(Event.objects.of_case(case.pk).select_related("actor").order_by("number"))


def history_of(record: Sequence[Event]) -> list[CaseLine]:
    """The same in words, the latest event first."""
    named = {event.details.get("person") for event in record} - {None}
    people = User.objects.in_bulk(named) if named else {}
    corrected = corrections_among(record)
    return [
        CaseLine(event, in_words(event, people), corrected.get(event.number, ()))
        for event in reversed(record)
    ]


def in_words(event: Event, people: Mapping[int, User]) -> str:
    """What was done; `people` are those whom events name, as far as they are known."""
    if event.verb == "anticipate_standards_action":
        return f"{'A' if event.details['anticipated'] else 'No'} standards action is anticipated"
    if event.verb == "require_two_experts":
        return "Two experts must agree" if event.details["required"] else "The first answer decides"
    words = WORDS.get(event.verb, event.verb.replace("_", " ").capitalize())
    person = people.get(event.details.get("person", 0), "somebody")
    if event.verb == "remove_co_editor" and person == event.actor:
        return "Left the case as a co-editor"
    section = SECTION_BY_KEY.get(event.details.get("section", ""))
    said = {"round": "", "version": "", **event.details, "nid": event.nid, "person": person}
    said["section"] = section.title if section else ""
    return words.format(**said)
