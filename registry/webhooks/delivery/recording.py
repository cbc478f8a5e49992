"""The record of an attempt, and what follows from it for the webhook, in one transaction."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from registry.accounts.models import addresses
from registry.mail import outbox
from registry.mail.tasks import WAITS
from registry.webhooks.delivery.sending import Outcome
from registry.webhooks.messages import Message
from registry.webhooks.models import Delivery, PauseReason, Webhook

# A webhook that fails for longer is paused.
MAX_TIME_FAILING = timedelta(days=5)


@transaction.atomic
def record(sent_to: Webhook, message: Message, outcome: Outcome) -> None:
    """Record an attempt. `sent_to` is the webhook as it was then; its owner may have changed or deleted it since."""
    webhook = Webhook.objects.select_for_update().filter(pk=sent_to.pk).first()
    if webhook is None:
        return
    is_test = message.event_number is None
    Delivery.objects.create(
        webhook=webhook,
        message_id=message.id,
        event_number=message.event_number,
        attempt=1 if is_test else webhook.failures + 1,
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
    # A replay that was requested during the attempt, or another address, begins anew.
    if not is_test and (webhook.last_event, webhook.url) == (sent_to.last_event, sent_to.url):
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
    """Pause a webhook whose messages can no longer be signed, because SECRET_KEY was replaced; drop its test."""
    webhook = Webhook.objects.select_for_update().filter(pk=pk).first()
    if webhook is not None:
        webhook.test_id = ""
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
