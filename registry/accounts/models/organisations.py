"""Organisations that can request the fast track."""

from typing import ClassVar

from django.db import models
from django.db.models.functions import Lower

from registry.accounts.models.people import User
from registry.core.text_limits import MAX_BODY_NAME_LENGTH, MAX_REFERENCE_LENGTH


class Recognition(models.TextChoices):
    PENDING = "pending", "not yet decided"
    RECOGNISED = "recognised", "recognised"
    REFUSED = "refused", "refused"


class BodyQuerySet(models.QuerySet["Body"]):
    def named(self, name: str) -> "BodyQuerySet":
        """Return the body with this name, compared like the constraint `one_body_per_name`."""
        return self.alias(lowered=Lower("name")).filter(lowered=Lower(models.Value(name)))


class Body(models.Model):
    """A standards development organisation, scientific society or similar body (RFC 8141, Section 6.3).

    `recognition` is the decision of the approval body. It applies to later cases of the people who were recorded
    as representatives when it was made, not to others who name the body.
    """

    name = models.CharField(max_length=MAX_BODY_NAME_LENGTH)
    recognition = models.CharField(
        max_length=12, choices=Recognition.choices, default=Recognition.PENDING, editable=False
    )
    recognition_reference = models.CharField(max_length=MAX_REFERENCE_LENGTH, blank=True, editable=False)
    representatives = models.ManyToManyField(User, related_name="represented_bodies", editable=False)

    objects: ClassVar[models.Manager["Body"]] = BodyQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "bodies"
        constraints = [
            models.UniqueConstraint(Lower("name"), name="one_body_per_name"),
            models.CheckConstraint(
                condition=models.Q(recognition__in=Recognition.values), name="recognition_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def recognition_in_later_cases(self) -> str:
        """The recognition in words: without a decision on the body, one is made in each case."""
        is_pending = self.recognition == Recognition.PENDING
        return "decided in each case" if is_pending else str(self.get_recognition_display())
