"""People change an entry, decide on a change and hand the entry on at once: what happens is what would have happened one after the
other, and the log has it in that order.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.registers import subjects
from registry.registers.actions.changes import change_entry, revise_change
from registry.registers.actions.entries import accept_entry, offer_entry
from registry.registers.actions.lists import write_entries
from registry.registers.actions.registers import change_register, register_entry
from registry.registers.actions.requests import accept_request, withdraw_request
from registry.registers.models import Entry, EntryOffer, EntryRequest, Register
from registry.subnamespaces.importing import StaleList
from registry.subnamespaces.models import SubNamespace
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import a_described_namespace, a_register, delegated
from tests.registers.races import Job, Race
from tests.support.databases import a_filled_database
from tests.support.factories import a_person

pytestmark = pytest.mark.slow


def fill() -> None:
    """A register of an organisation under expert review. The keeper holds an entry that is offered to the heir, and asks to change it.
    The organisation of the register holds another one.
    """
    holder, deputy, keeper, _ = (
        a_person(email=f"{who}@example.org") for who in ("holder", "deputy", "keeper", "heir")
    )
    arboretum = an_organisation(by=holder)
    join(arboretum, deputy, "representative", by=holder)
    register = a_register(a_described_namespace(registrant=arboretum), by=holder, policy="expert_review")
    kew, _ = (register_entry(register, by=holder, label=each, title=each) for each in ("kew", "elm"))
    kew = delegated(kew, by=holder, to=keeper)
    change_entry(kew, by=keeper, **CHANGE, title="Kew Gardens")
    offer_entry(kew, by=keeper, to="heir@example.org")


CHANGE: dict[str, Any] = {"status": "active", "register_version": 1, "replaces": 1}


@pytest.fixture(scope="module")
def filled(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database


def someone(who: str) -> User:
    return User.objects.get(email=f"{who}@example.org")


def entry_of(label: str) -> Entry:
    return Entry.objects.get(subnamespace__prefix=label)


def change(who: str, label: str, **more: Any) -> Job:
    given = CHANGE | {"replaces": 2 if label == "elm" else 1, "title": f"By {who}"} | more
    return partial(change_entry, entry_of(label), by=someone(who), **given)


def accept(who: str = "holder") -> Job:
    return partial(accept_request, EntryRequest.objects.get(), by=someone(who), revision=1)


def revise() -> Job:
    given = CHANGE | {"title": "Kew Park", "revision": 1}
    return partial(revise_change, EntryRequest.objects.get(), by=someone("keeper"), **given)


def withdraw() -> Job:
    return partial(withdraw_request, EntryRequest.objects.get(), by=someone("keeper"))


def hand_on() -> Job:
    return partial(accept_entry, EntryOffer.objects.get(ended_at=None), by=someone("heir"))


def write(label: str) -> Job:
    given = {
        "document": f'{{"label": "{label}", "title": "Of a list"}}',
        "list_format": "jsonl",
        "replaces": 2,
    }
    return partial(write_entries, Register.objects.get(), by=someone("holder"), **given)


def make_private() -> Job:
    register = Register.objects.get()
    given = {"policy": "private", "title": register.title, "replaces": 1}
    return partial(change_register, register, by=someone("holder"), **given)


RACES = {
    "two changes": Race(
        partial(change, "holder", "elm"),
        partial(change, "deputy", "elm"),
        subjects.StaleEntry,
        subjects.StaleEntry,
    ),
    "a change and a list": Race(
        partial(change, "deputy", "elm"), partial(write, "elm"), StaleList, subjects.StaleEntry
    ),
    "two acceptances": Race(
        accept, partial(accept, "deputy"), subjects.RequestDecided, subjects.RequestDecided
    ),
    "acceptance and withdrawal": Race(accept, withdraw, subjects.RequestDecided, subjects.RequestDecided),
    "acceptance and another change": Race(accept, revise, subjects.RequestDecided, subjects.StaleRequest),
    "a new holder, and acceptance of a change of the one before": Race(
        hand_on, accept, subjects.RequestDecided
    ),
    "acceptance and another policy": Race(make_private, accept, subjects.PolicyForbids),
}


def left(before: int) -> dict[str, Any]:
    """What two actions left: the rows, and the events after the number `before`."""
    log = Event.objects.filter(number__gt=before).order_by("number")
    return {
        "contents": sorted(SubNamespace.objects.values_list("prefix", "title", "version")),
        "requests": sorted(EntryRequest.objects.values_list("title", "state", "version")),
        "holders": sorted(Entry.objects.values_list("subnamespace__prefix", "person__email"), key=str),
        "log": sorted(log.values_list("verb", "actor__email"), key=str),
    }


@pytest.mark.sampled(4)
@pytest.mark.parametrize("race", RACES.values(), ids=RACES)
def test_two_at_once_are_one_after_the_other(race: Race, filled: str, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        race.check(filled, left)
