from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from registry.audit_log.publicity import PublicEvents


class CasesConfig(AppConfig):
    name = "registry.cases"
    label = "cases"

    def public_events(self) -> "PublicEvents":
        from registry.cases.publicity import PUBLIC_EVENTS

        return PUBLIC_EVENTS

    def ready(self) -> None:
        """Bind the function of each action to its declaration in the transition table, and register the checks of
        texts, the personal data of the app, and what waits in the inbox.
        """
        from registry.cases import comments, inbox, personal_data  # noqa: F401
        from registry.cases.workflow import committed_texts, functions  # noqa: F401
        from registry.cases.workflow.functions import people  # noqa: F401
