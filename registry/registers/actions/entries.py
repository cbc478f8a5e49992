"""Offers of entries to other holders, and opening a register below an entry."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db import transaction

from registry.accounts import grants
from registry.accounts.gravity import Gravity
from registry.accounts.models import User, addresses
from registry.actions.declarations import Action, ActionContext, Condition, EventType, UseOfGrants
from registry.actions.engine import performs
from registry.actions.parameters import Address, Text
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.core.exceptions import ConflictOfInterest
from registry.core.names import NameRefused
from registry.core.validators import MAX_REASON_LENGTH, check_address, check_optional_text
from registry.mail import outbox
from registry.namespaces.actions.transfers import InvalidRecipient
from registry.namespaces.subjects import FORMER, NEW_REGISTRANT
from registry.organisations import gains
from registry.organisations.inputs import OrganisationChoice
from registry.organisations.models import Organisation
from registry.organisations.permissions import check_represents
from registry.registers.actions.changes import end_lapsed_change
from registry.registers.actions.registers import (
    GUIDANCE,
    POLICY_CHOICE,
    TITLE,
    checked_texts,
)
from registry.registers.branches import set_holder
from registry.registers.conditions import IS_ACTIVE, IS_CURRENT
from registry.registers.entries import add_listed_entries
from registry.registers.models import Entry, EntryOffer, Register
from registry.registers.permissions import (
    holds_entry,
    may_answer_offer,
    may_offer,
    may_withdraw_offer,
)
from registry.registers.places import place_below
from registry.registers.subjects import (
    ENTRY,
    ENTRY_OF_REGISTER,
    ENTRY_OFFER,
    ENTRY_OFFER_NUMBER,
    POLICY,
    EntryOfferNotOpen,
    NothingFollows,
    RegisterExists,
    RegisterNeedsProfile,
    find_register,
    lock_holders,
    post,
    post_or_hold,
)


def _mail_parties(event: Event, context: ActionContext[Any]) -> None:
    """Mail both parties of an offer, the holders of the entry, now and before, and of the register if another one holds it. The
    address may belong to no account.
    """
    offer: EntryOffer = context.result
    register, known = offer.entry.register, {offer.offered_by, *context.people_before}
    known |= {*offer.entry.holders, *([event.actor] if event.actor else [])}
    if offer.is_accepted:
        known |= {*register.holders}
    to = addresses(known)
    if not any(each.has_address(offer.email) for each in known):
        to.append(offer.email)
    about = {"register": register, "namespace": register.namespace, "event": event}
    outbox.post(
        event.verb,
        to=to,
        context={**about, "offer": offer, "entry": offer.entry},
        event_number=event.number,
        needs_account=offer.email,
    )


def _mail_holders(event: Event, context: ActionContext[Entry]) -> None:
    """Mail the holders of the new register, and of the one around it."""
    opened: Register = context.result
    post(event, opened, [*opened.holders, *context.subject.register.holders])


def _standing_offer(entry: Entry) -> EntryOffer | None:
    """The offer of an entry that can be accepted."""
    return next((each for each in _waiting(entry) if not grants.lapse_of(each)), None)


def _waiting(entry: Entry) -> list[EntryOffer]:
    found = list(entry.offers.waiting())
    for each in found:
        each.entry = entry
    return found


NOT_OFFERED = Condition[Entry](
    lambda entry: _standing_offer(entry) is None,
    "“{subject.name}” is offered already. Withdraw that offer first.",
    EntryOfferNotOpen,
)
OFFER_IS_OPEN = Condition[EntryOffer](
    lambda offer: offer.is_waiting,
    "This offer of “{subject.entry.name}” was already accepted, declined or withdrawn.",
    EntryOfferNotOpen,
)
REASON = Text(
    "reason",
    "Reason",
    "Only both sides of the offer read it.",
    lines=4,
    is_optional=True,
    max_length=MAX_REASON_LENGTH,
)
OFFER_ENTRY = Action[Entry](
    name="offer_entry",
    label="Offer this entry",
    button="Send the offer",
    effect=(
        "If the address belongs to an account, its owner will be notified, and can accept, alone or for an organisation. The new holder "
        "has the entry with all names below it. Nothing changes until then, and you can withdraw the offer. It is not public."
    ),
    success="The offer was recorded. If the address belongs to an account, its owner is notified.",
    past="Entry {entry} offered to another holder",
    details=(ENTRY, ENTRY_OFFER_NUMBER),
    is_public=False,
    permission=may_offer,
    not_permitted="Only the holder of “{subject.name}” can offer it.",
    gravity=Gravity.CONTROL,
    limit="offers",
    makes_grant=True,
    parameters=(
        Address("to", "E-mail address of the new holder", "It may belong to no account.", "heir@example.org"),
        REASON,
    ),
    conditions=(NOT_OFFERED, IS_ACTIVE, IS_CURRENT),
    refusals=(InvalidRecipient,),
    notify=_mail_parties,
)


def _lock_holders(offer: EntryOffer, arguments: Mapping[str, Any]) -> None:
    """Lock the organisation that accepts among those that hold the entry, in the order of their keys."""
    entry = offer.entry
    lock_holders(entry.register.namespace, entry.register, entry, arguments.get("organisation"))


# The holder of the register is none of these.
NEW_HOLDER = tuple(each.optional for each in NEW_REGISTRANT)
# What the actions on an offer have in common.
on_offer = partial(Action[EntryOffer], gravity=Gravity.CONTROL, notify=_mail_parties)
ACCEPT_ENTRY = on_offer(
    name="accept_entry",
    label="Accept the entry",
    effect=(
        "You hold the entry with all names below it, or an organisation that you represent does: you answer for it, can open a "
        "register below it, and can offer it to others. The public log names you, as who accepted it."
    ),
    success="The offer was accepted: the entry has a new holder.",
    past="Entry {entry} accepted by another holder",
    details=(ENTRY, ENTRY_OFFER_NUMBER, *NEW_HOLDER),
    permission=may_answer_offer,
    not_permitted="“{subject.entry.name}” was not offered to you.",
    conditions=(OFFER_IS_OPEN, IS_ACTIVE, IS_CURRENT),
    uses_grants=UseOfGrants(
        lambda offer, by: [offer], EntryOfferNotOpen, "This offer is no longer valid. {lapse}"
    ),
    obstacle=lambda user, offer: gains.obstacle_to_getting(user, offer.entry.register.namespace),
    parameters=(OrganisationChoice("organisation", "For whom"),),
    refusals=(ConflictOfInterest,),
    lock_first=_lock_holders,
)
DECLINE_ENTRY = on_offer(
    name="decline_entry",
    label="Decline the entry",
    effect="The offer will be closed. The holder stays the same.",
    success="The offer was declined.",
    past="Offer of entry {entry} declined",
    details=(ENTRY, ENTRY_OFFER_NUMBER),
    is_public=False,
    permission=may_answer_offer,
    not_permitted="“{subject.entry.name}” was not offered to you.",
    conditions=(OFFER_IS_OPEN,),
    parameters=(REASON,),
    is_grave=True,
)
WITHDRAW_OFFER = on_offer(
    name="withdraw_offer",
    label="Withdraw the offer",
    effect="The offer will be closed. The entry can be offered again.",
    success="The offer was withdrawn.",
    past="Offer of entry {entry} withdrawn",
    details=(ENTRY, ENTRY_OFFER_NUMBER),
    is_public=False,
    permission=may_withdraw_offer,
    not_permitted="You can't withdraw this offer of “{subject.entry.name}”.",
    conditions=(OFFER_IS_OPEN,),
    parameters=(REASON,),
    is_grave=True,
    needs_confirmed_address=False,
)
# By their parts of URLs, in the order of the buttons.
ANSWERS = {"accept": ACCEPT_ENTRY, "decline": DECLINE_ENTRY, "withdraw": WITHDRAW_OFFER}
RELEASE_ENTRY = EventType(
    name="release_entry", past="Entry {entry} left to the holder of the register", details=(ENTRY, FORMER)
)


def _nothing_follows(entry: Entry) -> str:
    return (
        f"The profile of “{entry.register.namespace.nid}” says that nothing follows “{entry.subnamespace.prefix}”, so there is no "
        "register below it. If names follow, ask an administrator for a profile that says so."
    )


OPEN_BRANCH = Action[Entry](
    name="open_branch",
    label="Open a register below it",
    button="Open the register",
    effect=(
        "A register lists what stands directly below the entry, and says who may add to it. It is public. What is registered in it "
        "stays, and no label is assigned twice. The public log names you, as who opened it."
    ),
    success="The register is open.",
    past="Register opened below {entry}",
    details=(ENTRY, POLICY),
    permission=holds_entry,
    not_permitted="Only the holder of “{subject.name}” can open a register below it.",
    gravity=Gravity.CONTROL,
    conditions=(
        IS_CURRENT,
        IS_ACTIVE,
        Condition(
            lambda entry: find_register(entry.register.namespace, entry.pk) is None,
            "“{subject.name}” has a register already.",
            RegisterExists,
        ),
        Condition(
            lambda entry: bool(entry.register.place.ends),
            "The profile of “{subject.register.namespace.nid}” has no levels, so that nothing would consult a register below an "
            "entry. Ask an administrator to set a profile that has some.",
            RegisterNeedsProfile,
        ),
        Condition(
            lambda entry: not place_below(entry.register.namespace, entry.subnamespace).is_final,
            _nothing_follows,
            NothingFollows,
        ),
    ),
    parameters=(POLICY_CHOICE, TITLE, GUIDANCE),
    refusals=(NameRefused,),
    notify=_mail_holders,
)
# The actions on an entry by the parts of their addresses.
ACTIONS = {"offer": OFFER_ENTRY, "open": OPEN_BRANCH}


@performs(OFFER_ENTRY, ENTRY_OF_REGISTER)
def offer_entry(context: ActionContext[Entry], *, to: str, reason: str = "") -> EntryOffer:
    """Offer an entry to the owner of an address. Result and work do not depend on whether there is an account."""
    entry, by = context.subject, context.actor
    email = check_address(to, argument="to")
    if by.owns_address(email):
        raise InvalidRecipient("Enter the address of another person.")
    end_lapsed_offer(entry)
    context.reason = check_optional_text(reason, "the reason", argument="reason")
    offer = EntryOffer.objects.create(entry=entry, offered_by=by, email=email, made_with=context.made_with)
    context.details = {"entry_offer": offer.pk}
    return offer


@performs(ACCEPT_ENTRY, ENTRY_OFFER)
def accept_entry(context: ActionContext[EntryOffer], *, organisation: Organisation | None = None) -> None:
    """Accept an offer: the person, or an organisation that they represent, holds the entry, and the registers below it."""
    entry, to = context.subject.entry, organisation or context.actor
    if organisation is not None:
        check_represents(organisation, by=context.actor)
    gains.check_may_get(to, entry.register.namespace)
    context.people_before = entry.holders
    former = set_holder(entry, to)
    end_lapsed_change(entry)
    details = {
        "person": entry.person_id,
        "organisation": entry.organisation_id,
        "former": former.person,
        "former_organisation": former.organisation,
    }
    context.details = {name: key for name, key in details.items() if key is not None}
    context.subject.end(accepted=True)


@performs(DECLINE_ENTRY, ENTRY_OFFER)
def decline_entry(context: ActionContext[EntryOffer], *, reason: str = "") -> None:
    """Decline an offer: the holder does not change."""
    context.reason = check_optional_text(reason, "the reason", argument="reason")
    context.subject.end(accepted=False)


@performs(WITHDRAW_OFFER, ENTRY_OFFER)
def withdraw_offer(context: ActionContext[EntryOffer], *, reason: str = "") -> None:
    """Withdraw an offer that was neither accepted nor declined."""
    context.reason = check_optional_text(reason, "the reason", argument="reason")
    context.subject.end(accepted=False)


@performs(OPEN_BRANCH, ENTRY_OF_REGISTER)
def open_branch(context: ActionContext[Entry], *, policy: str, title: str, guidance: str = "") -> Register:
    """Open a register below an entry, which its holder holds."""
    entry = context.subject
    branch = entry if entry.controller.is_known else entry.register.branch
    register = Register(
        namespace=entry.register.namespace, entry=entry, branch=branch, policy=policy, opened_by=context.actor
    )
    register.title, register.guidance = checked_texts(title, guidance)
    register.save()
    add_listed_entries(register)
    context.details = {"policy": policy}
    return register


@transaction.atomic
def release_entry(entry: Entry, *, reason: str) -> None:
    """Leave an entry to the holder of its register, who can offer it, because the account of its holder is erased."""
    entry = ENTRY_OF_REGISTER.lock(entry, None)
    former = set_holder(entry, None)
    end_lapsed_offer(entry)
    ENTRY_OF_REGISTER.mark_changed(entry)
    members = ENTRY_OF_REGISTER.members(entry)
    event = log.append(RELEASE_ENTRY.name, by=None, reason=reason, former=former.person, **members)
    post_or_hold(event, entry.register, entry.register.holders)


def end_lapsed_offer(entry: Entry) -> None:
    """Withdraw the open offer of a locked entry, if it can no longer be accepted."""
    for offer in _waiting(entry):
        if reason := grants.lapse_of(offer):
            withdraw_lapsed_offer(offer, reason=reason)


def _missing_authority(grantor: User, offer: EntryOffer) -> str:
    return "" if may_offer(grantor, offer.entry) else "The person who made it may no longer offer the entry."


def withdraw_lapsed_offer(offer: EntryOffer, *, reason: str) -> None:
    """Withdraw the open offer of a locked entry for the registry."""
    offer.end(accepted=False)
    ENTRY_OFFER.record(ActionContext(offer, None, WITHDRAW_OFFER, reason=reason, result=offer))


grants.declare(
    grants.GrantType(
        model=EntryOffer,
        pending=lambda: EntryOffer.objects.waiting().with_places(),
        missing_authority=_missing_authority,
        withdraw=withdraw_lapsed_offer,
    )
)
