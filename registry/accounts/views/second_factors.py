"""/accounts/2fa/: the views of django-allauth for second factors, which lead back to where the person was going."""

from typing import Any

from allauth.account.utils import get_next_redirect_url
from allauth.mfa.recovery_codes.views import (
    GenerateRecoveryCodesView,
    ViewRecoveryCodesView,
)
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView
from django.urls import reverse

from registry.accounts.adapter import with_next


class LeadsBack:
    """Keeps `next`: past the recovery codes if there are new ones."""

    request: Any

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)  # type: ignore[misc]
        return context | {"onward": get_next_redirect_url(self.request)}

    def get_success_url(self) -> str:
        page: str = super().get_success_url()  # type: ignore[misc]
        onward = get_next_redirect_url(self.request)
        if not onward:
            return page
        return onward if page == reverse("mfa_index") else with_next(page, onward)


class AddPasskeyView(LeadsBack, AddWebAuthnView):  # type: ignore[misc]  # django-allauth has no types
    """Adds a passkey."""


class ActivateAppView(LeadsBack, ActivateTOTPView):  # type: ignore[misc]
    """Adds an authenticator app."""


class RecoveryCodesView(LeadsBack, ViewRecoveryCodesView):  # type: ignore[misc]
    """Shows the unused recovery codes."""


class NewRecoveryCodesView(LeadsBack, GenerateRecoveryCodesView):  # type: ignore[misc]
    """Replaces the recovery codes."""
