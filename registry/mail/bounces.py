"""Addresses at which mail came back: from the reply of a mail server, or from a delivery status notification (RFC 3464).

A notification counts only if it returns the Message-ID of a mail, which the registry signed. Replies and notifications
about the sender, such as an unwanted content or server (X.7.X of RFC 3463), say nothing about the address.
"""

import re
from collections.abc import Iterable, Iterator
from email import message_from_bytes, message_from_string
from email.message import Message as Mail
from functools import partial
from typing import cast

from django.conf import settings
from django.core.signing import Signer
from django.utils import timezone

from registry.core.digests import is_keyed_digest
from registry.mail.models import BouncedAddress, Message
from registry.mail.plain_text import one_line

MAX_REASON = 500
# Shortened, so that the header is one line for most domains; 132 bits.
SIGNATURE_LENGTH = 22
MESSAGE_ID = re.compile(
    rf"<(?P<signature>[\w-]{{{SIGNATURE_LENGTH}}})\.(?P<name>[0-9]{{1,12}}\.(?P<number>[0-9]{{1,18}}))@"
)
ABOUT_SENDER = re.compile(r"5\.7\.\d")
# The names of mails whose Message-ID many people see.
TO_LISTS = frozenset({"post_to_list"})


def record_bounce(address: str, reason: str) -> None:
    """Record that mail to an address came back."""
    said = {"bounced_at": timezone.now(), "reason": one_line(reason)[:MAX_REASON]}
    BouncedAddress.objects.update_or_create(address=address.lower(), defaults=said)


def clear_bounce(address: str) -> None:
    """Forget that mail to an address came back, because its owner confirmed it."""
    BouncedAddress.objects.filter(address=address.lower()).delete()


def bounces_at(addresses: Iterable[str]) -> dict[str, BouncedAddress]:
    """The addresses among these, in lower case, at which mail came back."""
    found = BouncedAddress.objects.filter(address__in={each.lower() for each in addresses})
    return {each.address: each for each in found}


def is_about_address(code: int, detail: str) -> bool:
    """Whether a reply of a mail server to RCPT refuses the address for good."""
    return code // 100 == 5 and not ABOUT_SENDER.match(detail)


def signed_id(message: Message) -> str:
    """The part of a Message-ID before the @."""
    name = f"{int(message.created_at.timestamp())}.{message.pk}"
    return f"{_signature(name, settings.SECRET_KEY)}.{name}"


def read_notification(raw: bytes) -> Message | None:
    """Record the bounce that a delivery status notification reports, and return the mail that came back.

    None for any other mail, and for a notification of a mail that the registry did not send.
    """
    try:
        message, reason = _read(raw)
    except RecursionError:  # parts in parts, a thousand deep: no mail server writes this
        return None
    if message is None or reason is None or message.name in TO_LISTS:
        return None
    record_bounce(message.to, reason)
    return message


def _read(raw: bytes) -> tuple[Message | None, str | None]:
    """The mail that a notification returns, and why it came back."""
    mail = message_from_bytes(raw)
    if mail.get_content_type() != "multipart/report":
        return None, None
    parts = list(mail.walk())
    reason = next(_failures(parts), None)
    return (_returned_message(parts) if reason is not None else None), reason


def _failures(parts: Iterable[Mail]) -> Iterator[str]:
    """What the notification says of each recipient whose address failed for good."""
    for report in parts:
        if report.get_content_type() != "message/delivery-status" or not report.is_multipart():
            continue
        for fields in cast("list[Mail]", report.get_payload()):
            action, status = (str(fields.get(name, "")).strip().lower() for name in ("Action", "Status"))
            if action == "failed" and status.startswith("5") and not ABOUT_SENDER.match(status):
                yield str(fields.get("Diagnostic-Code", "")) or f"Status {status}"


def _returned_message(parts: Iterable[Mail]) -> Message | None:
    """The mail of the outbox that the notification returns, whole or its headers."""
    for part in parts:
        if part.get_content_type() == "message/rfc822" and part.is_multipart():
            returned = cast("Mail", part.get_payload(0))
        elif part.get_content_type() == "text/rfc822-headers":
            returned = message_from_string(str(part.get_payload()))
        else:
            continue
        found = MESSAGE_ID.match(str(returned.get("Message-ID", "")).strip())
        if found and is_keyed_digest(found["signature"], partial(_signature, found["name"])):
            return Message.objects.filter(pk=int(found["number"])).first()
    return None


def _signature(name: str, secret_key: str) -> str:
    return Signer(key=secret_key, salt="registry.mail.bounces").signature(name)[:SIGNATURE_LENGTH]
