"""The turn of one webhook: its next messages, one after another.

Each message is recorded before the next one is sent, so a process that is killed repeats at most one message, with the
same ID. While a webhook has its turn, no other process sends to it: an advisory lock lasts as long as the connection.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import connection
from django.utils import timezone

from registry.audit_log.models import LogPosition
from registry.webhooks.delivery.recording import pause_without_secret, record, skip_to
from registry.webhooks.delivery.sending import send
from registry.webhooks.messages import Message, events_for, message_of, test_message
from registry.webhooks.models import Webhook
from registry.webhooks.signing import has_valid_secret

# So that a slow receiver with many events does not keep the others waiting.
MAX_MESSAGES = 20
# The first of two numbers for PostgreSQL's advisory locks; the second one is that of the webhook.
LOCK = 8_141_254


def take_turn(pk: int, *, should_stop: Callable[[], bool] = lambda: False) -> int:
    """Send what is due to a webhook, and return the number of messages; 0 if another process has its turn."""
    with _only_sender(pk) as is_free:
        if not is_free:
            return 0
        for sent in range(MAX_MESSAGES):
            if should_stop() or not _send_next(pk, timezone.now()):
                return sent
    return MAX_MESSAGES


@contextmanager
def _only_sender(pk: int) -> Iterator[bool]:
    key = [LOCK, pk % 2**31]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s::int, %s::int)", key)
        is_free = cursor.fetchone() == (True,)
    try:
        yield is_free
    finally:
        if is_free:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s::int, %s::int)", key)


def _send_next(pk: int, now: datetime) -> bool:
    """Send the next message, and record the attempt. False if nothing is due."""
    webhook = Webhook.objects.due(LogPosition.current().number, now).filter(pk=pk).first()
    if webhook is None:
        return False
    if not has_valid_secret(webhook):
        pause_without_secret(pk, now)
        return False
    message = test_message(webhook, now) if webhook.test_id else _next_event(webhook)
    if message is None:
        return False
    record(webhook, message, send(webhook, message, now))
    return True


def _next_event(webhook: Webhook) -> Message | None:
    # Read before the events, which are then complete up to it.
    head = LogPosition.current().number
    event = events_for(webhook, head).first()
    if event is None:
        skip_to(webhook, head)
        return None
    return message_of(event)
