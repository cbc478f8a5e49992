from django.apps import AppConfig


class NamespacesConfig(AppConfig):
    name = "registry.namespaces"
    label = "namespaces"

    def ready(self) -> None:
        """Register the checks of texts, and the personal data of the app."""
        from registry.namespaces import committed_texts, personal_data  # noqa: F401
