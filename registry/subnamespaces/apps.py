from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from registry.actions.declarations import EventType


class SubNamespacesConfig(AppConfig):
    name = "registry.subnamespaces"
    label = "subnamespaces"

    def namespace_events(self) -> Iterable["EventType"]:
        from registry.subnamespaces.importing import IMPORT_SUBNAMESPACES

        return (IMPORT_SUBNAMESPACES,)

    def ready(self) -> None:
        """Register the personal data of the app, and let new profiles normalize the prefixes again."""
        from registry.subnamespaces import lists, personal_data

        del personal_data
        lists.follow_profiles()
