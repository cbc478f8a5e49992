from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from registry.actions.declarations import EventType


class NamespacesConfig(AppConfig):
    name = "registry.namespaces"
    label = "namespaces"

    def namespace_events(self) -> Iterable["EventType"]:
        from registry.namespaces.history import EVENT_TYPES

        return EVENT_TYPES

    def ready(self) -> None:
        """Register the checks of texts, the personal data of the app, offers as pending grants, and what waits in the inbox."""
        from registry.namespaces import committed_texts, personal_data, queries  # noqa: F401
        from registry.namespaces.actions import transfers  # noqa: F401
