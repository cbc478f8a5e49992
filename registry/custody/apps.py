from django.apps import AppConfig


class CustodyConfig(AppConfig):
    name = "registry.custody"
    label = "custody"

    def ready(self) -> None:
        """Register the personal data and the jobs of the app, and the receiver of closed accounts."""
        from registry.custody import closed_accounts, personal_data, tasks

        del personal_data, tasks
        closed_accounts.connect()
