"""Sign-in by OpenID Connect: an account belongs to an issuer and a subject, never to an address."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from django.core.exceptions import PermissionDenied

MAX_LENGTH = 191  # of the column


class OpenIDProvider(OpenIDConnectProvider):  # type: ignore[misc]  # django-allauth has no types
    """A provider that SIGN_IN_PROVIDERS declares."""

    package = "allauth.socialaccount.providers.openid_connect"

    @property
    def server_url(self) -> str:
        """The address of the configuration. An issuer may end with a slash (OpenID Connect Discovery, Section 4.1)."""
        url: str = self.wk_server_url(self.app.settings["server_url"].rstrip("/"))
        return url

    def extract_uid(self, data: dict[str, Any]) -> str:
        """Return issuer and subject, so that a provider that replaces another one does not get its accounts."""
        claims = data.get("id_token") or {}
        issuer, subject = claims.get("iss"), claims.get("sub")
        uid = f"{issuer} {subject}"
        if issuer != self.app.settings["server_url"] or not subject or len(uid) > MAX_LENGTH:
            raise PermissionDenied
        return uid

    def extract_email_addresses(self, data: dict[str, Any]) -> list[EmailAddress]:
        """Return the address as not verified: only a mail of this registry confirms it."""
        found: list[EmailAddress] = super().extract_email_addresses(data)
        for address in found:
            address.verified = False
        return found
