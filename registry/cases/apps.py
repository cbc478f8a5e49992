from django.apps import AppConfig


class CasesConfig(AppConfig):
    name = "registry.cases"
    label = "cases"

    def ready(self) -> None:
        """Bind the function of each action to its declaration in the transition table, and register the checks of texts."""
        from registry.cases import committed_texts  # noqa: F401
        from registry.cases.workflow import actions, co_editors, committed_states, dismissals, transitions  # noqa: F401
