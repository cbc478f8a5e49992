"""Actions of administrators on unsent mail."""

from django.db import transaction

from registry.accounts.models import User
from registry.accounts.roles import check_is_administrator, lock_roles
from registry.audit_log import log
from registry.core.exceptions import RegistryError
from registry.core.validators import check_text
from registry.mail import outbox
from registry.mail.models import Message


class MailAlreadySent(RegistryError):
    """The mail has been sent, or is being sent."""

    title = "Mail already sent"


def retry_mail(message: Message, *, by: User) -> None:
    """Retry one mail now."""
    check_is_administrator(by)
    if not outbox.retry(only=[message.pk]):
        raise MailAlreadySent(f"Mail {message.pk} has already been sent, or is being sent.")


@transaction.atomic
def discard_mail(message: Message, *, by: User, reason: str) -> None:
    """Remove an unsent mail permanently. The event contains the reason, but not the recipient."""
    lock_roles(by)
    check_is_administrator(by)
    reason = check_text(reason, "the reason")
    outbox.discard(Message.objects.filter(pk=message.pk))
    if Message.objects.filter(pk=message.pk).exists():
        raise MailAlreadySent(f"Mail {message.pk} has already been sent, or is being sent.")
    log.append(
        "discard_mail", by=by, reason=reason, mail=message.pk, name=message.name, event=message.event_number
    )
