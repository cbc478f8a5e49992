"""Granting roles and taking them back: each an event in the record."""

from django.db import transaction

from registry.accounts.models import Role, RoleName, User
from registry.errors import NotForYou
from registry.record import journal
from registry.words import check_remark


@transaction.atomic
def grant_role(user: User, role: RoleName, *, by: User | None, reason: str = "") -> Role:
    """Give `user` a role. `by` is an administrator, or None where the installation itself sets up."""
    _check_may_grant(by, user)
    granted, is_new = Role.objects.get_or_create(user=user, name=role)
    if is_new:
        why = check_remark(reason, "the reason")
        journal.append("grant_role", by=by, reason=why, person=user.pk, role=str(role))
        hold_roles(user)
    return granted


@transaction.atomic
def withdraw_role(user: User, role: RoleName, *, by: User | None, reason: str) -> None:
    """Take a role back; what was done in it stays done."""
    _check_may_grant(by, user)
    deleted, _ = Role.objects.filter(user=user, name=role).delete()
    if deleted:
        why = check_remark(reason, "the reason")
        journal.append("withdraw_role", by=by, reason=why, person=user.pk, role=str(role))
        hold_roles(user)


def hold_roles(user: User) -> None:
    """Read the roles of `user` anew, and let nobody withdraw them until the caller's transaction ends.

    So whoever acts in a role holds it, and the record has the withdrawal after the act. FOR KEY SHARE, for
    which Django has no name, lets one person act in several places at once.
    """
    held = Role.objects.raw(
        "SELECT id, name FROM accounts_role WHERE user_id = %s ORDER BY id FOR KEY SHARE", [user.pk]
    )
    user.roles = frozenset(role.name for role in held)


def _check_may_grant(by: User | None, user: User) -> None:
    """Hold both people's roles, always in the same order: two administrators may turn on each other."""
    if by is None:
        return
    list(Role.objects.select_for_update().filter(user__in=[by, user]).order_by("pk"))
    hold_roles(by)
    if RoleName.ADMINISTRATOR not in by.roles:
        raise NotForYou("Only an administrator grants and withdraws roles.")
