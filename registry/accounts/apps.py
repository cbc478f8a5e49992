from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "registry.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Connect the receivers of signals."""
        from registry.accounts import address_notices, recent_sign_in  # noqa: F401
