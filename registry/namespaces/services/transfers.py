"""Transfer of a namespace to another registrant: offer, accept, decline and withdraw; and the end of a registrant."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.db import transaction
from django.utils import timezone

from registry.accounts.gravity import Gravity, has_gravity
from registry.accounts.models import User
from registry.accounts.services import grants
from registry.accounts.services.roles import lock_roles
from registry.accounts.services.verification import check_is_verified
from registry.audit_log import log
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.rate_limits import limited
from registry.core.validators import check_address, check_optional_text
from registry.namespaces import permissions
from registry.namespaces.models import Namespace, Transfer
from registry.namespaces.services.notifications import notify_of_release, notify_of_transfer
from registry.namespaces.services.registrants import change_registrant, people_of
from registry.organisations.models import Organisation
from registry.organisations.services.organisations import check_represents, lock_organisation


class InvalidRecipient(RegistryError):
    """The recipient of an offer must be another person."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Invalid recipient"


class TransferNotOpen(RegistryError):
    """The offer is no longer open, or another offer is."""

    title = "Transfer not possible"


def check_may_offer_transfer(namespace: Namespace, *, by: User) -> None:
    if not permissions.may_offer_transfer(by, namespace):
        raise NotPermitted(
            f"Only the registrant can offer “{namespace.nid}”; an administrator can if it has none."
        )


def check_not_offered(namespace: Namespace) -> None:
    if waiting := namespace.transfers.waiting().first():
        raise TransferNotOpen(
            f"“{namespace.nid}” is already offered to {waiting.email}. Withdraw that offer first."
        )


@has_gravity(Gravity.CONTROL)
@limited("offers")
@transaction.atomic
def offer_transfer(namespace: Namespace, *, by: User, to: str, reason: str = "") -> Transfer:
    """Offer a namespace to the owner of an address. Administrators offer those without a registrant, such as imports.

    Result and work do not depend on whether the address belongs to an account.
    """
    made_with = grants.lock_grantor(by)
    namespace = _lock(namespace)
    lock_roles(by)
    check_may_offer_transfer(namespace, by=by)
    check_is_verified(by)
    email = check_address(to)
    if by.owns_address(email):
        raise InvalidRecipient("Enter the address of another person.")
    end_lapsed_offer(namespace)
    check_not_offered(namespace)
    transfer = Transfer.objects.create(namespace=namespace, offered_by=by, email=email, made_with=made_with)
    _write(transfer, "offer_transfer", by=by, reason=reason)
    return transfer


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def accept_transfer(transfer: Transfer, *, by: User, organisation: Organisation | None = None) -> Namespace:
    """Accept an offer: `by`, or an organisation that they represent, becomes the registrant of the namespace."""
    grants.lock_parties(transfer, by=by)
    transfer = _lock_waiting(transfer)
    namespace = transfer.namespace
    _check_may_answer(transfer, by=by)
    if lapse := grants.lapse_of(transfer):
        raise TransferNotOpen(f"This offer is no longer valid. {lapse}")
    if organisation is not None:
        organisation = lock_organisation(organisation)
        check_represents(organisation, by=by)
    people_before = people_of(namespace)
    details = change_registrant(namespace, organisation or by)
    _close(transfer, accepted=True)
    _write(transfer, "accept_transfer", by=by, people_before=people_before, **details)
    return namespace


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def decline_transfer(transfer: Transfer, *, by: User, reason: str = "") -> Transfer:
    """Decline an offer: the registrant does not change."""
    transfer = _lock_waiting(transfer)
    _check_may_answer(transfer, by=by)
    _close(transfer, accepted=False)
    _write(transfer, "decline_transfer", by=by, reason=reason)
    return transfer


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def withdraw_transfer(transfer: Transfer, *, by: User, reason: str = "") -> Transfer:
    """Withdraw an offer that was neither accepted nor declined."""
    transfer = _lock_waiting(transfer)
    lock_roles(by)
    if not permissions.may_withdraw_transfer(by, transfer):
        raise NotPermitted(f"You can't withdraw this offer of “{transfer.namespace.nid}”.")
    _close(transfer, accepted=False)
    _write(transfer, "withdraw_transfer", by=by, reason=reason)
    return transfer


