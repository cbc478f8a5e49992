from django.apps import AppConfig


class OrganisationsConfig(AppConfig):
    name = "registry.organisations"
    label = "organisations"

    def ready(self) -> None:
        """Register the personal data of the app, and the receiver of closed accounts."""
        from registry.organisations import closed_accounts, personal_data

        del personal_data
        closed_accounts.connect()
