"""The base class of pending grants."""

from typing import ClassVar

from django.db import models

from registry.accounts.models.people import User
from registry.accounts.models.tokens import Token


class PendingGrant(models.Model):
    """What a person grants or asks for, and what takes effect later: an invitation, an offer, a claim.

    It is worth as much as the authority of its grantor when it is used, and of the token with which it was made, if it was
    made with one (`accounts.services.grants`).
    """

    # The name of the column with the grantor.
    GRANTOR: ClassVar[str]

    made_with = models.ForeignKey(
        Token, on_delete=models.PROTECT, null=True, editable=False, related_name="+", db_index=False
    )

    class Meta:
        abstract = True

    @property
    def grantor(self) -> User | None:
        """The person who made it."""
        grantor: User | None = getattr(self, self.GRANTOR)
        return grantor

    @property
    def grantor_id(self) -> int | None:
        key: int | None = getattr(self, f"{self.GRANTOR}_id")
        return key
