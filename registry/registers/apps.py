from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from registry.actions.declarations import EventType


class RegistersConfig(AppConfig):
    name = "registry.registers"
    label = "registers"

    def namespace_events(self) -> Iterable["EventType"]:
        from registry.actions.declarations import events_in
        from registry.registers.actions import MODULES

        return (each for each in events_in(*MODULES) if each.is_public)

    def ready(self) -> None:
        """Register the personal data of the app and what waits in the inbox, and keep the entries in step with lists and profiles."""
        from registry.registers import entries, inbox, personal_data

        del inbox, personal_data
        entries.follow_lists()
