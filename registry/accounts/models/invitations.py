"""The base class of invitations by e-mail address."""

from typing import ClassVar, Self, TypeVar

from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone

from registry.accounts.models.grants import PendingGrant
from registry.accounts.models.people import User, is_address

Row_co = TypeVar("Row_co", bound=models.Model, covariant=True)


class InvitationQuerySet(models.QuerySet[Row_co]):
    """Open invitations, by their address."""

    def to_address(self, email: str) -> Self:
        """The invitations to this address, compared like `one_account_per_email`."""
        return self.filter(is_address("email", email))

    def to(self, user: User) -> Self:
        """The invitations that `user` may answer: those to the addresses that they confirmed.

        One that was made with a token ends with it.
        """
        is_verified = models.Exists(User.objects.verified().filter(pk=user.pk))
        is_valid = models.Q(made_with=None) | models.Q(
            made_with__revoked_at=None, made_with__expires_at__gt=timezone.now()
        )
        addressed = self.alias(address=Lower("email"))
        return addressed.filter(is_verified, is_valid, address__in=user.confirmed_addresses)


class AddressedInvitation(PendingGrant):
    """An invitation of the owner of an address, deleted when it is accepted, declined or withdrawn.

    It names an address, not an account, so that it does not tell whether there is one.
    """

    GRANTOR: ClassVar[str] = "invited_by"

    email = models.EmailField(max_length=254)
    invited_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True
