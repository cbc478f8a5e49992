"""Granting and withdrawal of roles, with events in the audit log."""

from django.db import transaction

from registry.accounts.models import Role, RoleName, User
from registry.audit_log import log
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_optional_text, check_text


class LastAdministrator(RegistryError):
    """The last administrator can't be withdrawn: only administrators can appoint one."""

    title = "The registry needs an administrator"


def check_is_administrator(user: User) -> None:
    """Raise NotPermitted unless `user` is an administrator."""
    if RoleName.ADMINISTRATOR not in user.roles:
        raise _not_permitted()


def _not_permitted() -> NotPermitted:
    return NotPermitted("Only administrators can do this.")


@transaction.atomic
def grant_role(user: User, role: RoleName, *, by: User | None, reason: str = "") -> Role:
    """Grant `user` a role. `by` is an administrator, or None for the command line."""
    _administrators_locked(by)
    reason = _reason(reason, by)
    granted, is_new = Role.objects.get_or_create(user=user, name=role)
    if is_new:
        log.append("grant_role", by=by, reason=reason, person=user.pk, role=str(role))
        lock_roles(user)
    return granted


@transaction.atomic
def withdraw_role(user: User, role: RoleName, *, by: User | None, reason: str) -> None:
    """Withdraw a role. Raises LastAdministrator for the last administrator."""
    administrators = _administrators_locked(by)
    reason = _reason(reason, by)
    if role == RoleName.ADMINISTRATOR and {each.pk for each in administrators if each.is_active} <= {user.pk}:
        raise LastAdministrator(f"{user} is the only administrator. Make somebody else one first.")
    deleted, _ = Role.objects.filter(user=user, name=role).delete()
    if deleted:
        log.append("withdraw_role", by=by, reason=reason, person=user.pk, role=str(role))
        lock_roles(user)


def lock_roles(user: User) -> None:
    """Re-read and lock the roles of `user` until the end of the transaction.

    A role can then not be withdrawn during an action that requires it, and the audit log has the withdrawal after
    the action. FOR KEY SHARE, which Django does not support, allows concurrent actions of one user.
    """
    held = Role.objects.raw(
        "SELECT id, name FROM accounts_role WHERE user_id = %s ORDER BY id FOR KEY SHARE", [user.pk]
    )
    user.roles = frozenset(role.name for role in held)


def _administrators_locked(by: User | None) -> list[User]:
    """Return the administrators after locking their roles; `by` must be one of them.

    If two administrators withdraw each other's role at the same time, the second one fails here.
    """
    roles = Role.objects.filter(name=RoleName.ADMINISTRATOR).order_by("pk")
    administrators = [role.user for role in roles.select_related("user").select_for_update(of=("self",))]
    if by is not None and by not in administrators:
        raise _not_permitted()
    return administrators


def _reason(reason: str, by: User | None) -> str:
    """Return the checked reason; it may be empty only if `by` is None."""
    return check_optional_text(reason, "the reason") if by is None else check_text(reason, "the reason")
