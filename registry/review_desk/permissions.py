"""Permissions for the pages of the desk."""

from registry.accounts.models import RoleName, User
from registry.core.exceptions import NotPermitted

QUEUE_ROLES = frozenset({RoleName.EXPERT, RoleName.LEADER})


def has_queue(user: User) -> bool:
    """Whether `user` is an expert or the leader of the experts."""
    return bool(user.roles & QUEUE_ROLES)


def check_has_role(user: User, *roles: RoleName) -> None:
    """Raise NotPermitted unless `user` has one of the roles, or any role if none is given."""
    if not user.roles.intersection(roles or RoleName):
        needed = ", ".join(f"{role.label}s" for role in roles or RoleName)
        raise NotPermitted(f"This page is only for {needed}.")
