"""Transfers and moves of namespaces."""

from collections.abc import Collection, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

from django.db import transaction

from registry.accounts import grants
from registry.accounts.gravity import Gravity
from registry.accounts.models import User
from registry.actions.declarations import Action, ActionContext, Condition, UseOfGrants
from registry.actions.engine import performs
from registry.actions.parameters import Address, public_reason
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.core.exceptions import ConflictOfInterest, NotPermitted, RegistryError
from registry.core.validators import check_address, check_optional_text
from registry.namespaces import permissions
from registry.namespaces.actions.registrants import (
    change_registrant,
    mail_registrant,
    notify_of_release,
    notify_of_transfer,
    people_of,
)
from registry.namespaces.inputs import OwnNamespaces
from registry.namespaces.models import Namespace, Transfer
from registry.namespaces.subjects import NAMESPACE, NEW_REGISTRANT, OFFER, TRANSFER
from registry.organisations import gains
from registry.organisations.inputs import OrganisationChoice
from registry.organisations.models import Organisation
from registry.organisations.permissions import ONLY_REPRESENTATIVES, check_represents, represents
from registry.organisations.subjects import ORGANISATION, lock_organisation


class InvalidRecipient(RegistryError):
    """The recipient of an offer must be another person."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Invalid recipient"


class TransferNotOpen(RegistryError):
    """The offer is no longer open, or another offer is."""

    title = "Transfer not possible"


def _mail_parties(event: Event, context: ActionContext[Transfer]) -> None:
    notify_of_transfer(event, context.subject, people_before=context.people_before)


def _mail_parties_of_new(event: Event, context: ActionContext[Namespace]) -> None:
    notify_of_transfer(event, context.result, people_before=())


def _offers_in_role(by: User, namespace: Namespace) -> bool:
    """Administrators offer those without a registrant, such as imports."""
    return not permissions.is_registrant(by, namespace)


def _withdraws_in_role(by: User, offer: Transfer) -> bool:
    """Whether an administrator withdraws the offer of another one."""
    return offer.offered_by_id != by.pk and not permissions.is_registrant(by, offer.namespace)


def _standing_offer(namespace: Namespace) -> Transfer | None:
    """The offer of a namespace that can be accepted."""
    return next((each for each in namespace.transfers.waiting() if not grants.lapse_of(each)), None)


def _already_offered(namespace: Namespace) -> str:
    offer = _standing_offer(namespace)
    to = f" to {offer.email}" if offer else ""
    return f"“{namespace.nid}” is already offered{to}. Withdraw that offer first."


NOT_OFFERED = Condition[Namespace](
    lambda namespace: _standing_offer(namespace) is None, _already_offered, TransferNotOpen
)
OFFER_IS_OPEN = Condition[Transfer](
    lambda offer: offer.is_waiting,
    "This offer of “{subject.namespace.nid}” was already accepted, declined or withdrawn.",
    TransferNotOpen,
)
OFFER_TRANSFER = Action[Namespace](
    name="offer_transfer",
    label="Transfer this namespace",
    button="Send the offer",
    effect=(
        "If the address belongs to an account, its owner will be notified and can accept. Nothing changes until then, "
        "and you can withdraw the offer."
    ),
    success="The offer was recorded. If the address belongs to an account, its owner is notified.",
    past="Offered to another registrant",
    details=(TRANSFER,),
    permission=permissions.may_offer_transfer,
    not_permitted="Only the registrant can offer “{subject.nid}”; an administrator can if it has none.",
    gravity=Gravity.CONTROL,
    acts_in_role=_offers_in_role,
    limit="offers",
    makes_grant=True,
    parameters=(
        Address("to", "E-mail address of the new registrant", "It may belong to no account."),
        public_reason(is_optional=True),
    ),
    conditions=(NOT_OFFERED,),
    refusals=(InvalidRecipient,),
    notify=_mail_parties_of_new,
)
# What the actions on an offer have in common.
on_offer = partial(
    Action[Transfer],
    gravity=Gravity.CONTROL,
    conditions=(OFFER_IS_OPEN,),
    notify=_mail_parties,
)
ACCEPT_TRANSFER = on_offer(
    name="accept_transfer",
    label="Accept the offer",
    effect=(
        "You, or an organisation that you represent, will be the registrant. "
        "Only the registrant can then revise or transfer the namespace."
    ),
    success="The offer was accepted: the namespace has a new registrant.",
    past="Transferred to another registrant",
    details=(TRANSFER, *NEW_REGISTRANT),
    permission=permissions.may_answer_transfer,
    not_permitted="“{subject.namespace.nid}” was not offered to you.",
    uses_grants=UseOfGrants(
        lambda offer, by: [offer], TransferNotOpen, "This offer is no longer valid. {lapse}"
    ),
    obstacle=lambda user, offer: gains.obstacle_to_getting(user, offer.namespace),
    parameters=(OrganisationChoice("organisation", "For whom"),),
)
DECLINE_TRANSFER = on_offer(
    name="decline_transfer",
    label="Decline the offer",
    effect="The offer will be closed. The registrant stays the same.",
    success="The offer was declined.",
    past="Offer declined",
    details=(TRANSFER,),
    permission=permissions.may_answer_transfer,
    not_permitted="“{subject.namespace.nid}” was not offered to you.",
    parameters=(public_reason(is_optional=True),),
    is_grave=True,
)
WITHDRAW_TRANSFER = on_offer(
    name="withdraw_transfer",
    label="Withdraw the offer",
    effect="The offer will be closed. The namespace can be offered again.",
    success="The offer was withdrawn.",
    past="Offer withdrawn",
    details=(TRANSFER,),
    permission=permissions.may_withdraw_transfer,
    not_permitted="You can't withdraw this offer of “{subject.namespace.nid}”.",
    acts_in_role=_withdraws_in_role,
    parameters=(public_reason(is_optional=True),),
    is_grave=True,
    needs_confirmed_address=False,
)
# By their parts of URLs, in the order of the buttons.
ANSWERS = {"accept": ACCEPT_TRANSFER, "decline": DECLINE_TRANSFER, "withdraw": WITHDRAW_TRANSFER}


@performs(OFFER_TRANSFER, NAMESPACE)
def offer_transfer(context: ActionContext[Namespace], *, to: str, reason: str = "") -> Transfer:
    """Offer a namespace to the owner of an address. Result and work do not depend on whether there is an account."""
    namespace, by = context.subject, context.actor
    email = check_address(to, argument="to")
    if by.owns_address(email):
        raise InvalidRecipient("Enter the address of another person.")
    end_lapsed_offer(namespace)
    context.reason = check_optional_text(reason, "the reason", argument="reason")
    transfer = Transfer.objects.create(
        namespace=namespace, offered_by=by, email=email, made_with=context.made_with
    )
    context.details = {"transfer": transfer.pk}
    return transfer


@performs(ACCEPT_TRANSFER, OFFER)
def accept_transfer(context: ActionContext[Transfer], *, organisation: Organisation | None = None) -> None:
    """Accept an offer: the person, or an organisation that they represent, becomes the registrant of the namespace."""
    namespace = context.subject.namespace
    if organisation is not None:
        organisation = lock_organisation(organisation)
        check_represents(organisation, by=context.actor)
    context.people_before = people_of(namespace)
    context.details = change_registrant(namespace, organisation or context.actor)
    context.subject.end(accepted=True)


@performs(DECLINE_TRANSFER, OFFER)
def decline_transfer(context: ActionContext[Transfer], *, reason: str = "") -> None:
    """Decline an offer: the registrant does not change."""
    context.reason = check_optional_text(reason, "the reason", argument="reason")
    context.subject.end(accepted=False)


@performs(WITHDRAW_TRANSFER, OFFER)
def withdraw_transfer(context: ActionContext[Transfer], *, reason: str = "") -> None:
    """Withdraw an offer that was neither accepted nor declined."""
    context.reason = check_optional_text(reason, "the reason", argument="reason")
    context.subject.end(accepted=False)


@transaction.atomic
def release_namespace(namespace: Namespace, *, reason: str) -> Namespace:
    """Leave a namespace without a registrant, because the account is erased. An administrator can then offer it."""
    namespace = NAMESPACE.lock(namespace, None)
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


def _missing_authority(grantor: User, transfer: Transfer) -> str:
    if permissions.may_offer_transfer(grantor, transfer.namespace):
        return ""
    return "The person who made it may no longer offer the namespace."


def _withdraw_lapsed(transfer: Transfer, *, reason: str) -> None:
    transfer.end(accepted=False)
    OFFER.record(ActionContext(transfer, None, WITHDRAW_TRANSFER, reason=reason))


grants.declare(
    grants.GrantType(
        model=Transfer,
        pending=lambda: Transfer.objects.waiting().select_related("namespace", "offered_by"),
        missing_authority=_missing_authority,
        withdraw=_withdraw_lapsed,
    )
)


def _locked(namespaces: Collection[Namespace]) -> list[Namespace]:
    keys = [each.pk for each in namespaces]
    return list(Namespace.objects.select_for_update().filter(pk__in=keys).order_by("pk"))


def _lock_namespaces(organisation: Organisation, arguments: Mapping[str, Any]) -> None:
    _locked(arguments["namespaces"])


# An event of each namespace, which the function writes.
MOVE_TO_ORGANISATION = Action[Organisation](
    name="move_to_organisation",
    operation_id="moveNamespaces",
    label="Move namespaces to an organisation",
    button="Move the namespaces",
    effect=(
        "The organisation will be their registrant. Registered texts do not change. Revisions that you have started "
        "stay yours, and can no longer be submitted."
    ),
    success=lambda moved: (
        f"Moved to the organisation: {', '.join(each.nid for each in moved)}. Its members were notified."
    ),
    past="Moved to an organisation of the registrant",
    details=NEW_REGISTRANT,
    permission=represents,
    not_permitted=ONLY_REPRESENTATIVES,
    gravity=Gravity.CONTROL,
    parameters=(OwnNamespaces("namespaces", "Namespaces"),),
    refusals=(TransferNotOpen, ConflictOfInterest),
    lock_first=_lock_namespaces,
    is_logged=False,
    notify=mail_registrant,
)


@performs(MOVE_TO_ORGANISATION, ORGANISATION)
def move_to_organisation(
    context: ActionContext[Organisation], *, namespaces: Collection[Namespace]
) -> list[Namespace]:
    """Make an organisation of the registrant the registrant of these namespaces: of all of them, or of none.

    Offer a transfer to move a namespace to an organisation that the registrant does not represent.
    """
    held, by = _locked(namespaces), context.actor
    for namespace in held:
        if not permissions.is_registrant(by, namespace):
            raise NotPermitted(f"Only the registrant of “{namespace.nid}” can move it to an organisation.")
        NOT_OFFERED.check(namespace)
        end_lapsed_offer(namespace)
    for namespace in held:
        details = change_registrant(namespace, context.subject)
        NAMESPACE.record(ActionContext(namespace, by, MOVE_TO_ORGANISATION, details=details))
    return held
