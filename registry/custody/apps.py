from django.apps import AppConfig


class CustodyConfig(AppConfig):
    name = "registry.custody"
    label = "custody"

    def ready(self) -> None:
        """Register the personal data and the jobs of the app."""
        from registry.custody import personal_data, tasks

        del personal_data, tasks
