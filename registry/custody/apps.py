from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from registry.actions.declarations import EventType


class CustodyConfig(AppConfig):
    name = "registry.custody"
    label = "custody"

    def namespace_events(self) -> Iterable["EventType"]:
        from registry.actions.declarations import events_in
        from registry.custody.actions import claims, contact

        return (each for each in events_in(claims, contact) if each.is_public)

    def ready(self) -> None:
        """Register the personal data and the jobs of the app, and claims as pending grants."""
        from registry.custody import personal_data, tasks
        from registry.custody.actions import claims

        del claims, personal_data, tasks
