from django.apps import AppConfig


class CustodyConfig(AppConfig):
    name = "registry.custody"
    label = "custody"

    def ready(self) -> None:
        """Register the personal data of the app, and the receiver of closed accounts."""
        from registry.custody import closed_accounts, personal_data

        del personal_data
        closed_accounts.connect()
