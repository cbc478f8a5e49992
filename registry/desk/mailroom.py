"""What an administrator does with mail that does not leave."""

from django.db import transaction

from registry.accounts.actions import check_administers, hold_roles
from registry.accounts.models import User
from registry.errors import RegistryError
from registry.mail import outbox
from registry.mail.models import Message
from registry.record import journal
from registry.words import check_words


class MailHasLeft(RegistryError):
    """The mail was sent, or the worker has it in hand."""

    title = "It can't be taken back"


def try_again(message: Message, *, by: User) -> None:
    """Let the worker try one mail again now."""
    check_administers(by)
    if not outbox.retry(only=[message.pk]):
        raise MailHasLeft(f"Mail {message.pk} was sent meanwhile, or is being sent.")


@transaction.atomic
def discard_mail(message: Message, *, by: User, reason: str) -> None:
    """Take a mail that was not sent out of the outbox for good. The record says that it was written, and why
    nobody got it; to whom it was to go it does not say.
    """
    hold_roles(by)
    check_administers(by)
    reason = check_words(reason, "why nobody is to get this mail")
    outbox.discard(Message.objects.filter(pk=message.pk))
    if Message.objects.filter(pk=message.pk).exists():
        raise MailHasLeft(f"Mail {message.pk} was sent meanwhile, or is being sent.")
    journal.append(
        "discard_mail", by=by, reason=reason, mail=message.pk, name=message.name, event=message.event_number
    )
