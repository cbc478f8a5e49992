"""Lines of histories: events as text, each with later corrections."""

from collections.abc import Iterable
from dataclasses import dataclass

from registry.audit_log.details import REFERENCE, Detail
from registry.audit_log.models import Event

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
