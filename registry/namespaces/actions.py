"""What happens to a namespace after its registration: deprecation, and transfer to another registrant.

Each is atomic, locks the namespace, asks who, and writes its event. (Revisions go through a case.)
"""

from http import HTTPStatus

from django.db import transaction
from django.utils import timezone

from registry.accounts.actions import hold_roles
from registry.accounts.models import RoleName, User
from registry.errors import NotForYou, RegistryError
from registry.namespaces.models import Namespace, Transfer
from registry.record import journal
from registry.words import check_remark


class AlreadyDeprecated(RegistryError):
    """The namespace is deprecated already."""

    title = "Already deprecated"


class StatementMissing(RegistryError):
    """A deprecation must say why."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Something is left to say"


class SuccessorUnfit(RegistryError):
    """A namespace can't be its own successor, nor can a deprecated one succeed it."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "That successor does not fit"


class TransferNotOpen(RegistryError):
    """There is no offer to answer, or another one is waiting."""

    title = "This transfer is not open"


def is_administrator_of(user: User, namespace: Namespace) -> bool:
    """Nobody administers a namespace of their own, whatever roles they hold."""
    return RoleName.ADMINISTRATOR in user.roles and namespace.registrant_id != user.pk


def _locked(namespace: Namespace) -> Namespace:
    return Namespace.objects.select_for_update().get(pk=namespace.pk)


def _locked_with_successor(
    namespace: Namespace, successor: Namespace | None
) -> tuple[Namespace, Namespace | None]:
    """Both as they are now, locked in one order, so that none becomes deprecated while it is to succeed."""
    wanted = [namespace.pk] if successor is None else [namespace.pk, successor.pk]
    found = {
        each.pk: each for each in Namespace.objects.select_for_update().filter(pk__in=wanted).order_by("pk")
    }
    return found[namespace.pk], None if successor is None else found[successor.pk]


@transaction.atomic
def deprecate(
    namespace: Namespace, *, by: User, statement: str, successor: Namespace | None = None
) -> Namespace:
    """Mark a namespace deprecated. It stays registered and readable, and its NID is never assigned again."""
    namespace, successor = _locked_with_successor(namespace, successor)
    hold_roles(by)
    if not is_administrator_of(by, namespace):
        raise NotForYou(f"Only an administrator who is not its registrant can deprecate “{namespace.nid}”.")
    if namespace.is_deprecated:
        raise AlreadyDeprecated(f"“{namespace.nid}” is deprecated since {namespace.deprecated_at:%Y-%m-%d}.")
    if not statement.strip():
        raise StatementMissing("Say why the namespace is deprecated, and what its users should do.")
    if successor is not None and (successor.pk == namespace.pk or successor.is_deprecated):
        raise SuccessorUnfit("The successor must be another namespace that is not deprecated itself.")
    namespace.deprecated_at = namespace.changed_at = timezone.now()
    namespace.deprecation_statement = check_remark(statement, "the statement")
    namespace.successor = successor
    namespace.save(
        update_fields=["deprecated_at", "changed_at", "deprecation_statement", "successor"],
    )
    journal.append(
        "deprecate",
        by=by,
        nid=namespace.nid,
        reason=namespace.deprecation_statement,
        successor=successor.nid if successor else "",
    )
    return namespace


@transaction.atomic
def offer_transfer(namespace: Namespace, *, by: User, to: User, reason: str = "") -> Transfer:
    """Offer a namespace to another registrant; an administrator offers one without, such as an import."""
    namespace = _locked(namespace)
    hold_roles(by)
    may_offer = (
        namespace.registrant_id == by.pk if namespace.registrant_id else is_administrator_of(by, namespace)
    )
    if not may_offer:
        raise NotForYou(f"“{namespace.nid}” is not yours to offer.")
    if to.pk == namespace.registrant_id or to.pk == by.pk:
        raise TransferNotOpen("A namespace is transferred to somebody else.")
    if waiting := namespace.transfers.waiting().select_related("to").first():
        raise TransferNotOpen(f"“{namespace.nid}” is offered to {waiting.to} already; take that back first.")
    transfer = Transfer.objects.create(namespace=namespace, offered_by=by, to=to)
    why = check_remark(reason, "the reason")
    journal.append("offer_transfer", by=by, nid=namespace.nid, reason=why, person=to.pk)
    return transfer


@transaction.atomic
def accept_transfer(transfer: Transfer, *, by: User) -> Namespace:
    """Accept an offer: from now on `by` is the namespace's registrant."""
    namespace, transfer = _waiting(transfer)
    if transfer.to_id != by.pk:
        raise NotForYou(f"“{namespace.nid}” was not offered to you.")
    former = namespace.registrant_id
    if former is not None and former != transfer.offered_by_id:
        raise TransferNotOpen("Whoever made this offer is not the registrant any more.")
    namespace.registrant = by
    namespace.changed_at = timezone.now()
    namespace.save(update_fields=["registrant", "changed_at"])
    _close(transfer, accepted=True)
    journal.append("accept_transfer", by=by, nid=namespace.nid, person=by.pk, former=former)
    return namespace


@transaction.atomic
def end_transfer(transfer: Transfer, *, by: User, reason: str = "") -> Transfer:
    """Take an offer back, or refuse it. A namespace without a registrant is any administrator's to take back."""
    namespace, transfer = _waiting(transfer)
    hold_roles(by)
    answers_for_it = namespace.registrant_id is None and is_administrator_of(by, namespace)
    if by.pk not in {transfer.to_id, transfer.offered_by_id} and not answers_for_it:
        raise NotForYou(f"This offer of “{namespace.nid}” does not concern you.")
    _close(transfer, accepted=False)
    verb = "refuse_transfer" if by.pk == transfer.to_id else "take_back_transfer"
    why = check_remark(reason, "the reason")
    journal.append(verb, by=by, nid=namespace.nid, reason=why, person=transfer.to_id)
    return transfer


def _waiting(transfer: Transfer) -> tuple[Namespace, Transfer]:
    """The namespace, locked, and the offer as it is now, which must still wait for an answer."""
    namespace = _locked(transfer.namespace)
    transfer = Transfer.objects.select_for_update().get(pk=transfer.pk)
    if transfer.ended_at is not None:
        raise TransferNotOpen(f"This offer of “{namespace.nid}” was answered or taken back.")
    return namespace, transfer


def _close(transfer: Transfer, *, accepted: bool) -> None:
    transfer.ended_at, transfer.is_accepted = timezone.now(), accepted
    transfer.save(update_fields=["ended_at", "is_accepted"])
