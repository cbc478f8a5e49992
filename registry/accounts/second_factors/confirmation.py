"""Confirmation of a sign-in: with a second factor if the account has one, else with the password."""

from dataclasses import dataclass
from typing import Any

from allauth.account.forms import ReauthenticateForm as PasswordForm
from allauth.mfa.base.forms import ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import ReauthenticateWebAuthnForm
from allauth.mfa.webauthn.internal.auth import begin_authentication
from django import forms
from django.http import QueryDict

from registry.accounts.models import User
from registry.accounts.second_factors.forms import CodeOnceForm
from registry.core.form_views import FormInvalid

# The names of the fields in forms begin with this, so that a form can be sent again together with them.
PREFIX = "again"
FIELDS = tuple(f"{PREFIX}-{name}" for name in ("password", "code", "credential"))


class CodeForm(CodeOnceForm, ReauthenticateForm):  # type: ignore[misc]  # django-allauth has no types
    """The form that asks for a code of the authenticator app, or a recovery code."""


@dataclass
class Confirmation:
    """The forms that the page shows: one of them is answered."""

    user: User
    answer: QueryDict | None

    def __post_init__(self) -> None:
        types = set(Authenticator.objects.filter(user=self.user).values_list("type", flat=True))
        has_second_factor = bool(types - {Authenticator.Type.RECOVERY_CODES})
        self.passkey = self._form(ReauthenticateWebAuthnForm, Authenticator.Type.WEBAUTHN in types)
        self.code = self._form(CodeForm, has_second_factor)
        self.password = self._form(PasswordForm, not has_second_factor and self.user.has_usable_password())

    def _form(self, form: Any, is_offered: bool) -> Any:
        """The form with its answer, if it has one."""
        if not is_offered:
            return None
        (name,) = form.base_fields
        is_answered = self.answer and self.answer.get(f"{PREFIX}-{name}")
        return form(self.answer if is_answered else None, prefix=PREFIX, user=self.user)

    def is_given(self) -> bool:
        """Whether one of the answers is right; the use of a second factor is recorded."""
        for form in (self.passkey, self.code, self.password):
            if form and form.is_bound and form.is_valid():
                if form is not self.password:
                    form.save()
                return True
        return False

    @property
    def refusal(self) -> FormInvalid | None:
        """Why the answer is wrong."""
        return next((FormInvalid(form) for form in self.forms if form.errors), None)

    @property
    def forms(self) -> list[forms.Form]:
        return [each for each in (self.passkey, self.code, self.password) if each]

    def passkey_options(self) -> dict[str, Any] | None:
        """What the browser needs to ask for the passkey; a new challenge each time."""
        return {"request_options": begin_authentication(self.user)} if self.passkey else None
