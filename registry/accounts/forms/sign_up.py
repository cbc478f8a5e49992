"""The sign-up form."""

from typing import Any

from allauth.account.forms import SignupForm
from django.contrib.auth.hashers import make_password
from django.http import HttpRequest


class SignUpForm(SignupForm):  # type: ignore[misc]  # django-allauth has no types
    """django-allauth's form, which takes as long for an address that already has an account."""

    def try_save(self, request: HttpRequest) -> Any:
        if self.account_already_exists:
            # The response is that of a new account, for which most of the time is spent on this.
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)
