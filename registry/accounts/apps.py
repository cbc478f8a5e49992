from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "registry.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Connect the receivers of signals, and register the check of roles."""
        from registry.accounts import (  # noqa: F401
            address_notices,
            committed_roles,
            password_resets,
            recent_sign_in,
        )
