"""Delivery by the worker: runs, turns of single webhooks, requests and their record.

Each message is recorded before the next one is sent, so a process that is killed repeats at most one message, with the
same ID. While a webhook has its turn, no other process sends to it: an advisory lock lasts as long as the connection.
"""

import logging
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from hmac import compare_digest
from http import HTTPStatus
from threading import BoundedSemaphore

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from registry.accounts.models import addresses
from registry.audit_log.models import LogPosition
from registry.core.http.urls import TargetNotAllowed
from registry.core.outgoing.https_requests import Reply, RequestFailed, RequestLimits, request
from registry.core.outgoing.public_addresses import AddressNotPublic, HostNotFound
from registry.core.validators import UNSTORABLE, shortened
from registry.mail import outbox
from registry.mail.tasks import WAITS
from registry.webhooks.messages import (
    Message,
    challenge_message,
    events_for,
    has_valid_secret,
    message_of,
    signature_headers,
    test_message,
)
from registry.webhooks.models import (
    MAX_ERROR_LENGTH,
    MAX_RESPONSE_LENGTH,
    REPLY_SECONDS,
    Delivery,
    PauseReason,
    Webhook,
)

LIMITS = RequestLimits(connect=5, wait=REPLY_SECONDS, total=REPLY_SECONDS, body=4 * 1024)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an attempt. `error` is "" if the receiver accepted the message."""

    at: datetime
    milliseconds: int
    error: str
    status_code: int | None = None
    response: str = ""

    @property
    def is_delivered(self) -> bool:
        return not self.error

    @property
    def is_gone(self) -> bool:
        return self.status_code == HTTPStatus.GONE


def send(webhook: Webhook, message: Message, at: datetime) -> Outcome:
    """Send a message. Each failure is an outcome."""
    headers = {
        "Content-Type": "application/json",
        "User-Agent": settings.USER_AGENT,
        "Accept-Encoding": "identity",
        **signature_headers(webhook, message.id, message.body, at),
    }
    began = time.monotonic()
    try:
        reply = request("POST", webhook.url, headers, LIMITS, message.body)
    except (TargetNotAllowed, HostNotFound, AddressNotPublic, RequestFailed) as failure:
        return Outcome(at, _since(began), shortened(str(failure), MAX_ERROR_LENGTH - 1))
    return Outcome(at, _since(began), _error_in(reply, message.answer), reply.status, _text_of(reply.body))


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


def _error_in(reply: Reply, answer: str) -> str:
    if HTTPStatus.OK <= reply.status < HTTPStatus.MULTIPLE_CHOICES:
        line = reply.body.removesuffix(b"\n").removesuffix(b"\r")
        is_answered = not answer or compare_digest(line, answer.encode())
        return "" if is_answered else "The body of the reply is not the member “challenge” of the message."
    if reply.location:
        return f"The reply is {reply.status}. Redirects are not followed."
    return f"The reply is {reply.status}; a status from 200 to 299 is needed."


def _text_of(body: bytes) -> str:
    """The beginning of a reply, as a text that the database stores."""
    return UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", body.decode("utf-8", "replace"))[:MAX_RESPONSE_LENGTH]


# A webhook that fails for longer is paused.
MAX_TIME_FAILING = timedelta(days=5)


@transaction.atomic
def record(sent_to: Webhook, message: Message, outcome: Outcome) -> None:
    """Record an attempt. `sent_to` is the webhook as it was then; its owner may have changed or deleted it since."""
    webhook = Webhook.objects.select_for_update().filter(pk=sent_to.pk).first()
    if webhook is None:
        return
    is_event = message.event_number is not None
    Delivery.objects.create(
        webhook=webhook,
        message_id=message.id,
        event_number=message.event_number,
        attempt=webhook.failures + 1 if is_event else 1,
        at=outcome.at,
        milliseconds=outcome.milliseconds,
        is_delivered=outcome.is_delivered,
        status_code=outcome.status_code,
        response=outcome.response,
        error=outcome.error,
    )
    webhook.served_at = outcome.at
    if webhook.test_id == message.id:
        webhook.test_id = ""
    if message.answer and webhook.challenge == message.answer:
        webhook.challenge, webhook.confirmed_at = "", outcome.at if outcome.is_delivered else None
    # A replay that was requested during the attempt, or another address, begins anew.
    if is_event and (webhook.last_event, webhook.url) == (sent_to.last_event, sent_to.url):
        _advance(webhook, message, outcome)
    webhook.save()


def _advance(webhook: Webhook, message: Message, outcome: Outcome) -> None:
    if outcome.is_delivered and message.event_number is not None:
        webhook.last_event = message.event_number
        webhook.clear_failures()
        return
    webhook.failures += 1
    webhook.failing_since = webhook.failing_since or outcome.at
    if outcome.is_gone:
        _pause(webhook, PauseReason.GONE, outcome.at, outcome.error)
    elif outcome.at - webhook.failing_since >= MAX_TIME_FAILING:
        _pause(webhook, PauseReason.FAILING, outcome.at, outcome.error)
    elif not webhook.paused_at:
        webhook.next_attempt_at = outcome.at + wait_after(webhook.failures)


def wait_after(failures: int) -> timedelta:
    """The time until the next attempt: the waits of the outbox, of which the last one repeats."""
    return timedelta(minutes=WAITS[min(failures, len(WAITS)) - 1])


@transaction.atomic
def pause_without_secret(pk: int, at: datetime) -> None:
    """Pause a webhook whose messages can no longer be signed, because SECRET_KEY was replaced; drop its test and challenge."""
    webhook = Webhook.objects.select_for_update().filter(pk=pk).first()
    if webhook is not None:
        webhook.test_id = webhook.challenge = ""
        _pause(webhook, PauseReason.SECRET, at, "")
        webhook.save()


def _pause(webhook: Webhook, reason: PauseReason, at: datetime, error: str) -> None:
    """Pause a webhook, and mail its owner."""
    if webhook.paused_at:
        return
    webhook.pause(reason, at)
    context = {"webhook": webhook, "reason": reason, "error": error}
    outbox.post("webhook_paused", to=addresses([webhook.owner]), context=context)


def skip_to(webhook: Webhook, head: int) -> None:
    """Note that no event up to `head` is to be delivered, unless a replay or other events were requested since."""
    rows = Webhook.objects.filter(
        pk=webhook.pk, last_event=webhook.last_event, verbs=webhook.verbs, nids=webhook.nids
    )
    rows.update(last_event=head, served_at=timezone.now())


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
    message = _next_message(webhook, now)
    if message is None:
        return False
    record(webhook, message, send(webhook, message, now))
    return True


def _next_message(webhook: Webhook, now: datetime) -> Message | None:
    if webhook.challenge:
        return challenge_message(webhook, now)
    return test_message(webhook, now) if webhook.test_id else _next_event(webhook)


def _next_event(webhook: Webhook) -> Message | None:
    # Read before the events, which are then complete up to it.
    head = LogPosition.current().number
    event = events_for(webhook, head).first()
    if event is None:
        skip_to(webhook, head)
        return None
    return message_of(event)


logger = logging.getLogger(__name__)

# Webhooks that are sent to at the same time.
THREADS = 4
# A run ends after this many seconds, and the next one continues.
MAX_SECONDS = 50


# Runs of one worker at the same time. The queueing lock bounds only the jobs that have not started.
MAX_RUNS = 2
_free_runs = BoundedSemaphore(MAX_RUNS)


def deliver_due(*, should_stop: Callable[[], bool] = lambda: False) -> int:
    """Send all that is due, and return the number of messages; 0 if this process has MAX_RUNS runs already.

    Ends early if the worker is stopped.
    """
    if not _free_runs.acquire(blocking=False):
        return 0
    try:
        return _run(should_stop)
    finally:
        _free_runs.release()


def _run(should_stop: Callable[[], bool]) -> int:
    until = time.monotonic() + MAX_SECONDS
    total = 0

    def is_over() -> bool:
        return should_stop() or time.monotonic() > until

    def in_thread(pk: int) -> int:
        try:
            return take_turn(pk, should_stop=is_over)
        finally:
            connection.close()

    with ThreadPoolExecutor(THREADS, "webhooks") as threads:
        # Webhooks without a message to send, or that another process serves, must not keep the others waiting.
        without_message: set[int] = set()
        while not is_over() and (due := _due_webhooks(without_message)):
            turns = {pk: threads.submit(in_thread, pk) for pk in due}
            sent = {pk: _messages_of(pk, turn) for pk, turn in turns.items()}
            without_message |= {pk for pk, number in sent.items() if not number}
            total += sum(sent.values())
    return total


def _messages_of(pk: int, turn: "Future[int]") -> int:
    """The number of messages of a turn. An unexpected error ends this turn only."""
    if error := turn.exception():
        logger.error("The turn of webhook %s failed.", pk, exc_info=error)
        return 0
    return turn.result()


def _due_webhooks(excluded: Collection[int]) -> list[int]:
    due = Webhook.objects.due(LogPosition.current().number, timezone.now()).exclude(pk__in=excluded)
    return list(due.values_list("pk", flat=True)[: 8 * THREADS])
