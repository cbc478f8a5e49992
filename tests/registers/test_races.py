"""People act on a register and its requests at once: what happens is what would have happened one after the other, and the log
has it in that order. Of many who ask for one label, or for labels that look alike, exactly one gets it, and nothing is lost.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pytest

from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from registry.namespaces.models import Namespace, Transfer
from registry.organisations.actions.members import end_membership
from registry.registers import subjects
from registry.registers.actions.lists import write_entries
from registry.registers.actions.registers import (
    change_register,
    name_reviewer,
    register_entry,
    remove_reviewer,
    suspend_register,
)
from registry.registers.actions.requests import (
    accept_request,
    ask_for_changes,
    refuse_request,
    request_entry,
    revise_request,
    withdraw_request,
)
from registry.registers.lists import EntriesRefused
from registry.registers.models import Entry, EntryRequest, Register, Reviewer
from registry.subnamespaces.importing import ListUnchanged
from registry.subnamespaces.models import ListVersion, SubNamespace
from tests.cases.traces import check_record_holds
from tests.organisations.conftest import an_organisation, join, membership_of
from tests.registers.conftest import ASKED, a_described_namespace, a_register, a_request
from tests.registers.races import Job, Race
from tests.support import processes
from tests.support.databases import a_filled_database, at_once, refusals
from tests.support.factories import a_person

pytestmark = pytest.mark.slow
ALIKE = ("lima", "Lima", "1ima", "LIMA", "lirna", "Iima")
of_its_own = pytest.mark.usefixtures("real_database")


# Two at once


def fill() -> None:
    """A register of an organisation under expert review, with a reviewer, a request that waits, and an offer of the namespace.

    Another representative made the offer: who accepts it locks the account of the one who made it.
    """
    holder, deputy, reviewer, requester, *_ = (
        a_person(email=f"{who}@example.org")
        for who in ("holder", "deputy", "reviewer", "requester", "other", "heir")
    )
    a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    arboretum = an_organisation(by=holder)
    join(arboretum, deputy, "representative", by=holder)
    join(arboretum, reviewer, "contact", by=holder)
    namespace = a_described_namespace(registrant=arboretum)
    register = a_register(namespace, by=holder, policy="expert_review")
    name_reviewer(register, by=holder, email=reviewer.email)
    a_request(register, by=requester)
    offer_transfer(namespace, by=deputy, to="heir@example.org")


@pytest.fixture(scope="module")
def filled(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database


def someone(who: str) -> User:
    return User.objects.get(email=f"{who}@example.org")


def change(policy: str) -> Job:
    register = Register.objects.get()
    return partial(
        change_register, register, by=someone("holder"), policy=policy, title="Gardens", replaces=1
    )


def suspend() -> Job:
    return partial(
        suspend_register, Register.objects.get(), by=someone("administrator"), reason="Order of a court."
    )


def remove() -> Job:
    return partial(
        remove_reviewer, Register.objects.get(), by=someone("holder"), email="reviewer@example.org"
    )


def leave() -> Job:
    reviewer = someone("reviewer")
    return partial(end_membership, membership_of(reviewer), by=reviewer)


def transfer() -> Job:
    return partial(accept_transfer, Transfer.objects.get(), by=someone("heir"))


def ask(who: str, label: str) -> Job:
    return partial(request_entry, Register.objects.get(), by=someone(who), **ASKED | {"label": label})


def enter(label: str) -> Job:
    return partial(register_entry, Register.objects.get(), by=someone("holder"), label=label, title="Lima")


def write(label: str) -> Job:
    document = json.dumps({"label": label, "title": "Lima"})
    given = {"document": document, "list_format": "jsonl", "replaces": 0}
    return partial(write_entries, Register.objects.get(), by=someone("holder"), **given)


def accept(who: str) -> Job:
    return partial(accept_request, EntryRequest.objects.get(), by=someone(who), revision=1)


def refuse(who: str) -> Job:
    return partial(refuse_request, EntryRequest.objects.get(), by=someone(who), revision=1, reason="No.")


def revise() -> Job:
    changed = ASKED | {"label": "kew-london", "revision": 1}
    return partial(revise_request, EntryRequest.objects.get(), by=someone("requester"), **changed)


def ask_changes(who: str) -> Job:
    return partial(
        ask_for_changes, EntryRequest.objects.get(), by=someone(who), revision=1, text="Add the town."
    )


def withdraw() -> Job:
    return partial(withdraw_request, EntryRequest.objects.get(), by=someone("requester"))


RACES = {
    "a change of the policy, and acceptance": Race(
        partial(change, "closed"), partial(accept, "reviewer"), subjects.PolicyForbids
    ),
    # It is not registered at once, since its author has read another policy.
    "a change of the policy, and a request": Race(
        partial(change, "first_come"), partial(ask, "other", "elm"), subjects.StaleRegister
    ),
    "suspension, and acceptance": Race(suspend, partial(accept, "holder"), subjects.RegisterSuspended),
    "the end of a membership, and a decision": Race(leave, partial(accept, "reviewer"), NotPermitted),
    "suspension, and a request": Race(suspend, partial(ask, "other", "elm"), subjects.RegisterSuspended),
    "the removal of a reviewer, and a decision": Race(remove, partial(refuse, "reviewer"), NotPermitted),
    "a transfer, and a decision of a reviewer": Race(transfer, partial(accept, "reviewer"), NotPermitted),
    "a transfer, and a decision of the holder": Race(transfer, partial(accept, "holder"), NotPermitted),
    "a transfer, and a change of the policy": Race(transfer, partial(change, "closed"), NotPermitted),
    "acceptance and refusal by two": Race(
        partial(accept, "holder"),
        partial(refuse, "reviewer"),
        subjects.RequestDecided,
        subjects.RequestDecided,
    ),
    "acceptance by two": Race(
        partial(accept, "holder"),
        partial(accept, "reviewer"),
        subjects.RequestDecided,
        subjects.RequestDecided,
    ),
    "a transfer, and the removal of a reviewer": Race(transfer, remove, NotPermitted),
    "withdrawal, and acceptance": Race(
        withdraw, partial(accept, "holder"), subjects.RequestDecided, subjects.RequestDecided
    ),
    "a changed request, and acceptance": Race(
        revise, partial(accept, "holder"), subjects.StaleRequest, subjects.RequestDecided
    ),
    # Neither a form that was opened before, nor a decision, is about what was asked.
    "changes that are asked for, and a changed request": Race(
        partial(ask_changes, "reviewer"), revise, subjects.StaleRequest, subjects.StaleRequest
    ),
    "changes that are asked for, and acceptance by another one": Race(
        partial(ask_changes, "reviewer"),
        partial(accept, "holder"),
        subjects.StaleRequest,
        subjects.RequestDecided,
    ),
    "an entry, and a request for it": Race(
        partial(enter, "lima"), partial(ask, "other", "lima"), subjects.EntryTaken, subjects.EntryTaken
    ),
    "an entry, and a request for one that looks like it": Race(
        partial(enter, "lima"),
        partial(ask, "other", "1ima"),
        subjects.EntryLooksAlike,
        subjects.EntryLooksAlike,
    ),
    "a list with an entry, and a request for it": Race(
        partial(write, "lima"), partial(ask, "other", "lima"), subjects.EntryTaken, EntriesRefused
    ),
    "a list with an entry, and a request for one that looks like it": Race(
        partial(write, "lima"), partial(ask, "other", "1ima"), subjects.EntryLooksAlike, EntriesRefused
    ),
    "two lists": Race(partial(write, "lima"), partial(write, "lima"), ListUnchanged, ListUnchanged),
    "the end of a membership, and the removal of the reviewer": Race(leave, remove, subjects.InvalidReviewer),
}


def left(before: int) -> dict[str, Any]:
    """What two actions left: the rows, and the events after the number `before`."""
    register, log = Register.objects.get(), Event.objects.filter(number__gt=before).order_by("number")
    return {
        "register": (register.policy, register.version, register.is_suspended),
        "requests": sorted(
            EntryRequest.objects.values_list("label", "state", "decided_by__email", "version")
        ),
        "entries": sorted(Entry.objects.values_list("subnamespace__prefix", "person__email")),
        "list": list(ListVersion.objects.order_by("version").values_list("version", "total")),
        "reviewers": list(Reviewer.objects.current().values_list("membership__user__email", flat=True)),  # type: ignore[attr-defined]
        "registrant": Namespace.objects.values_list("registrant__email", "organisation").get(),
        "log": list(log.values_list("verb", "actor__email")),
    }


@pytest.mark.sampled(11)
@pytest.mark.parametrize("race", RACES.values(), ids=RACES)
def test_two_at_once_are_one_after_the_other(race: Race, filled: str, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        race.check(filled, left)


# Many at once


@pytest.fixture
def people(real_database: None) -> list[User]:
    return [a_person(email=f"person-{number}@example.org") for number in range(len(ALIKE))]


def asking(register: Register, people: Sequence[User], labels: Sequence[str]) -> list[Callable[[], object]]:
    return [
        partial(request_entry, register, by=person, **ASKED | {"label": label})
        for person, label in zip(people, labels, strict=True)
    ]


@of_its_own
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("policy", "labels", "refusal"),
    [
        ("first_come", ["kew"] * len(ALIKE), subjects.EntryTaken),
        ("first_come", ALIKE, subjects.EntryLooksAlike),
        ("expert_review", ["kew"] * len(ALIKE), subjects.EntryTaken),
        ("expert_review", ALIKE, subjects.EntryLooksAlike),
    ],
)
def test_one_of_many_requests_wins(
    people: list[User], policy: str, labels: Sequence[str], refusal: type[Exception]
) -> None:
    register = a_register(a_described_namespace(registrant=people[0]), by=people[0], policy=policy)
    answers = at_once(asking(register, people, labels))
    assert [type(each) for each in refusals(answers)] == [refusal] * (len(people) - 1)
    assert EntryRequest.objects.count() == 1
    entries = 1 if policy == "first_come" else 0
    assert (Entry.objects.count(), SubNamespace.objects.count()) == (entries, entries)
    check_record_holds()


@pytest.mark.exhaustive
@of_its_own
def test_all_of_many_different_requests_win(people: list[User]) -> None:
    register = a_register(a_described_namespace(registrant=people[0]), by=people[0])
    labels = ["ash", "birch", "cedar", "dogwood", "elder", "fir"]
    assert refusals(at_once(asking(register, people, labels))) == []
    check_list(labels)
    check_record_holds()


@of_its_own
def test_a_label_is_not_requested_while_it_is_accepted(people: list[User]) -> None:
    holder, requester, *others = people
    namespace = a_described_namespace(registrant=holder)
    register = a_register(namespace, by=holder, policy="expert_review")
    waiting = a_request(register, by=requester, label="lima")
    attempts = asking(register, others, ALIKE[2:])
    answers = at_once([partial(accept_request, waiting, by=holder, revision=1), *attempts])
    assert [type(each) for each in refusals(answers)] == [subjects.EntryLooksAlike] * len(others)
    assert SubNamespace.objects.get().prefix == "lima"
    check_record_holds()


@of_its_own
@pytest.mark.soak
@pytest.mark.parametrize("policy", ["first_come", "expert_review"])
def test_one_of_fifty_processes_wins(policy: str) -> None:
    """20 ask for one label and 20 for labels that look like it: one of these 40 wins. So do all 10 who ask for others."""
    others = ("ash", "birch", "cedar", "dogwood", "elder", "fir", "hazel", "juniper", "larch", "maple")
    labels = ["lima"] * 20 + [ALIKE[number % len(ALIKE)] for number in range(20)] + list(others)
    people = [a_person(email=f"person-{number}@example.org") for number in range(len(labels))]
    register = a_register(a_described_namespace(registrant=people[0]), by=people[0], policy=policy)
    start, told = processes.FORKS.Barrier(len(labels)), processes.FORKS.SimpleQueue()
    started = [
        processes.start(processes.request_entry_and_tell, start, told, register.pk, person.pk, label)
        for person, label in zip(people, labels, strict=True)
    ]
    assert {processes.ended(each) for each in started} == {0}
    answers = Counter(told.get() for _ in labels)
    assert told.empty()
    requested = EntryRequest.objects.values_list("label", flat=True)
    (winner,) = set(requested) - set(others)
    same = labels.count(winner)
    assert answers == {"": len(others) + 1, "EntryTaken": same - 1, "EntryLooksAlike": 40 - same}
    assert sorted(requested) == sorted([winner, *others])
    made = Event.objects.filter(verb__in=["request_entry", "register_entry"])
    assert {each.actor_id for each in made} == set(
        EntryRequest.objects.values_list("requested_by", flat=True)
    )
    assert made.count() == len(others) + 1
    if policy == "first_come":
        check_list([winner, *others])
    else:
        assert not SubNamespace.objects.exists()
    check_record_holds()


def check_list(labels: Sequence[str]) -> None:
    """The list has these labels, each with a version of its own."""
    assert sorted(SubNamespace.objects.values_list("prefix", flat=True)) == sorted(labels)
    assert Entry.objects.count() == len(labels)
    versions = ListVersion.objects.order_by("version").values_list("version", "total")
    assert list(versions) == [(number, number) for number in range(1, len(labels) + 1)]
