"""Adapter for the second factors of django-allauth: the host of passkeys, and texts."""

from urllib.parse import urlsplit

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings

from registry.accounts.models import User


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # django-allauth has no types
    """The adapter of second factors (settings.MFA_ADAPTER)."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "cannot_delete_authenticator": "This can't be removed.",
        "cannot_generate_recovery_codes": "Recovery codes need a passkey or an authenticator app first.",
        "incorrect_code": "The code or the passkey was not accepted. Try again.",
        "unverified_email": "Confirm or remove the unconfirmed addresses of your account first.",
    }

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:  # noqa: A002  # of the library
        number = Authenticator.objects.filter(user=user, type=type).count() + 1
        return "Passkey" if number == 1 else f"Passkey {number}"

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return the host that passkeys belong to: that of the public address, not that of the header Host."""
        host = urlsplit(settings.PUBLIC_ORIGIN).hostname or ""
        return {"id": host, "name": settings.MFA_TOTP_ISSUER}
