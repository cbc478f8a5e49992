"""The base class of invitations by e-mail address."""

from typing import Self, TypeVar

from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from registry.accounts.models.people import User, is_address

Row_co = TypeVar("Row_co", bound=models.Model, covariant=True)


class InvitationQuerySet(models.QuerySet[Row_co]):
    """Open invitations, by their address."""

    def to_address(self, email: str) -> Self:
        """The invitations to this address, compared like `one_account_per_email`."""
        return self.filter(is_address("email", email))

    def to(self, user: User) -> Self:
        """The invitations that `user` may answer: those to the addresses that they confirmed."""
        is_verified = models.Exists(User.objects.verified().filter(pk=user.pk))
        addressed = self.alias(address=Lower("email"))
        return addressed.filter(is_verified, address__in=user.confirmed_addresses)


class AddressedInvitation(models.Model):
    """An invitation of the owner of an address, deleted when it is accepted, declined or withdrawn.

    It names an address, not an account, so that it does not tell whether there is one.
    """

    email = models.EmailField(max_length=254)
    invited_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True
