"""Granting and withdrawal of roles, with events in the audit log and mail to all administrators; comparison of roles
with the log.
"""

from collections.abc import Iterable, Iterator

from django.conf import settings
from django.db import models, transaction

from registry.accounts.erasure import lock_ending_account
from registry.accounts.grants import withdraw_lapsed_grants
from registry.accounts.locks import check_is_verified
from registry.accounts.models import Role, RoleName, User, addresses, roles_in_force
from registry.audit_log import log
from registry.audit_log.committed_texts import NamedText, differences, text_check
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_optional_text, check_text
from registry.mail import outbox


class LastAdministrator(RegistryError):
    """The last administrator can't be withdrawn: only administrators can appoint one."""

    title = "The registry needs an administrator"


class OwnRole(RegistryError):
    """No one grants a role to themselves."""

    title = "Another administrator must grant this role"


def role_holders() -> models.QuerySet[User]:
    """Return the people who hold roles, by name, with their roles."""
    roles = models.Prefetch("granted_roles", Role.objects.order_by("name"))
    holders = User.objects.filter(models.Exists(Role.objects.filter(user=models.OuterRef("pk"))))
    return holders.order_by("name", "email").prefetch_related(roles)


def check_is_administrator(user: User) -> None:
    """Raise NotPermitted unless `user` is an administrator."""
    if RoleName.ADMINISTRATOR not in user.roles:
        raise _not_permitted()


def _not_permitted() -> NotPermitted:
    return NotPermitted("Only administrators can do this.")


@transaction.atomic
def grant_role(user: User, role: RoleName, *, by: User | None, reason: str = "") -> Role:
    """Grant `user` another role. `by` is an administrator, or None for the command line."""
    administrators = _administrators_locked(by)
    if settings.SEPARATE_DUTIES and by == user:
        raise OwnRole("You can't grant a role to yourself. Ask another administrator.")
    check_is_verified(user)
    reason = _reason(reason, by)
    granted, is_new = Role.objects.get_or_create(user=user, name=role)
    if is_new:
        _record("grant_role", user, role, by=by, reason=reason, administrators=administrators)
    return granted


@transaction.atomic
def withdraw_role(user: User, role: RoleName, *, by: User | None, reason: str) -> None:
    """Withdraw a role, and what was offered in it. Raises LastAdministrator for the last administrator."""
    lock_ending_account(user)
    administrators = _administrators_locked(by)
    reason = _reason(reason, by)
    if role == RoleName.ADMINISTRATOR:
        _check_is_not_only(user, administrators)
    deleted, _ = Role.objects.filter(user=user, name=role).delete()
    if deleted:
        _record("withdraw_role", user, role, by=by, reason=reason, administrators=administrators)
        withdraw_lapsed_grants(user)


def check_is_not_only_administrator(user: User) -> None:
    """Raise LastAdministrator if no one else is an administrator. Call it in a transaction."""
    _check_is_not_only(user, _administrators_locked(None))


def _check_is_not_only(user: User, administrators: Iterable[User]) -> None:
    if {each.pk for each in administrators if each.is_active} <= {user.pk}:
        raise LastAdministrator(
            f"{user} is the only administrator. Make another person an administrator first."
        )


def _record(
    verb: str, user: User, role: RoleName, *, by: User | None, reason: str, administrators: Iterable[User]
) -> None:
    """Write the event, and mail it to the person and to all administrators."""
    event = log.append(verb, by=by, reason=reason, person=user.pk, role=str(role))
    lock_roles(user)
    context = {"event": event, "person": user, "role": role.label}
    people = {person for person in (user, *administrators) if person.is_active}
    outbox.post(verb, to=addresses(people), context=context, event_number=event.number)


def lock_roles(user: User) -> None:
    """Re-read and lock the roles of `user` until the end of the transaction.

    A role can then not be withdrawn during an action that requires it, and the audit log has the withdrawal after
    the action. FOR KEY SHARE, which Django does not support, allows concurrent actions of one user.
    """
    held = Role.objects.raw(
        "SELECT id, name, granted_at, signed_in_at FROM accounts_role WHERE user_id = %s ORDER BY id FOR KEY SHARE",
        [user.pk],
    )
    user.roles = roles_in_force(user, held)


def _administrators_locked(by: User | None) -> list[User]:
    """Return the administrators after locking their roles; `by` must be one of them.

    If two administrators withdraw each other's role at the same time, the second one fails here.
    """
    roles = Role.objects.filter(name=RoleName.ADMINISTRATOR).order_by("pk")
    locked = list(roles.select_related("user").select_for_update(of=("self",)))
    if by is not None and not roles_in_force(by, [role for role in locked if role.user_id == by.pk]):
        raise _not_permitted()
    return [role.user for role in locked]


def _reason(reason: str, by: User | None) -> str:
    """Return the checked reason; it may be empty only if `by` is None."""
    return check_optional_text(reason, "the reason") if by is None else check_text(reason, "the reason")


@text_check
def changed_roles() -> Iterator[str]:
    def recorded() -> Iterator[NamedText]:
        held: set[tuple[int, str]] = set()
        for event in Event.objects.filter(verb__in=("grant_role", "withdraw_role")).order_by("number"):
            role = (event.details["person"], event.details["role"])
            (held.add if event.verb == "grant_role" else held.discard)(role)
        for person, name in held:
            yield _roles_of(person), name

    def stored() -> Iterator[NamedText]:
        for person, name in Role.objects.values_list("user_id", "name").iterator():
            yield _roles_of(person), name

    yield from differences(recorded(), stored())


def _roles_of(person: int) -> str:
    return f"the roles of account {person}"
