from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from registry.actions.declarations import EventType


class OrganisationsConfig(AppConfig):
    name = "registry.organisations"
    label = "organisations"

    def organisation_events(self) -> Iterable["EventType"]:
        from registry.actions.declarations import events_in
        from registry.organisations.actions import MODULES

        return events_in(*MODULES)

    def ready(self) -> None:
        """Register the personal data of the app and what waits in the inbox, and refuse people the names of organisations."""
        from registry.organisations import personal_data, queries  # noqa: F401
        from registry.organisations.actions import organisations  # noqa: F401
