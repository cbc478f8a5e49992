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
        """Register personal data, let new profiles normalize the prefixes again, and searches find namespaces by their lists."""
        from registry.namespaces.search import OTHER_TEXTS
        from registry.subnamespaces import lists, personal_data
        from registry.subnamespaces.search import namespaces_with

        del personal_data
        lists.follow_profiles()
        OTHER_TEXTS.append(namespaces_with)
