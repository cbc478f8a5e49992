from django.apps import AppConfig


class NamespacesConfig(AppConfig):
    name = "registry.namespaces"
    label = "namespaces"

    def ready(self) -> None:
        """Register the checks of texts."""
        from registry.namespaces import committed_texts  # noqa: F401
