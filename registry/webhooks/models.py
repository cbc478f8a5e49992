"""Webhooks, and the log of their deliveries."""

import secrets
from datetime import datetime
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from registry.accounts.models import User
from registry.core.validators import MAX_URL_LENGTH

# A receiver has this time to reply.
REPLY_SECONDS = 15
MAX_RESPONSE_LENGTH = 1_000
MAX_ERROR_LENGTH = 300
# How the message IDs of challenges begin.
CHALLENGE_PREFIX = "challenge_"


class PauseReason(models.TextChoices):
    """Why nothing is sent to a webhook until its owner resumes it."""

    OWNER = "owner", "its owner paused it"
    FAILING = "failing", "deliveries failed for days"
    GONE = "gone", "the address replied 410 Gone"
    SECRET = "secret", "its secret is no longer valid"


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def open(self) -> "WebhookQuerySet":
        """Those of open accounts."""
        return self.filter(owner__is_active=True)

    def confirmed(self) -> "WebhookQuerySet":
        """Those whose address has agreed to get messages."""
        return self.filter(confirmed_at__isnull=False)

    def active(self) -> "WebhookQuerySet":
        return self.open().confirmed().filter(paused_at=None)

    def due(self, head: int, now: datetime) -> "WebhookQuerySet":
        """Those with a challenge; of the confirmed ones, those with a test, or with events up to `head` to look at. The least
        recently served first.
        """
        is_in_time = Q(next_attempt_at=None) | Q(next_attempt_at__lte=now)
        has_events = Q(paused_at=None, last_event__lt=head) & is_in_time
        has_message = Q(confirmed_at__isnull=False) & (has_events | ~Q(test_id=""))
        found = self.open().filter(has_message | ~Q(challenge=""))
        return found.order_by(models.F("served_at").asc(nulls_first=True), "pk")


class Webhook(models.Model):
    """An address to which public events are sent, in the order of the log.

    `last_event` is the number of the last event that was delivered, or that the webhook does not ask for. Empty `verbs`
    or `nids` stand for all. Until its address answers a challenge, only that is sent. The secret is computed from `salt` and
    SECRET_KEY (`registry.webhooks.messages`).
    """

    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="webhooks")
    url = models.CharField(max_length=MAX_URL_LENGTH)
    verbs = ArrayField(models.CharField(max_length=40), default=list)
    nids = ArrayField(models.CharField(max_length=32), default=list)
    salt = models.CharField(max_length=32, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    # After a rotation, messages are signed with the previous secret as well, for some time.
    previous_salt = models.CharField(max_length=32, blank=True, editable=False)
    previous_until = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_event = models.BigIntegerField()
    served_at = models.DateTimeField(null=True, editable=False)
    # When the address answered a challenge. Another address has not.
    confirmed_at = models.DateTimeField(null=True, editable=False)
    # What the address is to reply to the challenge that was requested and not yet sent.
    challenge = models.CharField(max_length=64, blank=True, db_default="", editable=False)
    # The message ID of a test that was requested and not yet sent.
    test_id = models.CharField(max_length=40, blank=True, editable=False)
    failures = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True)
    next_attempt_at = models.DateTimeField(null=True)
    paused_at = models.DateTimeField(null=True)
    pause_reason = models.CharField(max_length=7, choices=PauseReason.choices, blank=True)

    objects: ClassVar[WebhookQuerySet] = WebhookQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(condition=Q(url__startswith="https://"), name="webhook_uses_https"),
            models.CheckConstraint(condition=Q(last_event__gte=0), name="last_event_is_not_negative"),
            models.CheckConstraint(
                condition=Q(paused_at=None, pause_reason="")
                | Q(paused_at__isnull=False, pause_reason__in=PauseReason.values),
                name="pause_has_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(failures=0, failing_since=None, next_attempt_at=None)
                | Q(failures__gt=0, failing_since__isnull=False),
                name="failing_webhook_has_failures",
            ),
            models.CheckConstraint(
                condition=Q(previous_salt="", previous_until=None)
                | ~Q(previous_salt="") & Q(previous_until__isnull=False),
                name="previous_secret_ends",
            ),
            models.CheckConstraint(
                condition=Q(challenge="") | Q(confirmed_at=None), name="confirmed_webhook_is_not_challenged"
            ),
        ]

    def __str__(self) -> str:
        return f"webhook {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("webhooks:detail", args=[self.pk])

    @property
    def state(self) -> str:
        """One of unconfirmed, active, failing, paused."""
        if not self.confirmed_at:
            return "unconfirmed"
        if self.paused_at:
            return "paused"
        return "failing" if self.failures else "active"

    def request_challenge(self) -> None:
        """Have the address challenged. Until it answers, nothing else is sent to it."""
        self.confirmed_at, self.challenge, self.test_id = None, secrets.token_hex(32), ""

    @property
    def last_challenge(self) -> "Delivery | None":
        """The newest challenge in the log."""
        return self.deliveries.filter(message_id__startswith=CHALLENGE_PREFIX).first()

    def pause(self, reason: PauseReason, at: datetime) -> None:
        self.paused_at, self.pause_reason, self.next_attempt_at = at, reason, None

    def clear_failures(self) -> None:
        self.failures, self.failing_since, self.next_attempt_at = 0, None, None


class Delivery(models.Model):
    """One attempt to deliver a message. `event_number` is None for a challenge or a test.

    `status_code` is None if there was no reply; `error` then says why. `response` is the beginning of the reply's body.
    """

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    message_id = models.CharField(max_length=80)
    event_number = models.BigIntegerField(null=True)
    attempt = models.PositiveIntegerField()
    at = models.DateTimeField(default=timezone.now)
    milliseconds = models.PositiveIntegerField()
    is_delivered = models.BooleanField()
    status_code = models.PositiveSmallIntegerField(null=True)
    response = models.CharField(max_length=MAX_RESPONSE_LENGTH, blank=True)
    error = models.CharField(max_length=MAX_ERROR_LENGTH, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "deliveries"
        indexes = [models.Index("webhook", "id", name="deliveries_of_webhook")]
        constraints = [
            models.CheckConstraint(
                condition=Q(is_delivered=False) | Q(status_code__gte=200, status_code__lt=300),
                name="delivery_was_accepted",
            ),
            models.CheckConstraint(
                condition=Q(is_delivered=True) | ~Q(error=""), name="failed_delivery_has_an_error"
            ),
        ]

    def __str__(self) -> str:
        return f"delivery {self.pk} of {self.message_id}"

    @property
    def is_challenge(self) -> bool:
        return self.message_id.startswith(CHALLENGE_PREFIX)
