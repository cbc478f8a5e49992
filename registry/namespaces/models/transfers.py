"""Offers of a namespace to another registrant."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from registry.accounts.models import PendingGrant, User
from registry.namespaces.models.namespaces import Namespace
from registry.organisations.models import Part, organisations_of


class TransferQuerySet(models.QuerySet["Transfer"]):
    def waiting(self) -> "TransferQuerySet":
        return self.filter(ended_at=None)

    def concerning(self, person: User) -> "TransferQuerySet":
        """Offers to or by this person, or by an organisation that they represent, oldest first. Those to the
        addresses that they confirmed.
        """
        represented = organisations_of(person, [Part.REPRESENTATIVE])
        sides = Q(offered_by=person) | Q(namespace__organisation__in=represented)
        if person.is_verified:
            sides |= Q(address__in=person.confirmed_addresses)
        return (
            self.alias(address=Lower("email"))
            .filter(sides)
            .select_related("namespace", "offered_by")
            .order_by("pk")
        )


class Transfer(PendingGrant):
    """An offer of a namespace to another registrant, which the owner of the address accepts or declines.

    It names an address, not an account, so that it does not tell whether there is one.
    """

    GRANTOR: ClassVar[str] = "offered_by"

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="transfers")
    offered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    email = models.EmailField(max_length=254)
    offered_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    is_accepted = models.BooleanField(default=False)

    objects = TransferQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                "namespace", condition=Q(ended_at=None), name="one_open_transfer_per_namespace"
            ),
            models.CheckConstraint(
                condition=Q(is_accepted=False) | Q(ended_at__isnull=False), name="accepted_transfer_has_ended"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.namespace_id} offered to {self.email}"

    def get_absolute_url(self) -> str:
        return f"/namespaces/{self.namespace.nid}/transfers/{self.pk}/"

    @property
    def is_waiting(self) -> bool:
        return self.ended_at is None
