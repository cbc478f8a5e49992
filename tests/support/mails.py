"""Mails in the outbox."""

from registry.mail.models import Message


def recipients_of(name: str) -> set[str]:
    """Return the addresses to which mails of this name are sent, such as that of a transition."""
    return set(Message.objects.filter(name=name).values_list("to", flat=True))
