"""Sightings: reports that a NID is in use although no namespace has it."""

from collections.abc import Collection
from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property

from registry.accounts.models import RoleName, User
from registry.core.validators import MAX_NAME_LENGTH, MAX_REASON_LENGTH, MAX_REFERENCE_LENGTH
from registry.namespaces.models import Namespace, shape_of_column
from registry.registration_template.nids.rules import shape_of
from urnsyntax import InvalidNID, classify
from urnsyntax.nid import NIDStatus, is_well_formed, one_edit_away

MAX_SIGHTED_LENGTH = 64
# What stands in the place of a NID. The grammar of RFC 8141 allows less: such as no dots, and at most 32 characters.
SIGHTED = f"[a-z0-9._~/+-]{{1,{MAX_SIGHTED_LENGTH}}}"


class SightingState(models.TextChoices):
    REPORTED = "reported", "waiting for a decision"
    CONFIRMED = "confirmed", "confirmed"
    DECLINED = "declined", "declined"
    REMOVED = "removed", "removed"


SHOWN = (SightingState.REPORTED, SightingState.CONFIRMED)


class SightingQuerySet(models.QuerySet["Sighting"]):
    def visible_to(self, user: User | AnonymousUser) -> "SightingQuerySet":
        """The confirmed sightings, and those that `user` reported or, as an administrator, decides on."""
        return self.confirmed() | self.concerning(user) if isinstance(user, User) else self.confirmed()

    def concerning(self, user: User) -> "SightingQuerySet":
        """Those that `user` reported; for administrators, all."""
        return self if RoleName.ADMINISTRATOR in user.roles else self.filter(reported_by=user)

    def confirmed(self) -> "SightingQuerySet":
        return self.filter(state=SightingState.CONFIRMED)

    def public(self) -> "SightingQuerySet":
        """The confirmed sightings of NIDs that are still not registered."""
        return self.confirmed().unregistered()

    def unregistered(self) -> "SightingQuerySet":
        return self.exclude(_has_namespace())

    def with_registration(self) -> "SightingQuerySet":
        """With `is_registered` of each, which is a query of its own otherwise."""
        return self.annotate(is_registered=_has_namespace())  # type: ignore[no-redef]  # the property, read at once

    def of(self, nids: Collection[str]) -> "SightingQuerySet":
        """Those of these NIDs, in lower case."""
        return self.filter(nid__any=nids).order_by("nid", "pk")

    def near(self, nid: str) -> "SightingQuerySet":
        """The first one of each other NID that looks like a well-formed one in lower case."""
        is_near = Q(nid__any=one_edit_away(nid)) | Q(shape=shape_of(nid))
        near = self.alias(shape=shape_of_column("nid")).filter(is_near)
        return near.exclude(nid=nid).order_by("nid", "pk").distinct("nid")


def _has_namespace() -> Exists:
    return Exists(Namespace.objects.filter(nid=OuterRef("nid")))


class Sighting(models.Model):
    """A report that a NID is in use although no namespace has it. It gives the NID no standing.

    It is kept when the NID is registered. Those that come with the registry were reported by no account.
    """

    # In lower case. It need not be a NID by the grammar: `is_nid`.
    nid = models.CharField(max_length=MAX_SIGHTED_LENGTH, db_collation="C")
    # A name that begins with the NID; it may be empty.
    example = models.CharField(max_length=MAX_REFERENCE_LENGTH, blank=True)
    used_by = models.CharField(max_length=MAX_NAME_LENGTH)
    # A web address, which the registry never requests, or where it is written, in words.
    source = models.CharField(max_length=MAX_REFERENCE_LENGTH)
    reported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="sightings"
    )
    reported_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=9, choices=SightingState.choices, default=SightingState.REPORTED)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True)
    # Only the reporter and administrators read it.
    reason = models.TextField(blank=True, max_length=MAX_REASON_LENGTH)

    objects: ClassVar[models.Manager["Sighting"]] = SightingQuerySet.as_manager()

    class Meta:
        ordering = ["nid", "pk"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["nid", "id"], name="sightings_by_nid"),
            models.Index(shape_of_column("nid"), name="sightings_by_shape"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(nid__regex=f"^{SIGHTED}$"), name="sighted_nid_is_in_lower_case"
            ),
            models.CheckConstraint(
                condition=Q(state__in=SightingState.values), name="sighting_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state=SightingState.REPORTED, decided_at=None, decided_by=None)
                | (~Q(state=SightingState.REPORTED) & Q(decided_at__isnull=False)),
                name="decided_sighting_has_a_time",
            ),
            models.CheckConstraint(
                condition=Q(decided_by=None) | Q(reported_by=None) | ~Q(decided_by=F("reported_by")),
                name="reporter_does_not_decide",
            ),
            models.UniqueConstraint(
                "nid", "source", condition=Q(state__in=SHOWN), name="one_sighting_per_source"
            ),
        ]

    def __str__(self) -> str:
        return f"sighting {self.pk} of {self.nid}"

    def get_absolute_url(self) -> str:
        return reverse("sightings:detail", args=[self.pk])

    @property
    def is_nid(self) -> bool:
        """Whether it is a NID by the grammar (RFC 8141, Section 2)."""
        return is_well_formed(self.nid)

    @cached_property
    def is_registered(self) -> bool:
        """Whether a namespace has the NID by now."""
        return Namespace.objects.filter(nid=self.nid).exists()

    @property
    def nid_status(self) -> NIDStatus:
        """Whether it could be registered, and if not, why."""
        return classify(self.nid)

    @property
    def fault(self) -> InvalidNID | None:
        """What is wrong with it by the grammar."""
        return None if self.is_nid else InvalidNID(self.nid)

    @property
    def is_undecided(self) -> bool:
        return self.state == SightingState.REPORTED

    @property
    def is_confirmed(self) -> bool:
        return self.state == SightingState.CONFIRMED
