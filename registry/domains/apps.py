from django.apps import AppConfig


class DomainsConfig(AppConfig):
    name = "registry.domains"
    label = "domains"

    def ready(self) -> None:
        """Register the jobs of the app."""
        from registry.domains import tasks

        del tasks
