from django.apps import AppConfig


class MailConfig(AppConfig):
    name = "registry.mail"
    label = "mail"

    def ready(self) -> None:
        """Register the metrics of the app."""
        from registry.mail import metrics

        metrics.connect()
