from django.apps import AppConfig


class MailConfig(AppConfig):
    name = "registry.mail"
    label = "mail"

    def ready(self) -> None:
        """Register the metrics and the checks of the app."""
        from registry.mail import checks  # the checks register themselves

        checks.connect()
