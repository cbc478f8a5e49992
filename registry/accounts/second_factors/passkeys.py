"""The forms of passkeys, with what WebAuthn asks of a registry and its libraries leave to it.

A passkey answers at the origin of this registry alone, says in its own signature that it verified the person if it signs in
alone, and is refused if its counter goes back (Web Authentication Level 2, Sections 7.1 and 7.2).
"""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast
from urllib.parse import urlsplit

from allauth.account.adapter import get_adapter as get_account_adapter
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import (
    AddWebAuthnForm,
    AuthenticateWebAuthnForm,
    LoginWebAuthnForm,
    ReauthenticateWebAuthnForm,
)
from allauth.mfa.webauthn.internal.auth import clear_state
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from django import forms
from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import transaction
from django.forms.fields import InvalidJSONInput
from fido2.cose import CoseKey
from fido2.utils import websafe_encode
from fido2.webauthn import AuthenticationResponse, CollectedClientData, RegistrationResponse

from registry.accounts.forms import clean_name
from registry.accounts.models import User

MAX_NAME_LENGTH = 60
MAX_PASSKEYS = 20
MAX_CREDENTIAL_ID = 1023  # bytes (Web Authentication Level 2, Section 4)
DEFAULT_PORTS = {"https": 443, "http": 80}
# What the libraries raise for a credential that no browser makes, or whose passkey was just removed.
MALFORMED = (
    ObjectDoesNotExist,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    AssertionError,
    NotImplementedError,
    RecursionError,
    UnsupportedAlgorithm,
    struct.error,
)


def _refused() -> ValidationError:
    return cast(ValidationError, get_adapter().validation_error("incorrect_code"))


@contextmanager
def refusing_malformed() -> Iterator[None]:
    """Raise ValidationError for each fault of a credential."""
    try:
        yield
    except MALFORMED as fault:
        raise _refused() from fault


class CredentialField(forms.JSONField):
    """What the browser answered: a JSON object."""

    def to_python(self, value: Any) -> Any:
        with refusing_malformed():
            credential = super().to_python(value)
        if credential not in self.empty_values and not isinstance(credential, dict):
            raise _refused()
        return credential

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Return no text: a page that shows the form again asks for a new answer."""
        return InvalidJSONInput("")


class AddPasskeyForm(AddWebAuthnForm):  # type: ignore[misc]  # django-allauth has no types
    """The form that adds a passkey, or a security key that can't hold one."""

    name = forms.CharField(
        label="Name",
        help_text="To recognise it later, such as the name of the device.",
        required=False,
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    credential = CredentialField(widget=forms.HiddenInput)
    passwordless = forms.BooleanField(
        label="Sign in with it alone, without the password",
        help_text="Clear this only for a security key without a PIN, which then adds to the password.",
        required=False,
        initial=True,
    )

    def clean_name(self) -> str:
        """The name, or a default one."""
        return clean_name(super().clean_name())

    def clean(self) -> dict[str, Any]:
        with refusing_malformed(), _challenge_counts_once():
            cleaned: dict[str, Any] = super().clean()
            if credential := cleaned.get("credential"):
                is_alone = bool(cleaned.get("passwordless"))
                cleaned["credential"] = _as_stored(credential, is_alone=is_alone)
        if (
            Authenticator.objects.filter(user=self.user, type=Authenticator.Type.WEBAUTHN).count()
            >= MAX_PASSKEYS
        ):
            raise get_adapter().validation_error("too_many_passkeys", MAX_PASSKEYS)
        return cleaned


class PasskeyAnswer(forms.Form):
    """The field for the answer of a passkey, which is checked further than django-allauth does."""

    credential = CredentialField(widget=forms.HiddenInput)

    def clean_credential(self) -> Authenticator:
        with refusing_malformed(), _challenge_counts_once():
            answer = AuthenticationResponse.from_dict(self.cleaned_data["credential"]).response
            _check_origin(answer.client_data)
            passkey: Authenticator = super().clean_credential()  # type: ignore[misc]
            # The session says what was asked for, which another page of sign-in may have written there.
            if self.passwordless and not (  # type: ignore[attr-defined]
                answer.authenticator_data.is_user_verified() and signs_in_alone(passkey)
            ):
                raise _refused()
            _check_counter(passkey, answer.authenticator_data.counter)
        return passkey


class SecondPasskeyForm(PasskeyAnswer, AuthenticateWebAuthnForm):  # type: ignore[misc]
    """The form that asks for a passkey after the password."""


class SignInPasskeyForm(PasskeyAnswer, LoginWebAuthnForm):  # type: ignore[misc]
    """The form that signs in with a passkey alone."""


class ConfirmPasskeyForm(PasskeyAnswer, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    """The form that confirms a sign-in with a passkey."""


def signs_in_alone(passkey: Authenticator) -> bool:
    """Whether the passkey replaces the password: it verified the person when it was added, and the person wished it.

    Who steals a security key without a PIN can set one, and it verifies the thief from then on.
    """
    added = passkey.wrap()
    return added.is_passwordless is not False and bool(added.authenticator_data.is_user_verified())


@contextmanager
def _challenge_counts_once() -> Iterator[None]:
    """Forget the challenge, also after a wrong answer."""
    try:
        yield
    finally:
        clear_state()


def _check_origin(client_data: CollectedClientData) -> None:
    """Raise ValidationError for the page of another origin, such as a subdomain, or for one in a frame of another site."""
    if _origin(client_data.origin) != _origin(settings.PUBLIC_ORIGIN) or client_data.cross_origin:
        raise _refused()


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)


def _as_stored(credential: dict[str, Any], *, is_alone: bool) -> dict[str, Any]:
    """What is kept of a new passkey. Raises ValidationError for a key that can't be used, or that is registered already."""
    response = RegistrationResponse.from_dict(credential).response
    _check_origin(response.client_data)
    added = response.attestation_object.auth_data.credential_data
    if added is None or len(added.credential_id) > MAX_CREDENTIAL_ID:
        raise _refused()
    _check_key(added.public_key)
    number = websafe_encode(added.credential_id)
    if Authenticator.objects.filter(
        type=Authenticator.Type.WEBAUTHN, data__credential__rawId=number
    ).exists():
        raise _refused()
    return {
        "id": number,
        "rawId": number,
        "type": "public-key",
        "response": {name: credential["response"][name] for name in ("clientDataJSON", "attestationObject")},
        "clientExtensionResults": {"credProps": {"rk": is_alone}},
    }


def _check_key(key: CoseKey) -> None:
    """Raise for a key with an algorithm that was not offered, or of which no signature can be verified."""
    if key.ALGORITHM not in CoseKey.supported_algorithms():
        raise _refused()
    try:
        key.verify(b"", b"")
    except InvalidSignature:
        return


def _check_counter(passkey: Authenticator, counter: int) -> None:
    """Note the counter. If it does not go up, a copy of the passkey exists: it is refused, and its owner gets a mail.

    Passkeys that are kept by several devices have no counter, and send 0.
    """
    with transaction.atomic():
        locked = Authenticator.objects.select_for_update().get(pk=passkey.pk)
        last = locked.data.get("counter", locked.wrap().authenticator_data.counter)
        is_copied = bool(counter or last) and counter <= last
        if not is_copied:
            locked.data["counter"] = counter
            locked.save(update_fields=["data"])
    if is_copied:
        person = cast(User, passkey.user)
        context = {"passkey": passkey.wrap().name}
        get_account_adapter().send_notification_mail("mfa/email/passkey_copied", person, context)
        raise cast(ValidationError, get_adapter().validation_error("copied_passkey"))
