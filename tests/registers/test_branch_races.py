"""People act on an entry, on offers of it and on the register below it at once: what happens is what would have happened one
after the other, and the log has it in that order.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from registry.accounts.closing import close_account
from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from registry.namespaces.models import Namespace, Transfer
from registry.organisations.actions.members import end_membership
from registry.organisations.models import Organisation
from registry.organisations.subjects import lock_organisation
from registry.registers.actions.entries import (
    accept_entry,
    decline_entry,
    offer_entry,
    open_branch,
    withdraw_offer,
)
from registry.registers.actions.registers import register_entry, suspend_register
from registry.registers.models import Entry, EntryOffer, Register
from registry.registers.subjects import EntryOfferNotOpen, RegisterExists, RegisterSuspended
from tests.accounts.test_closing_races import one_after_the_other
from tests.organisations.conftest import an_organisation, join, membership_of
from tests.registers.conftest import BRANCH, a_branch, a_deep_namespace, a_register
from tests.registers.races import Job, Race
from tests.support.databases import a_filled_database, a_fresh_database
from tests.support.factories import a_person

pytestmark = pytest.mark.slow


def fill() -> None:
    """An entry of an organisation's register that its holder offers to an heir, who represents another organisation; and one with a
    register below it.
    """
    holder, deputy, heir, _ = (
        a_person(email=f"{who}@example.org") for who in ("holder", "deputy", "heir", "buyer")
    )
    a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    gardens = an_organisation(by=heir, name="Royal Gardens")
    arboretum = an_organisation(by=holder)
    join(arboretum, deputy, "representative", by=holder)
    join(gardens, holder, "representative", by=heir)
    namespace = a_deep_namespace(registrant=arboretum)
    register = a_register(namespace, by=holder)
    kew, elm = (register_entry(register, by=holder, label=each, title=each) for each in ("kew", "elm"))
    a_branch(elm, by=holder, policy="first_come")
    offer_entry(kew, by=deputy, to=heir.email)
    offer_entry(elm, by=deputy, to=heir.email)
    offer_transfer(namespace, by=deputy, to="buyer@example.org")


@pytest.fixture(scope="module")
def filled(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database


def someone(who: str) -> User:
    return User.objects.get(email=f"{who}@example.org")


def offer_of(label: str) -> EntryOffer:
    return EntryOffer.objects.get(entry__subnamespace__prefix=label)


def entry_of(label: str) -> Entry:
    return Entry.objects.get(subnamespace__prefix=label)


def accept(label: str = "kew", *, for_organisation: bool = False) -> Job:
    organisation = Organisation.objects.get(name="Royal Gardens") if for_organisation else None
    return partial(accept_entry, offer_of(label), by=someone("heir"), organisation=organisation)


def decline() -> Job:
    return partial(decline_entry, offer_of("kew"), by=someone("heir"))


def withdraw() -> Job:
    return partial(withdraw_offer, offer_of("kew"), by=someone("deputy"))


def open_below(who: str) -> Job:
    return partial(open_branch, entry_of("kew"), by=someone(who), **BRANCH)


def enter_below_elm() -> Job:
    branch = Register.objects.exclude(entry=None).get()
    return partial(register_entry, branch, by=someone("holder"), label="17", title="An elm")


def suspend() -> Job:
    outer = Register.objects.get(entry=None)
    return partial(suspend_register, outer, by=someone("administrator"), reason="Order of a court.")


def leave(who: str) -> Job:
    membership = membership_of(someone(who)) if who == "deputy" else None
    found = membership or someone(who).memberships.get(organisation__name="Royal Gardens")
    return partial(end_membership, found, by=someone(who))


def buy() -> Job:
    return partial(accept_transfer, Transfer.objects.get(), by=someone("buyer"))


def close(who: str) -> Job:
    return partial(close_account, someone(who), by=None, reason="The person left.")


RACES = {
    "two acceptances": Race(
        accept, partial(accept, for_organisation=True), EntryOfferNotOpen, EntryOfferNotOpen
    ),
    "acceptance and withdrawal": Race(accept, withdraw, EntryOfferNotOpen, EntryOfferNotOpen),
    "acceptance and declining": Race(accept, decline, EntryOfferNotOpen, EntryOfferNotOpen),
    "acceptance, and a register of the holder before": Race(
        accept, partial(open_below, "holder"), NotPermitted
    ),
    "two registers below one entry": Race(
        partial(open_below, "holder"), partial(open_below, "deputy"), RegisterExists, RegisterExists
    ),
    "acceptance, and an entry of the holder before": Race(
        partial(accept, "elm"), enter_below_elm, NotPermitted
    ),
    "suspension and acceptance": Race(suspend, accept, RegisterSuspended),
    "a transfer and acceptance": Race(buy, accept, EntryOfferNotOpen),
    "the end of the membership of who made the offer, and acceptance": Race(
        partial(leave, "deputy"), accept, EntryOfferNotOpen
    ),
    "the end of the account of who made the offer, and acceptance": Race(
        partial(close, "deputy"), accept, EntryOfferNotOpen
    ),
    "the end of the account of a member of both organisations, and acceptance for one": Race(
        partial(close, "holder"), partial(accept, for_organisation=True)
    ),
    "the end of the membership of who accepts for an organisation": Race(
        partial(leave, "heir"), partial(accept, for_organisation=True), NotPermitted
    ),
}


def left(before: int) -> dict[str, Any]:
    """What two actions left: the rows, and the events after the number `before`."""
    log = Event.objects.filter(number__gt=before).order_by("number")
    return {
        "entries": sorted(
            Entry.objects.values_list("subnamespace__prefix", "person__email", "organisation__name"), key=str
        ),
        "registers": sorted(
            Register.objects.values_list("entry__subnamespace__prefix", "branch__subnamespace__prefix"),
            key=str,
        ),
        "offers": sorted(
            (each.entry.subnamespace.prefix, each.is_accepted, each.is_waiting)
            for each in EntryOffer.objects.all()
        ),
        "log": sorted(log.values_list("verb", "actor__email"), key=str),
    }


def test_organisations_are_locked_in_the_order_of_their_keys(filled: str, django_db_blocker: Any) -> None:
    """Otherwise, who accepts for an organisation, and the end of all memberships of an account, wait for each other."""
    with django_db_blocker.unblock(), a_fresh_database(filled):
        gardens = Organisation.objects.get(name="Royal Gardens")
        namespace = Namespace.objects.get()
        assert gardens.pk < namespace.organisation_id
        locked = (partial(lock_organisation, each) for each in (gardens, namespace.organisation))
        accepted = one_after_the_other(next(locked), accept(for_organisation=True), next(locked))
        assert accepted.entry.organisation == gardens


@pytest.mark.sampled(4)
@pytest.mark.parametrize("race", RACES.values(), ids=RACES)
def test_two_at_once_are_one_after_the_other(race: Race, filled: str, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        race.check(filled, left)
