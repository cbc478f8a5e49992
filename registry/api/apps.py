from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "registry.api"
    label = "api"

    def ready(self) -> None:
        """Register the personal data of the app."""
        from registry.api import personal_data  # noqa: F401
