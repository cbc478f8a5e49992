"""Many people ask for one label, or for labels that look alike, at once: exactly one gets it, and nothing is lost."""

from collections.abc import Callable, Sequence
from functools import partial

import pytest

from registry.accounts.models import User
from registry.registers import subjects
from registry.registers.actions.requests import accept_request, request_entry
from registry.registers.models import Entry, EntryRequest, Register
from registry.subnamespaces.models import ListVersion, SubNamespace
from tests.cases.traces import check_record_holds
from tests.registers.conftest import ASKED, a_described_namespace, a_register, a_request
from tests.support.databases import at_once, refusals
from tests.support.factories import a_person

pytestmark = [pytest.mark.usefixtures("real_database"), pytest.mark.slow]
ALIKE = ("lima", "Lima", "1ima", "LIMA", "lirna", "Iima")


@pytest.fixture
def people(real_database: None) -> list[User]:
    return [a_person(email=f"person-{number}@example.org") for number in range(len(ALIKE))]


def asking(register: Register, people: Sequence[User], labels: Sequence[str]) -> list[Callable[[], object]]:
    return [
        partial(request_entry, register, by=person, **ASKED | {"label": label})
        for person, label in zip(people, labels, strict=True)
    ]


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


def test_all_of_many_different_requests_win(people: list[User]) -> None:
    register = a_register(a_described_namespace(registrant=people[0]), by=people[0])
    labels = ["ash", "birch", "cedar", "dogwood", "elder", "fir"]
    assert refusals(at_once(asking(register, people, labels))) == []
    assert set(SubNamespace.objects.values_list("prefix", flat=True)) == set(labels)
    versions = ListVersion.objects.order_by("version").values_list("version", "total")
    assert list(versions) == [(number, number) for number in range(1, len(labels) + 1)]
    check_record_holds()


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
