"""Deprecating a namespace."""

from http import HTTPStatus

from django.db import transaction
from django.utils import timezone

from registry.accounts.gravity import Gravity, has_gravity
from registry.accounts.models import User
from registry.accounts.services.roles import lock_roles
from registry.audit_log import log
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_text
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.services.notifications import notify_registrant


class AlreadyDeprecated(RegistryError):
    """The namespace is already deprecated."""

    title = "Already deprecated"


class InvalidSuccessor(RegistryError):
    """A namespace can't be its own successor, nor can a deprecated one succeed it."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Invalid successor"


def check_may_deprecate(namespace: Namespace, *, by: User) -> None:
    if not permissions.is_administrator(by, namespace):
        raise NotPermitted(
            f"Only an administrator who is not its registrant can deprecate “{namespace.nid}”."
        )


def check_deprecable(namespace: Namespace) -> None:
    if namespace.is_deprecated:
        raise AlreadyDeprecated(f"“{namespace.nid}” was deprecated on {namespace.deprecated_at:%Y-%m-%d}.")


@has_gravity(Gravity.DECISION)
@transaction.atomic
def deprecate(
    namespace: Namespace, *, by: User, statement: str, successor: Namespace | None = None
) -> Namespace:
    """Deprecate a namespace. It stays registered and public, and its NID is never reused."""
    namespace, successor = _lock_with_successor(namespace, successor)
    lock_roles(by)
    check_may_deprecate(namespace, by=by)
    check_deprecable(namespace)
    statement = check_text(statement, "the statement")
    if successor is not None and (successor.pk == namespace.pk or successor.is_deprecated):
        raise InvalidSuccessor("Choose another namespace as successor, one that is not deprecated.")
    namespace.deprecated_at = namespace.changed_at = timezone.now()
    namespace.deprecation_statement = statement
    namespace.successor = successor
    namespace.save(
        update_fields=["deprecated_at", "changed_at", "deprecation_statement", "successor"],
    )
    event = log.append(
        "deprecate",
        by=by,
        nid=namespace.nid,
        reason=statement,
        successor=successor.nid if successor else "",
    )
    notify_registrant(event, namespace)
    return namespace


def _lock_with_successor(
    namespace: Namespace, successor: Namespace | None
) -> tuple[Namespace, Namespace | None]:
    """Both rows, locked in the order of their keys, so that the successor can't be deprecated concurrently."""
    wanted = [namespace.pk] if successor is None else [namespace.pk, successor.pk]
    found = {
        each.pk: each for each in Namespace.objects.select_for_update().filter(pk__in=wanted).order_by("pk")
    }
    return found[namespace.pk], None if successor is None else found[successor.pk]
