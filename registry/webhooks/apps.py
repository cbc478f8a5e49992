from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "registry.webhooks"
    label = "webhooks"

    def ready(self) -> None:
        """Register the personal data of the app, the receivers of signals, metrics and jobs."""
        from registry.webhooks import closed_accounts, metrics, personal_data, tasks

        del personal_data
        closed_accounts.connect()
        tasks.connect()
        metrics.connect()
