"""Which events and which of their members are public. The app that knows the types of all events says so."""

from dataclasses import dataclass
from functools import cache
from typing import Protocol, runtime_checkable

from django.apps import apps


@dataclass(frozen=True, slots=True)
class PublicEvents:
    """The verbs of public events, of cases and others, and the names of public details.

    The events of a case are public from the first one with the verb `opening` on.
    """

    of_cases: frozenset[str]
    others: frozenset[str]
    opening: str
    details: frozenset[str]

    def is_public(self, verb: str, *, case: int | None, is_opened: bool) -> bool:
        """Whether an event is public, from its content and earlier events alone, so that it never changes."""
        if case is None:
            return verb in self.others
        return verb in self.of_cases and (is_opened or verb == self.opening)


@runtime_checkable
class HasPublicEvents(Protocol):
    """The AppConfig of the app that says which events are public."""

    def public_events(self) -> PublicEvents: ...


@cache
def public_events() -> PublicEvents:
    """What the one app says. Django's apps must be ready."""
    (config,) = [each for each in apps.get_app_configs() if isinstance(each, HasPublicEvents)]
    return config.public_events()
