"""Adapters for django-allauth: its mails go through the outbox, `next` is kept during sign-up, and passkeys are for the
host of the site. It mails the primary
address of an account about a further one.
"""

from datetime import timedelta
from typing import Any
from urllib.parse import urljoin, urlsplit

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter, get_adapter
from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.account.signals import email_added, email_confirmed
from allauth.account.utils import get_next_redirect_url
from allauth.core import ratelimit
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit as internal_ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.core.cache import cache
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.urls import Resolver404, resolve
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme, urlencode

from registry.accounts.models import User, is_address
from registry.accounts.passwords import reset_mail
from registry.mail import outbox


def notify_of_added(request: HttpRequest, user: User, email_address: EmailAddress, **_signal: object) -> None:
    context = {"added_email": email_address.email}
    get_adapter(request).send_notification_mail("account/email/email_added", user, context)


def notify_of_confirmed(request: HttpRequest, email_address: EmailAddress, **_signal: object) -> None:
    """Mail about a confirmed address, unless it is the primary one: its owner has just confirmed it."""
    user = email_address.user
    if not email_address.primary and not user.has_address(email_address.email):
        context = {"confirmed_email": email_address.email}
        get_adapter(request).send_notification_mail("account/email/email_confirmed", user, context)


email_added.connect(notify_of_added, dispatch_uid="added_addresses")
email_confirmed.connect(notify_of_confirmed, dispatch_uid="confirmed_addresses")


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # django-allauth has no types
    """The adapter of second factors (settings.MFA_ADAPTER)."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "cannot_delete_authenticator": "This can't be removed.",
        "cannot_generate_recovery_codes": "Recovery codes need a passkey or an authenticator app first.",
        "copied_passkey": (
            "There seems to be a copy of this passkey, so it is refused. Use another way to sign in, and remove it."
        ),
        "incorrect_code": "The code or the passkey was not accepted. Try again.",
        "too_many_passkeys": "An account can have at most %d passkeys. Remove one first.",
        "unverified_email": "Confirm or remove the unconfirmed addresses of your account first.",
    }

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:  # noqa: A002  # of the library
        number = Authenticator.objects.filter(user=user, type=type).count() + 1
        return "Passkey" if number == 1 else f"Passkey {number}"

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Return the host that passkeys belong to: that of the public address, not that of the header Host."""
        host = urlsplit(settings.PUBLIC_ORIGIN).hostname or ""
        return {"id": host, "name": settings.MFA_TOTP_ISSUER}


