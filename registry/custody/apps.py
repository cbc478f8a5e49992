from django.apps import AppConfig


class CustodyConfig(AppConfig):
    name = "registry.custody"
    label = "custody"

    def ready(self) -> None:
        """Register the personal data and the jobs of the app, and claims as pending grants."""
        from registry.custody import personal_data, tasks
        from registry.custody.services import claims

        del claims, personal_data, tasks
