from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "registry.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Connect the receivers of signals, and register the check of roles, the personal data of the app, and what waits in
        the inbox.
        """
        from registry.accounts import (  # noqa: F401
            adapter,
            bounces,
            passwords,
            personal_data,
            recent_sign_in,
            roles,
            sessions,
        )
        from registry.accounts.second_factors import policy  # noqa: F401
