from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from registry.actions.declarations import EventType


class CustodyConfig(AppConfig):
    name = "registry.custody"
    label = "custody"

    def namespace_events(self) -> Iterable["EventType"]:
        from registry.custody.history import public_types

        return public_types()

    def ready(self) -> None:
        """Register the personal data and the jobs of the app, claims as pending grants, and what waits in the inbox."""
        from registry.custody import personal_data, queries, tasks
        from registry.custody.actions import claims

        del claims, personal_data, queries, tasks
