"""Delivery from the outbox to the mail server: one attempt and its record.

A mail is sent at least once. Its row is locked during the SMTP session and marked in the same transaction, so a
mail is sent twice only if the process dies after the server has accepted it and before the commit. Both copies
then have the same Message-ID.
"""

import logging
import smtplib
from email.utils import format_datetime, parseaddr

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.mail import EmailMessage, get_connection
from django.db import transaction
from django.utils import timezone

from registry.core.exceptions import RegistryError
from registry.mail.bounces import is_about_address, record_bounce, signed_id
from registry.mail.models import Message
from registry.mail.plain_text import one_line
from registry.mail.preferences import headers_of

logger = logging.getLogger(__name__)


class NotDelivered(RegistryError):
    """The mail server could not be reached, or did not accept the mail, which stays in the outbox."""

    title = "The mail was not delivered"


def attempt(number: int) -> None:
    """Send mail `number` unless it has been sent, or delete it if it needs an account and there is none.

    Raises NotDelivered after recording the failure.
    """
    failed = ""
    with transaction.atomic():
        message = Message.objects.select_for_update().filter(pk=number, sent_at=None).first()
        if message is None:
            return
        if message.needs_account and get_user_model().objects.with_address(message.to) is None:
            message.delete()
            return
        message.attempts += 1
        message.last_attempt_at = timezone.now()
        # Errors of smtplib, the network and TLS are OSErrors; an invalid address or header is a ValueError.
        try:
            with get_connection() as server:
                server.send_messages([compose(message)])
                message.sent_at = timezone.now()  # an error of QUIT does not matter
        except (OSError, ValueError) as failure:
            message.last_error, failed = explain(failure), _kind_of(failure)
            _record_refusal(message, failure)
        message.save(update_fields=["attempts", "last_attempt_at", "last_error", "sent_at"])
    if message.sent_at is None:
        # The worker logs the exception too. Replies of mail servers often contain the address: they are in the outbox only.
        logger.warning("Mail %s, attempt %s: %s", message.pk, message.attempts, failed)
        raise NotDelivered(f"Mail {message.pk}, attempt {message.attempts}: {failed}")


def compose(message: Message) -> EmailMessage:
    """Return the row as a mail, identical at every attempt."""
    headers = {
        "Date": format_datetime(message.created_at),
        "Message-ID": f"<{signed_id(message)}@{_domain()}>",
        "Auto-Submitted": "auto-generated",  # RFC 3834, Section 5: prevents automatic replies
    }
    if message.thread:
        root = f"<{message.thread}@{_domain()}>"
        headers |= {"In-Reply-To": root, "References": root}
    headers |= headers_of(message)
    return EmailMessage(message.subject, message.body, to=[message.to], headers=headers)


def _domain() -> str:
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"


def _record_refusal(message: Message, failure: OSError | ValueError) -> None:
    """Record that the mail server refused the recipient for good."""
    refusals = failure.recipients if isinstance(failure, smtplib.SMTPRecipientsRefused) else {}
    for code, detail in refusals.values():
        if is_about_address(code, _text(detail)):
            record_bounce(message.to, message.last_error)


def explain(failure: OSError | ValueError) -> str:
    """Describe a failure in one sentence for the outbox."""
    if reply := _reply(failure):
        return one_line(f"The mail server answered {reply[0]} {reply[1]}")[:1000]
    return one_line(f"{type(failure).__name__}: {failure}")[:1000]


def _kind_of(failure: OSError | ValueError) -> str:
    """The class of a failure and the code of the reply, for the log."""
    reply = _reply(failure)
    return f"{type(failure).__name__} {reply[0]}" if reply else type(failure).__name__


def _reply(failure: OSError | ValueError) -> tuple[int, str] | None:
    """The code and the text with which the mail server refused the mail."""
    match failure:
        case smtplib.SMTPRecipientsRefused(recipients=refusals) if refusals:
            code, detail = next(iter(refusals.values()))
        case smtplib.SMTPResponseException(smtp_code=code, smtp_error=detail):
            pass
        case _:
            return None
    return code, _text(detail)


def _text(detail: bytes | str) -> str:
    return detail.decode(errors="replace") if isinstance(detail, bytes) else detail
