"""The outbox: all mails of the registry, sent and unsent; what people chose to get; and mails for the next digest."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from registry.mail.kinds import KIND_BY_NAME, Delivery

ADDRESS_LENGTH = 254
SUBJECT_LENGTH = 250


class MessageQuerySet(models.QuerySet["Message"]):
    def unsent(self) -> "MessageQuerySet":
        return self.filter(sent_at=None)


class Message(models.Model):
    """One mail to one recipient, written in the transaction of the change that it reports.

    `name` is its template `templates/emails/<name>.txt`, or, for mails about accounts, the prefix of
    the template names in `templates/account/email/`. `thread` is its subject, such as "case-7", and
    `event_number` the event of the audit log that it reports. A mail that `needs_account` is deleted unsent if its
    address belongs to no verified account, so that to write it takes the same work for every address. `kind` is the
    kind of mail that its recipient can turn off, "" if there is none.
    """

    name = models.CharField(max_length=40)
    to = models.CharField(max_length=ADDRESS_LENGTH)
    subject = models.CharField(max_length=SUBJECT_LENGTH)
    body = models.TextField()
    kind = models.CharField(max_length=20, blank=True)
    thread = models.CharField(max_length=40, blank=True)
    event_number = models.BigIntegerField(null=True)
    needs_account = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveIntegerField(default=0)
    last_attempt_at = models.DateTimeField(null=True)
    # Kept if a later attempt succeeds, to explain the delay.
    last_error = models.TextField(blank=True)
    sent_at = models.DateTimeField(null=True)

    objects: ClassVar[models.Manager["Message"]] = MessageQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index("created_at", name="unsent_mail", condition=Q(sent_at=None))]
        constraints = [
            models.CheckConstraint(
                condition=~Q(to="") & ~Q(to__regex=r"[\r\n]"), name="recipient_is_one_line"
            ),
            models.CheckConstraint(
                condition=~Q(subject="") & ~Q(subject__regex=r"[\r\n]"), name="subject_is_one_line"
            ),
            models.CheckConstraint(
                condition=Q(sent_at=None) | Q(attempts__gt=0, last_attempt_at__isnull=False),
                name="sent_mail_was_attempted",
            ),
        ]

    def __str__(self) -> str:
        return f"mail {self.pk} ({self.name})"


class BouncedAddress(models.Model):
    """An address whose mail server did not accept a mail for good: a hint for people, which changes nothing else."""

    # In lower case.
    address = models.CharField(max_length=ADDRESS_LENGTH, unique=True)
    bounced_at = models.DateTimeField(default=timezone.now)
    # What the mail server said, the last time.
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "bounced addresses"
        constraints = [
            models.CheckConstraint(
                condition=Q(address=Lower("address")), name="bounced_address_is_in_lower_case"
            )
        ]

    def __str__(self) -> str:
        return f"bounced address {self.pk}"


class MailPreference(models.Model):
    """How a person gets one kind of mail. Without a row, at once."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mail_preferences"
    )
    kind = models.CharField(max_length=20)
    delivery = models.CharField(max_length=8, choices=Delivery.choices)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint("person", "kind", name="one_preference_per_person_and_kind"),
            models.CheckConstraint(condition=Q(kind__in=sorted(KIND_BY_NAME)), name="mail_kind_is_known"),
            models.CheckConstraint(condition=Q(delivery__in=Delivery.values), name="delivery_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.get_delivery_display()}"


class HeldMail(models.Model):
    """A mail that waits for the next digest of its recipient, which deletes it."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="held_mails")
    name = models.CharField(max_length=40)
    subject = models.CharField(max_length=SUBJECT_LENGTH)
    body = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.name} for the digest of {self.person}"
