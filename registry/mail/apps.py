from django.apps import AppConfig


class MailConfig(AppConfig):
    name = "registry.mail"
    label = "mail"

    def ready(self) -> None:
        """Register the metrics and the checks of the app."""
        from registry.mail import checks, metrics  # noqa: F401  # the checks register themselves

        metrics.connect()
