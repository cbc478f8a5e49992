from django.apps import AppConfig


class NamespacesConfig(AppConfig):
    name = "registry.namespaces"
    label = "namespaces"

    def ready(self) -> None:
        """Register the checks of texts, the personal data of the app, and offers as pending grants."""
        from registry.namespaces import committed_texts, personal_data  # noqa: F401
        from registry.namespaces.services import transfers  # noqa: F401
