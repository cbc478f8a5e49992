"""Confirmation of a sign-in with a second factor or the password, and removal of the second factors of a person who
lost them.
"""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from allauth.account.forms import ReauthenticateForm as PasswordForm
from allauth.mfa.base.forms import ReauthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal.auth import begin_authentication
from django import forms
from django.db import transaction
from django.http import QueryDict

from registry.accounts.models import RoleName, User, addresses
from registry.accounts.second_factors.passkeys import ConfirmPasskeyForm
from registry.accounts.second_factors.views import CodeOnceForm
from registry.accounts.sessions import end_sessions_of
from registry.audit_log import log
from registry.core.exceptions import RegistryError
from registry.core.form_views import FormInvalid
from registry.mail import outbox

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
        self.passkey = self._form(ConfirmPasskeyForm, Authenticator.Type.WEBAUTHN in types)
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


class NoSecondFactor(RegistryError):
    """The account has no second factor."""

    status = HTTPStatus.CONFLICT
    title = "No second factor"


@transaction.atomic
def remove_second_factors(person: User, *, reason: str) -> None:
    """Remove passkeys, app and recovery codes, and end all sessions, which a lost device may have. The person, all
    administrators and the audit log learn of it.

    The password still signs in. A role that needs a second factor is suspended until the person adds one.
    """
    deleted, _ = Authenticator.objects.filter(user=person).delete()
    if not deleted:
        raise NoSecondFactor(
            f"The account of {person} has no passkey, no authenticator app and no recovery code."
        )
    end_sessions_of(person)
    event = log.append("remove_second_factors", by=None, reason=reason, person=person.pk)
    administrators = User.objects.holding(RoleName.ADMINISTRATOR)
    context = {"event": event, "person": person}
    to = addresses([person, *administrators])
    outbox.post("remove_second_factors", to=to, context=context, event_number=event.number)
