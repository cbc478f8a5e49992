from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from registry.actions.declarations import EventType


class DomainsConfig(AppConfig):
    name = "registry.domains"
    label = "domains"

    def organisation_events(self) -> Iterable["EventType"]:
        from registry.actions.declarations import events_in
        from registry.domains import actions, subjects

        return events_in(subjects, actions)

    def ready(self) -> None:
        """Register the jobs of the app."""
        from registry.domains import tasks

        del tasks
