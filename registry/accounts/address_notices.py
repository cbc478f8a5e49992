"""Mails to the primary address of an account about a further one. django-allauth mails about all other changes."""

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.account.signals import email_added, email_confirmed
from django.http import HttpRequest

from registry.accounts.models import User


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
