"""Models of people, roles, API tokens, and the bodies that can request the fast track."""

from registry.accounts.models.organisations import Body, BodyQuerySet, Recognition
from registry.accounts.models.people import User, UserManager, addresses, is_address
from registry.accounts.models.roles import Role, RoleName
from registry.accounts.models.tokens import Scope, Token

__all__ = [
    "Body",
    "BodyQuerySet",
    "Recognition",
    "Role",
    "RoleName",
    "Scope",
    "Token",
    "User",
    "UserManager",
    "addresses",
    "is_address",
]
