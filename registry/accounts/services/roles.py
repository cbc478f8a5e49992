"""Granting roles and taking them back: each an event in the record."""

from django.db import transaction

from registry.accounts.models import Role, RoleName, User
from registry.audit_log import log
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_optional_text, check_text


class LastAdministrator(RegistryError):
    """Without an administrator nobody could register anything, nor make one."""

    title = "The registry needs an administrator"


def check_is_administrator(user: User) -> None:
    """Raise NotPermitted unless `user` is an administrator."""
    if RoleName.ADMINISTRATOR not in user.roles:
        raise _not_permitted()


def _not_permitted() -> NotPermitted:
    return NotPermitted("This is for administrators alone.")


@transaction.atomic
def grant_role(user: User, role: RoleName, *, by: User | None, reason: str = "") -> Role:
    """Give `user` a role. `by` is an administrator, or None where the installation itself sets up."""
    _administrators_locked(by)
    reason = _reason(reason, by)
    granted, is_new = Role.objects.get_or_create(user=user, name=role)
    if is_new:
        log.append("grant_role", by=by, reason=reason, person=user.pk, role=str(role))
        lock_roles(user)
    return granted


@transaction.atomic
def withdraw_role(user: User, role: RoleName, *, by: User | None, reason: str) -> None:
    """Take a role back; what was done in it stays done. The last administrator stays one."""
    administrators = _administrators_locked(by)
    reason = _reason(reason, by)
    if role == RoleName.ADMINISTRATOR and {each.pk for each in administrators if each.is_active} <= {user.pk}:
        raise LastAdministrator(f"{user} is the only administrator. Make somebody else one first.")
    deleted, _ = Role.objects.filter(user=user, name=role).delete()
    if deleted:
        log.append("withdraw_role", by=by, reason=reason, person=user.pk, role=str(role))
        lock_roles(user)


def lock_roles(user: User) -> None:
    """Read the roles of `user` anew, and let nobody withdraw them until the caller's transaction ends.

    So whoever acts in a role holds it, and the record has the withdrawal after the act. FOR KEY SHARE, for
    which Django has no name, lets one person act in several places at once.
    """
    held = Role.objects.raw(
        "SELECT id, name FROM accounts_role WHERE user_id = %s ORDER BY id FOR KEY SHARE", [user.pk]
    )
    user.roles = frozenset(role.name for role in held)


def _administrators_locked(by: User | None) -> list[User]:
    """The administrators, whose roles nobody else withdraws meanwhile; `by` must be one of them.

    Two who withdraw each other's role at the same moment wait here, and the second finds out.
    """
    roles = Role.objects.filter(name=RoleName.ADMINISTRATOR).order_by("pk")
    administrators = [role.user for role in roles.select_related("user").select_for_update(of=("self",))]
    if by is not None and by not in administrators:
        raise _not_permitted()
    return administrators


def _reason(reason: str, by: User | None) -> str:
    """The installation needs no reason; a person does."""
    return check_optional_text(reason, "the reason") if by is None else check_text(reason, "the reason")
