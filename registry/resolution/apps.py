from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from registry.actions.declarations import EventType


class ResolutionConfig(AppConfig):
    name = "registry.resolution"
    label = "resolution"

    def namespace_events(self) -> Iterable["EventType"]:
        from registry.actions.declarations import events_in
        from registry.resolution import actions

        return events_in(actions)

    def ready(self) -> None:
        """Register the checks of texts, the personal data and the inbox of the app, the receiver of loaded profiles, metrics and jobs."""
        from registry.resolution import actions, committed_texts, inbox, personal_data
        from registry.resolution.health import metrics, tasks

        del committed_texts, inbox, personal_data, tasks
        actions.connect()
        metrics.connect()
