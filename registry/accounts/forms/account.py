"""The forms of django-allauth, with the labels of this site."""

from typing import Any

from allauth.account import forms as allauth_forms
from allauth.socialaccount import forms as allauth_external_forms
from django import forms
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import (
    get_default_password_validators,
    password_validators_help_text_html,
)
from django.http import HttpRequest

from registry.accounts.password_validators import NewPasswordRevokesTokens

# By the label of django-allauth.
LABELS = {
    "Email": "E-mail address",
    "Current Password": "Current password",
    "New Password": "New password",
    "New Password (again)": "New password (again)",
}


class SiteLabels(forms.Form):
    """Sets the labels, and removes the placeholders, which repeat them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.label = LABELS.get(str(field.label), field.label)
            field.widget.attrs.pop("placeholder", None)


class SignInForm(SiteLabels, allauth_forms.LoginForm):  # type: ignore[misc]  # django-allauth has no types
    """The sign-in form."""


class SignUpForm(SiteLabels, allauth_forms.SignupForm):  # type: ignore[misc]
    """The sign-up form. It takes as long for an address that already has an account."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = password_validators_help_text_html(
            [
                each
                for each in get_default_password_validators()
                if not isinstance(each, NewPasswordRevokesTokens)
            ]
        )

    def try_save(self, request: HttpRequest) -> Any:
        if self.account_already_exists:
            # The response is that of a new account, for which most of the time is spent on this.
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


class ExternalSignUpForm(SiteLabels, allauth_external_forms.SignupForm):  # type: ignore[misc]
    """The form that asks for an address that the provider did not state."""


class AddAddressForm(SiteLabels, allauth_forms.AddEmailForm):  # type: ignore[misc]
    """The form that adds an address."""


class ChangePasswordForm(SiteLabels, allauth_forms.ChangePasswordForm):  # type: ignore[misc]
    """The form that changes the password."""


class RequestPasswordForm(SiteLabels, allauth_forms.ResetPasswordForm):  # type: ignore[misc]
    """The form that requests a link for a new password."""


class NewPasswordForm(SiteLabels, allauth_forms.ResetPasswordKeyForm):  # type: ignore[misc]
    """The form that sets a new password with the link."""
