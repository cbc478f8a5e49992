from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "registry.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Connect the receivers of signals, and register the check of roles and the personal data of the app."""
        from registry.accounts import (  # noqa: F401
            address_notices,
            committed_roles,
            password_resets,
            personal_data,
            recent_sign_in,
            sessions,
        )
        from registry.accounts.second_factors import policy  # noqa: F401
