"""The details of events, and lines of histories: events as text, each with later corrections."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

from registry.audit_log.models import Event


@dataclass(frozen=True, slots=True)
class Detail:
    """One member of the details of an event. `kind` is its type in JSON; a date is a text, and a list one of texts.

    A detail that is not public names accounts, or is for the verification of texts. An event has an optional detail
    only if it applies.
    """

    name: str
    kind: type[int | str | bool | date | list[str] | dict[str, object]]
    text: str = ""
    is_public: bool = True
    is_optional: bool = False

    @property
    def optional(self) -> "Detail":
        """The same detail, of an event that does not always have it."""
        return replace(self, is_optional=True)


def private(name: str, kind: type[int | str | bool | list[str] | dict[str, object]]) -> Detail:
    """A detail that is not public."""
    return Detail(name, kind, is_public=False)


REFERENCE = Detail("reference", str, "A reference to the decision, or to what proves a correction.")
VERSION = Detail(
    "version", int, "The version of the registration, of the profile, or of the list of sub-namespaces."
)
ROUND = Detail("round", int, "The number of the round that the event concerns.")


# The verb, the label and the details of an event that corrects an earlier one, in every history.
CORRECTION = "correct"
CORRECTION_LABEL = "Corrected event {corrects}"
CORRECTION_DETAILS = (
    Detail("corrects", int, "The number of the corrected event."),
    Detail("wrong", str, "What is wrong in the corrected event. `reason` is the correction."),
    REFERENCE.optional,
)


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """One event as text."""

    event: Event
    label: str
    corrections: tuple[Event, ...]


def corrections_among(events: Iterable[Event]) -> dict[int, tuple[Event, ...]]:
    """Return the corrections among the events, oldest first, by the number of the corrected event."""
    by_number: dict[int, tuple[Event, ...]] = {}
    for event in sorted(events, key=lambda event: event.number):
        if event.verb == CORRECTION:
            corrects = event.details["corrects"]
            by_number[corrects] = (*by_number.get(corrects, ()), event)
    return by_number
