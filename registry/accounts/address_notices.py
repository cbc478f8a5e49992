"""Mail to the primary address of an account about a further address. django-allauth mails about all other changes."""

from allauth.account.adapter import get_adapter
from allauth.account.models import EmailAddress
from allauth.account.signals import email_added
from django.http import HttpRequest

from registry.accounts.models import User


def notify_of_address(
    request: HttpRequest, user: User, email_address: EmailAddress, **_signal: object
) -> None:
    context = {"added_email": email_address.email}
    get_adapter(request).send_notification_mail("account/email/email_added", user, context)


email_added.connect(notify_of_address, dispatch_uid="address_notices")
