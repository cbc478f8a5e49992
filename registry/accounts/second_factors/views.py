"""The pages of second factors: forms and views of django-allauth, with the labels and limits of this site, which lead
back to where the person was going.
"""

from typing import Any

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.account.utils import get_next_redirect_url
from allauth.core import context, ratelimit
from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa import app_settings
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.recovery_codes.views import (
    GenerateRecoveryCodesView,
    ViewRecoveryCodesView,
)
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView
from django import forms
from django.core.cache import cache
from django.urls import reverse

from registry.accounts.adapter import with_next
from registry.accounts.models import User

CODE_WIDGET = forms.TextInput({"autocomplete": "one-time-code", "inputmode": "numeric", "class": "nid"})


def check_attempts(user: User) -> None:
    """Raise ValidationError after too many codes for this account; django-allauth counts by the client's address."""
    if not ratelimit.consume(context.request, action="second_factor", key=f"second-factor-{user.pk}"):
        raise get_account_adapter().validation_error("too_many_login_attempts")


def use_once(user: User, code: str) -> None:
    """Raise ValidationError if the code was used while it is accepted.

    django-allauth remembers a used code for one period, but accepts it for longer.
    """
    accepted_for = app_settings.TOTP_PERIOD * (1 + 2 * app_settings.TOTP_TOLERANCE)
    key = f"second-factor-used-{user.pk}-{normalize_user_code(code)}"
    if not cache.add(key, True, timeout=accepted_for):
        raise get_adapter().validation_error("incorrect_code")


class CodeOnceForm(forms.Form):
    """The field for a code of the authenticator app, or a recovery code, which is accepted once."""

    code = forms.CharField(
        label="Code from the authenticator app, or a recovery code", widget=CODE_WIDGET, max_length=20
    )

    def clean_code(self) -> str:
        check_attempts(self.user)  # type: ignore[attr-defined]
        code: str = super().clean_code()  # type: ignore[misc]
        use_once(self.user, code)  # type: ignore[attr-defined]
        return code


class CodeForm(CodeOnceForm, AuthenticateForm):  # type: ignore[misc]  # django-allauth has no types
    """The form that asks for a code after the password."""


class ActivateAppForm(ActivateTOTPForm):  # type: ignore[misc]
    """The form that adds an authenticator app."""

    code = forms.CharField(label="Code that the app shows", widget=CODE_WIDGET, max_length=20)

    def clean_code(self) -> str:
        check_attempts(self.user)
        code: str = super().clean_code()
        use_once(self.user, code)
        return code


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

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Show the form that was refused: django-allauth makes another one, whose check would use up the new challenge."""
        return super().get_context_data(**kwargs) | kwargs


class ActivateAppView(LeadsBack, ActivateTOTPView):  # type: ignore[misc]
    """Adds an authenticator app."""


class RecoveryCodesView(LeadsBack, ViewRecoveryCodesView):  # type: ignore[misc]
    """Shows the unused recovery codes."""


class NewRecoveryCodesView(LeadsBack, GenerateRecoveryCodesView):  # type: ignore[misc]
    """Replaces the recovery codes."""
