from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "registry.webhooks"
    label = "webhooks"

    def ready(self) -> None:
        """Register the personal data of the app, the receiver of events, metrics and jobs."""
        from registry.webhooks import metrics, personal_data, tasks

        del personal_data
        tasks.connect()
        metrics.connect()
