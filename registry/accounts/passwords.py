"""Effects of a new password (settings.AUTH_PASSWORD_VALIDATORS), and resets: the link is mailed only to an address
that the account has confirmed, or is to confirm with it.

django-allauth would mail it to every address of an account, so the owner of a mistyped second address could take the
account over. For an account without a confirmed address, the link is also the confirmation: if a stranger signed up with
a person's address, the person can confirm it only with a password of their own.
"""

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.account.signals import password_reset
from allauth.socialaccount.models import SocialAccount
from django.http import HttpRequest

from registry.accounts.models import User
from registry.accounts.tokens import revoke_all_tokens


class NewPasswordRevokesTokens:
    """Revokes the tokens of the account.

    Django calls `password_changed` whenever an account is saved with a new password: by its owner, after a reset, or
    by `manage.py changepassword`. Django itself ends the sessions, except the one in which the password was changed.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        """Accept every password."""

    def get_help_text(self) -> str:
        return "A new password revokes all your API tokens."

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None:
            revoke_all_tokens(user, by=user, reason="The password was changed.")


RESET, CONFIRMATION = "account/email/password_reset_key", "account/email/email_confirmation_password"


def reset_mail(user: User, email: str) -> str | None:
    """Return the prefix of the templates of the mail with the link to `email`; None if it must not be mailed there."""
    confirmed = _confirmed_addresses(user)
    if any(email.lower() == address.lower() for address in confirmed):
        return RESET
    return CONFIRMATION if user.has_address(email) and not confirmed else None


def confirm_address(request: HttpRequest, user: User, **_signal: object) -> None:
    """Confirm the address of an account that had no confirmed one: the link was mailed to this address alone.

    Who signed up may have been a stranger, whose password is replaced and whose provider of sign-in is disconnected.
    """
    if _confirmed_addresses(user):
        return
    SocialAccount.objects.filter(user=user).delete()
    if address := EmailAddress.objects.filter(user=user, email__iexact=user.email).first():
        get_adapter(request).confirm_email(request, address)


def _confirmed_addresses(user: User) -> list[str]:
    return list(EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True))


password_reset.connect(confirm_address, dispatch_uid="password_resets")
