"""Deprecating a namespace."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.utils import timezone

from registry.accounts.gravity import Gravity
from registry.actions.declarations import Action, ActionContext, Condition
from registry.actions.engine import performs
from registry.actions.parameters import Text
from registry.audit_log.history import Detail
from registry.core.exceptions import RegistryError
from registry.core.validators import MAX_STATEMENT_LENGTH, check_text
from registry.namespaces import permissions
from registry.namespaces.actions.registrants import mail_registrant
from registry.namespaces.inputs import NamespaceChoice
from registry.namespaces.models import Namespace
from registry.namespaces.subjects import NAMESPACE


class AlreadyDeprecated(RegistryError):
    """The namespace is already deprecated."""

    title = "Already deprecated"


class InvalidSuccessor(RegistryError):
    """A namespace can't be its own successor, nor can a deprecated one succeed it."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Invalid successor"


def _lock_with_successor(namespace: Namespace, arguments: Mapping[str, Any]) -> None:
    """Lock both in the order of their keys, so that the successor can't be deprecated at the same time."""
    keys = [each.pk for each in (namespace, arguments.get("successor")) if each]
    list(Namespace.objects.select_for_update().filter(pk__in=keys).order_by("pk").values_list("pk"))


DEPRECATE = Action[Namespace](
    name="deprecate",
    operation_id="deprecateNamespace",
    button="Deprecate this namespace",
    effect=(
        "The namespace stays registered, its names stay valid, and its identifier is never reused. "
        "This can't be undone."
    ),
    success="The namespace is deprecated.",
    past="Deprecated",
    details=(Detail("successor", str, "The NID of the namespace to use instead."),),
    permission=permissions.is_administrator,
    not_permitted="Only an administrator who is not its registrant can deprecate “{subject.nid}”.",
    gravity=Gravity.DECISION,
    conditions=(
        Condition(
            lambda namespace: not namespace.is_deprecated,
            "“{subject.nid}” was deprecated on {subject.deprecated_at:%Y-%m-%d}.",
            AlreadyDeprecated,
        ),
    ),
    parameters=(
        Text(
            "statement",
            "Statement",
            "The reason, and advice for users. It is shown on the public page of the namespace.",
            lines=6,
            max_length=MAX_STATEMENT_LENGTH,
        ),
        NamespaceChoice("successor", "Successor", "The identifier of the namespace to use for new names."),
    ),
    refusals=(InvalidSuccessor,),
    lock_first=_lock_with_successor,
    is_grave=True,
    needs_confirmed_address=False,
    notify=mail_registrant,
)


@performs(DEPRECATE, NAMESPACE)
def deprecate(
    context: ActionContext[Namespace], *, statement: str, successor: Namespace | None = None
) -> None:
    """Deprecate a namespace. It stays registered and public, and its NID is never reused."""
    namespace = context.subject
    context.reason = check_text(statement, "the statement", argument="statement")
    if successor is not None:
        successor.refresh_from_db()
        if successor.pk == namespace.pk or successor.is_deprecated:
            raise InvalidSuccessor("Choose another namespace as successor, one that is not deprecated.")
    namespace.deprecated_at = timezone.now()
    namespace.deprecation_statement = context.reason
    namespace.successor = successor
    namespace.save(
        update_fields=["deprecated_at", "deprecation_statement", "successor"],
    )
    context.details = {"successor": successor.nid if successor else ""}