# In the session of a sign-in that waits: a digest of the password.
BEGAN_WITH = "sign_in_began_with"
# Mails that a person can trigger without signing in.
UNREQUESTED = {
    "account_already_exists",
    "email_confirmation",
    "email_confirmation_password",
    "email_confirmation_signup",
    "password_reset_key",
    "unknown_account",
}


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # django-allauth has no types
    """The account adapter (settings.ACCOUNT_ADAPTER)."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "duplicate_email": "This address already belongs to your account.",
        "email_password_mismatch": "The e-mail address or the password is not correct.",  # nosec B105  # a message
        "enter_current_password": "This is not your current password.",  # nosec B105  # a message
        "incorrect_password": "The password is not correct.",  # nosec B105  # a message
        "max_email_addresses": "An account can have at most %d addresses.",
        "rate_limited": "Too many requests. Try again later.",
        "too_many_login_attempts": "Too many failed attempts to sign in. Try again later.",
    }

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Write the mail to the outbox, so that people can sign up while the mail server is down.

        Mails that anyone can trigger are limited for each address. A limit on the form would tell which addresses
        were tried, and would let a stranger keep the owner from using it.

        django-allauth builds its links from the header Host, which the client chooses.
        """
        name = template_prefix.rpartition("/")[2]
        if name in UNREQUESTED and not ratelimit.consume(
            self.request, action="unrequested_mail", key=email.lower()
        ):
            return
        links = {key: _public(link) for key, link in context.items() if key.endswith("_url")}
        known = {"email": email, "origin": settings.PUBLIC_ORIGIN}
        mail = self.render_mail(template_prefix, email, known | context | links)
        outbox.post_rendered(name, to=email, subject=mail.subject, body=mail.body)

    def send_password_reset_mail(self, user: User, email: str, context: dict[str, Any]) -> None:
        """Mail the link to set a password, or the same mail as without an account."""
        if template_prefix := reset_mail(user, email):
            self.send_mail(template_prefix, email, context)
        elif not User.objects.filter(is_address("email", email)).exists():
            signup = {"signup_url": resolve_url("account_signup")}
            self.send_mail("account/email/unknown_account", email, context | signup)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count wrong passwords apart from wrong codes: django-allauth forgets the count of these after a right code, which
        a thief has for an account of their own.
        """
        counted = internal_ratelimit.consume(request, app="allauth.account", action="wrong_password")
        if not counted:
            raise self.validation_error("too_many_login_attempts")
        self._login_failed_rl_usage = counted  # taken back after a right password

    def pre_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse | None:
        """Note the password with which a sign-in begins; the second factor may come minutes later."""
        request.session[BEGAN_WITH] = user.get_session_auth_hash()
        response: HttpResponse | None = super().pre_login(request, user, **kwargs)
        return response

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign in, unless the password was changed since the sign-in began."""
        began_with = request.session.pop(BEGAN_WITH, "")
        if not constant_time_compare(began_with, user.get_session_auth_hash()):
            messages.error(request, "The password was changed. Sign in again.")
            raise ImmediateHttpResponse(redirect(settings.LOGIN_URL))
        super().login(request, user)

    @transaction.atomic
    def set_password(self, user: User, password: str) -> None:
        """Save the new password, and revoke the tokens of the account (`accounts.passwords`) together."""
        super().set_password(user, password)

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        """Return False: `registry.accounts.recent_sign_in` asks, which keeps a typed form out of the session."""
        return False

    def is_safe_url(self, url: str) -> bool:
        """Return whether `next` may be this URL: only paths of this site are allowed."""
        return url_has_allowed_host_and_scheme(url, allowed_hosts=None)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: EmailConfirmation) -> str:
        """Return the link in the mail, and keep the page that the person wanted, so that the link stays short."""
        if onward := get_next_redirect_url(request):
            cache_onward(emailconfirmation.email_address.pk, onward)
        link: str = super().get_email_confirmation_url(request, emailconfirmation)
        return link

    def should_send_confirmation_mail(
        self, request: HttpRequest, email_address: EmailAddress, signup: bool
    ) -> bool:
        """Return False for a person who signs in because they opened the link of an earlier mail."""
        return not _is_confirmation_link(get_next_redirect_url(request))

    def respond_email_verification_sent(self, request: HttpRequest, user: User | None) -> HttpResponse:
        page, onward = resolve_url("account_email_verification_sent"), get_next_redirect_url(request)
        if onward and _is_confirmation_link(onward):
            return redirect(onward)
        return redirect(with_next(page, onward) if onward else page)


def cache_onward(address: int, onward: str) -> None:
    """Cache the page to which an address leads after its confirmation, in any browser, as long as the link is valid."""
    lifetime = timedelta(days=app_settings.EMAIL_CONFIRMATION_EXPIRE_DAYS)
    cache.set(f"onward:{address}", onward, lifetime.total_seconds())


def cached_onward(address: int) -> str | None:
    cached: str | None = cache.get(f"onward:{address}")
    return cached


def with_next(address: str, onward: str) -> str:
    return f"{address}?{urlencode({'next': onward})}"


def _public(link: str) -> str:
    parts = urlsplit(link)
    return urljoin(settings.PUBLIC_ORIGIN, f"{parts.path}?{parts.query}" if parts.query else parts.path)


def _is_confirmation_link(address: str | None) -> bool:
    try:
        return resolve(urlsplit(address or "/").path).url_name == "account_confirm_email"
    except Resolver404:
        return False
