from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "registry.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Connect the receivers of signals, and register the check of roles and the personal data of the app."""
        from registry.accounts import adapter, passwords, personal_data, recent_sign_in, roles, sessions  # noqa: F401
        from registry.accounts.second_factors import policy  # noqa: F401
