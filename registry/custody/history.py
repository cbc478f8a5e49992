"""The types of the events of claims and contacts: those that the history of the namespace shows, and the private ones."""

from collections.abc import Iterator

from registry.actions.declarations import EventType, events_in
from registry.custody.actions import claims, contact


def public_types() -> Iterator[EventType]:
    return (each for each in events_in(claims, contact) if each.is_public)


def private_events() -> set[str]:
    """The names of those that only the page of a claim shows, to the people concerned."""
    return {str(each.name) for each in events_in(claims, contact) if not each.is_public}
