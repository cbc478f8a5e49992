from django.apps import AppConfig


class PublicationConfig(AppConfig):
    name = "registry.publication"
    label = "publication"

    def ready(self) -> None:
        """Register the checks of texts."""
        from registry.publication import committed_texts  # noqa: F401
