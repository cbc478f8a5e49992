from django.apps import AppConfig


class PublicationConfig(AppConfig):
    name = "registry.publication"
    label = "publication"

    def ready(self) -> None:
        """Register the checks of texts, and the personal data of the app."""
        from registry.publication import committed_texts, personal_data  # noqa: F401