@transaction.atomic
def release_namespace(namespace: Namespace, *, reason: str) -> Namespace:
    """Leave a namespace without a registrant, because the account is erased. An administrator can then offer it."""
    namespace = _lock(namespace)
    details = change_registrant(namespace, None)
    end_lapsed_offer(namespace)
    namespace.mark_changed()
    event = log.append("release_namespace", by=None, nid=namespace.nid, reason=reason, **details)
    notify_of_release(event, namespace)
    return namespace


def end_lapsed_offer(namespace: Namespace) -> None:
    """Withdraw the open offer of a locked namespace, if it can no longer be accepted."""
    for offer in namespace.transfers.waiting():
        if reason := grants.lapse_of(offer):
            _withdraw_lapsed(offer, reason=reason)


@dataclass(frozen=True)
class TransferDecision:
    """A decision on an offer, as the pages and the API present it; `action` takes `by`, and `reason` or `organisation`."""

    name: str
    label: str
    effect: str
    success_message: str
    action: Callable[..., Namespace | Transfer]
    is_allowed: Callable[[User, Transfer], bool]
    takes_reason: bool = True


ACCEPT_TRANSFER = TransferDecision(
    name="accept",
    label="Accept the offer",
    effect="You become the registrant, or an organisation that you represent. Only the registrant can then revise or transfer the namespace.",
    success_message="The offer was accepted: the namespace has a new registrant.",
    action=accept_transfer,
    is_allowed=permissions.may_answer_transfer,
    takes_reason=False,
)
DECLINE_TRANSFER = TransferDecision(
    name="decline",
    label="Decline the offer",
    effect="The offer is closed. The registrant does not change.",
    success_message="The offer was declined.",
    action=decline_transfer,
    is_allowed=permissions.may_answer_transfer,
)
WITHDRAW_TRANSFER = TransferDecision(
    name="withdraw",
    label="Withdraw the offer",
    effect="The offer is closed. The namespace can be offered again.",
    success_message="The offer was withdrawn.",
    action=withdraw_transfer,
    is_allowed=permissions.may_withdraw_transfer,
)
DECISIONS = {each.name: each for each in (ACCEPT_TRANSFER, DECLINE_TRANSFER, WITHDRAW_TRANSFER)}


def _check_may_answer(transfer: Transfer, *, by: User) -> None:
    if not permissions.may_answer_transfer(by, transfer):
        raise NotPermitted(f"“{transfer.namespace.nid}” was not offered to you.")


def _lock(namespace: Namespace) -> Namespace:
    return Namespace.objects.select_for_update().get(pk=namespace.pk)


def _lock_waiting(transfer: Transfer) -> Transfer:
    """The offer and its namespace, locked and read again. Raises TransferNotOpen if the offer is no longer open."""
    namespace = _lock(transfer.namespace)
    transfer = Transfer.objects.select_for_update().get(pk=transfer.pk)
    transfer.namespace = namespace
    if transfer.ended_at is not None:
        raise TransferNotOpen(f"This offer of “{namespace.nid}” was already accepted, declined or withdrawn.")
    return transfer


def _close(transfer: Transfer, *, accepted: bool) -> None:
    transfer.ended_at, transfer.is_accepted = timezone.now(), accepted
    transfer.save(update_fields=["ended_at", "is_accepted"])


def _missing_authority(grantor: User, transfer: Transfer) -> str:
    if permissions.may_offer_transfer(grantor, transfer.namespace):
        return ""
    return "The person who made it may no longer offer the namespace."


def _withdraw_lapsed(transfer: Transfer, *, reason: str) -> None:
    _close(transfer, accepted=False)
    _write(transfer, "withdraw_transfer", by=None, reason=reason)


def _write(
    transfer: Transfer,
    verb: str,
    *,
    by: User | None,
    reason: str = "",
    people_before: Iterable[User] = (),
    **details: Any,
) -> None:
    """Append the event of a transfer, and create its mails."""
    transfer.namespace.mark_changed()
    event = log.append(
        verb,
        by=by,
        nid=transfer.namespace.nid,
        reason=check_optional_text(reason, "the reason"),
        transfer=transfer.pk,
        **details,
    )
    notify_of_transfer(event, transfer, people_before=people_before)


grants.declare(
    grants.GrantType(
        model=Transfer,
        pending=lambda: Transfer.objects.waiting().select_related("namespace", "offered_by"),
        missing_authority=_missing_authority,
        withdraw=_withdraw_lapsed,
    )
)
