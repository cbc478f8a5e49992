"""Granting roles and taking them back: each an event in the record."""

from django.db import transaction

from registry.accounts.models import Role, RoleName, User
from registry.errors import NotForYou
from registry.record import journal


@transaction.atomic
def grant_role(user: User, role: RoleName, *, by: User | None) -> Role:
    """Give `user` a role. `by` is an administrator, or None where the installation itself sets up."""
    _check_may_grant(by)
    granted, is_new = Role.objects.get_or_create(user=user, name=role)
    if is_new:
        journal.append("grant_role", by=by, person=user.pk, role=str(role))
        user.__dict__.pop("roles", None)
    return granted


@transaction.atomic
def withdraw_role(user: User, role: RoleName, *, by: User | None, reason: str) -> None:
    """Take a role back; what was done in it stays done."""
    _check_may_grant(by)
    deleted, _ = Role.objects.filter(user=user, name=role).delete()
    if deleted:
        journal.append("withdraw_role", by=by, reason=reason, person=user.pk, role=str(role))
        user.__dict__.pop("roles", None)


def _check_may_grant(by: User | None) -> None:
    if by is not None and RoleName.ADMINISTRATOR not in by.roles:
        raise NotForYou("Only an administrator grants and withdraws roles.")
