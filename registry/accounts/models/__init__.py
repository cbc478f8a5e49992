"""Models of people, roles, API tokens, and the bodies that can request the fast track."""

from registry.accounts.models.grants import PendingGrant
from registry.accounts.models.invitations import AddressedInvitation, InvitationQuerySet
from registry.accounts.models.organisations import Body, BodyQuerySet, Recognition
from registry.accounts.models.people import (
    ERASED_DOMAIN,
    User,
    UserManager,
    addresses,
    confirmed_addresses,
    erased_address,
    is_address,
    verified_addresses,
)
from registry.accounts.models.roles import Role, RoleName
from registry.accounts.models.tokens import Scope, Token

__all__ = [
    "ERASED_DOMAIN",
    "AddressedInvitation",
    "Body",
    "BodyQuerySet",
    "InvitationQuerySet",
    "PendingGrant",
    "Recognition",
    "Role",
    "RoleName",
    "Scope",
    "Token",
    "User",
    "UserManager",
    "addresses",
    "confirmed_addresses",
    "erased_address",
    "is_address",
    "verified_addresses",
]
