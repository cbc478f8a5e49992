"""Transferring a namespace to another registrant: offer, accept, refuse, and take back."""

from http import HTTPStatus
from typing import Any

from django.db import transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.accounts.services.roles import lock_roles
from registry.audit_log import log
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_optional_text
from registry.namespaces import permissions
from registry.namespaces.models import Namespace, Transfer
from registry.namespaces.services.notifications import notify_of_transfer


class InvalidRecipient(RegistryError):
    """A namespace is transferred to somebody else, who can answer."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "It can't be offered to this account"


class TransferNotOpen(RegistryError):
    """There is no offer to answer, or another one is waiting."""

    title = "This transfer is not open"


def check_may_offer_transfer(namespace: Namespace, *, by: User) -> None:
    if not permissions.may_offer_transfer(by, namespace):
        raise NotPermitted(f"“{namespace.nid}” is not yours to offer.")


def check_not_offered(namespace: Namespace) -> None:
    if waiting := namespace.transfers.waiting().select_related("to").first():
        raise TransferNotOpen(f"“{namespace.nid}” is offered to {waiting.to} already; take that back first.")


@transaction.atomic
def offer_transfer(namespace: Namespace, *, by: User, to: User, reason: str = "") -> Transfer:
    """Offer a namespace to another registrant; an administrator offers one without, such as an import."""
    namespace = _lock(namespace)
    lock_roles(by)
    check_may_offer_transfer(namespace, by=by)
    if to.pk == by.pk or not to.is_active:
        raise InvalidRecipient("A namespace is transferred to somebody else, who has an account in use.")
    check_not_offered(namespace)
    transfer = Transfer.objects.create(namespace=namespace, offered_by=by, to=to)
    _write(transfer, "offer_transfer", by=by, reason=reason)
    return transfer


@transaction.atomic
def accept_transfer(transfer: Transfer, *, by: User) -> Namespace:
    """Accept an offer: from now on `by` is the namespace's registrant."""
    transfer = _lock_waiting(transfer)
    namespace = transfer.namespace
    _check_may_answer(transfer, by=by)
    former = namespace.registrant_id
    if former is not None and former != transfer.offered_by_id:
        raise TransferNotOpen("Whoever made this offer is not the registrant any more.")
    namespace.registrant = by
    namespace.changed_at = timezone.now()
    namespace.save(update_fields=["registrant", "changed_at"])
    _close(transfer, accepted=True)
    _write(transfer, "accept_transfer", by=by, former=former)
    return namespace


@transaction.atomic
def refuse_transfer(transfer: Transfer, *, by: User, reason: str = "") -> Transfer:
    """Refuse an offer: the namespace stays whose it is."""
    transfer = _lock_waiting(transfer)
    _check_may_answer(transfer, by=by)
    _close(transfer, accepted=False)
    _write(transfer, "refuse_transfer", by=by, reason=reason)
    return transfer


@transaction.atomic
def take_back_transfer(transfer: Transfer, *, by: User, reason: str = "") -> Transfer:
    """Take an offer back, before it is answered."""
    transfer = _lock_waiting(transfer)
    lock_roles(by)
    if not permissions.may_take_back_transfer(by, transfer):
        raise NotPermitted(f"This offer of “{transfer.namespace.nid}” is not yours to take back.")
    _close(transfer, accepted=False)
    _write(transfer, "take_back_transfer", by=by, reason=reason)
    return transfer


def _check_may_answer(transfer: Transfer, *, by: User) -> None:
    if not permissions.may_answer_transfer(by, transfer):
        raise NotPermitted(f"“{transfer.namespace.nid}” was not offered to you.")


def _lock(namespace: Namespace) -> Namespace:
    return Namespace.objects.select_for_update().get(pk=namespace.pk)


def _lock_waiting(transfer: Transfer) -> Transfer:
    """The offer as it is now, with its namespace locked; it must still wait for an answer."""
    namespace = _lock(transfer.namespace)
    transfer = Transfer.objects.select_for_update().get(pk=transfer.pk)
    transfer.namespace = namespace
    if transfer.ended_at is not None:
        raise TransferNotOpen(f"This offer of “{namespace.nid}” was answered or taken back.")
    return transfer


def _close(transfer: Transfer, *, accepted: bool) -> None:
    transfer.ended_at, transfer.is_accepted = timezone.now(), accepted
    transfer.save(update_fields=["ended_at", "is_accepted"])


def _write(transfer: Transfer, verb: str, *, by: User, reason: str = "", **details: Any) -> None:
    """The event of what was done with an offer, and its mail."""
    event = log.append(
        verb,
        by=by,
        nid=transfer.namespace.nid,
        reason=check_optional_text(reason, "the reason"),
        person=transfer.to_id,
        transfer=transfer.pk,
        **details,
    )
    notify_of_transfer(event, transfer)
