"""Who may do what with an entry, with an offer of it, and with the register below it.

The table is written by hand from RFC 8126, Sections 2.3 and 4.3, and from docs/registers.md, independently of the declarations. What
is delegated stays delegated, whatever the policy of the register around it; a court's order about that one does not concern
it. A deprecated namespace ends everything.

“kept” is an entry that the holder of the register registered, and “given” one that was delegated to another organisation, which
opened a register below it. Both are offered to the heir, but where a row is about an offer that is made.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from registry.accounts.models import RoleName, User
from registry.actions.declarations import Action
from registry.core.exceptions import NotPermitted, RegistryError
from registry.registers import subjects
from registry.registers.actions import entries, fields, lists, recalls, registers, requests
from registry.registers.models import Entry, EntryOffer, Register
from registry.registers.policies import Policy
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import ASKED, BRANCH, a_branch, a_deep_namespace, a_register, delegated
from tests.registers.matrices import brought_to, letter_of
from tests.support.databases import a_filled_database, rolled_back_in
from tests.support.factories import a_person

# The places in each cell.
ROLES = {
    "v": "visitor",  # without an account
    "s": "stranger",  # with an account, and no part in anything
    "h": "holder",  # a representative of the organisation that holds the register of the namespace
    "m": "member",  # of that organisation, with the part of a contact
    "k": "keeper",  # a representative of the organisation to which the entry was delegated
    "e": "employee",  # of that organisation, with the part of a contact
    "i": "heir",  # to whose address the entries are offered
    "a": "administrator",  # of the registry
}
# What the letters in a cell mean: what was done, or the class of the refusal.
DONE = "done"
LETTERS: dict[str, str | type[RegistryError]] = {
    "Y": DONE,
    ".": NotPermitted,  # for the role, as if it did not exist (404)
    "r": subjects.RegisterExists,
    "w": subjects.InvalidRecall,
    "n": subjects.NotSuspended,
    "x": subjects.RegisterSuspended,
    "d": subjects.RegisterEnded,
}
MATRIX = """
                     | private  | hierarch | first    | expert   | specific | closed   | suspended | deprecated
                     | vshmkeia | vshmkeia | vshmkeia | vshmkeia | vshmkeia | vshmkeia | vshmkeia  | vshmkeia
offer_entry kept     | ..Y..... | ..Y..... | ..Y..... | ..Y..... | ..Y..... | ..Y..... | ..x.....  | ..d.....
offer_entry given    | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....x...  | ....d...
accept_entry kept    | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......x.  | ......d.
accept_entry given   | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......x.  | ......d.
decline_entry kept   | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y.  | ......Y.
decline_entry given  | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y.  | ......Y.
withdraw_offer kept  | ..Y..... | ..Y..... | ..Y..... | ..Y..... | ..Y..... | ..Y..... | ..Y.....  | ..Y.....
withdraw_offer given | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y...  | ....Y...
open_branch kept     | ..Y..... | ..Y..... | ..Y..... | ..Y..... | ..Y..... | ..Y..... | ..x.....  | ..d.....
open_branch given    | ....r... | ....r... | ....r... | ....r... | ....r... | ....r... | ....x...  | ....d...
recall_entry kept    | ..w..... | ..w..... | ..w..... | ..w..... | ..w..... | ..w..... | ..x.....  | ..d.....
recall_entry given   | ..Y..... | ..Y..... | ..Y..... | ..Y..... | ..Y..... | ..Y..... | ..x.....  | ..d.....
keep_entry kept      | ........ | ........ | ........ | ........ | ........ | ........ | ........  | ........
keep_entry given     | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y...  | ....Y...
write_entries        | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y...  | ....d...
register_entry       | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y...  | ....d...
request_entry        | .YYYYYYY | .YYYYYYY | .YYYYYYY | .YYYYYYY | .YYYYYYY | .YYYYYYY | .YYYYYYY  | .ddddddd
declare_fields       | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y...  | ....Y...
change_register      | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y...  | ....Y...
name_reviewer        | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y... | ....Y...  | ....Y...
suspend_register     | .......Y | .......Y | .......Y | .......Y | .......Y | .......Y | .......Y  | .......Y
resume_register      | .......n | .......n | .......n | .......n | .......n | .......n | .......n  | .......n
"""
COLUMNS = (*Policy.values, "suspended", "deprecated")
_, HEADER, *LINES = ([cell.strip() for cell in line.split("|")] for line in MATRIX.strip("\n").splitlines())
ROWS = {name: dict(zip(COLUMNS, cells, strict=True)) for name, *cells in LINES}
ACTIONS = {
    each.name: each
    for module in (entries, fields, lists, recalls, registers, requests)
    for each in vars(module).values()
    if isinstance(each, Action)
}
ON_ENTRIES = (entries.OFFER_ENTRY, entries.OPEN_BRANCH, recalls.RECALL_ENTRY, recalls.KEEP_ENTRY)


def fill() -> None:
    for who in ("stranger", "holder", "member", "keeper", "employee", "heir"):
        a_person(email=f"{who}@example.org")
    a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    holder, keeper = someone("holder"), someone("keeper")
    arboretum = an_organisation(by=holder)
    join(arboretum, someone("member"), "contact", by=holder)
    gardens = an_organisation(by=keeper, name="Royal Gardens")
    join(gardens, someone("employee"), "contact", by=keeper)
    register = a_register(a_deep_namespace(registrant=arboretum), by=holder, policy="expert_review")
    for label in ("kept", "given"):
        registers.register_entry(register, by=holder, label=label, title=label)
    given = delegated(entry_of("given"), by=holder, to=keeper, organisation=gardens)
    a_branch(given, by=keeper)


def someone(who: str) -> User:
    return User.objects.get(email=f"{who}@example.org")


def entry_of(label: str) -> Entry:
    return Entry.objects.get(subnamespace__prefix=label)


@dataclass
class World:
    """The filled database, with the outer register under a policy."""

    people: dict[str, Any]

    def act(self, row: str, who: str) -> None:
        """Do what the row says. Like pages, this asks whether the person may, before the function asks again under its locks."""
        name, _, label = row.partition(" ")
        person, action = self.people[who], ACTIONS[name]
        subject = self.subject_of(action, label)
        action.check_allowed(person, subject)
        action.function(subject, by=person, **self.arguments(name))

    def subject_of(self, action: Action[Any], label: str) -> Any:
        if not label:
            return Register.objects.exclude(entry=None).get()
        if action in ON_ENTRIES:
            if action is entries.OFFER_ENTRY:
                EntryOffer.objects.filter(ended_at=None).update(ended_at="2026-01-31T00:00:00Z")
            if action is recalls.KEEP_ENTRY:
                Entry.objects.exclude(organisation=None).update(recall_ends_at="2026-01-31T00:00:00Z")
            return entry_of(label)
        return EntryOffer.objects.get(entry=entry_of(label), ended_at=None)

    def arguments(self, name: str) -> dict[str, Any]:
        return {
            "offer_entry": {"to": "another@example.org"},
            "open_branch": BRANCH,
            "register_entry": {"label": "rose", "title": "Roses"},
            "write_entries": {
                "document": '{"label": "rose", "title": "Roses"}',
                "list_format": "jsonl",
                "replaces": 2,
            },
            "request_entry": ASKED,
            "change_register": {"policy": "closed", "title": "Another", "replaces": 1},
            "declare_fields": {"fields": [{"label": "Kind of tree"}], "replaces": 1},
            "name_reviewer": {"email": "employee@example.org"},
            "recall_entry": {"reason": "No answer."},
            "suspend_register": {"reason": "Order of a court."},
            "resume_register": {"reason": "It was lifted."},
        }.get(name, {})


@pytest.fixture(scope="module")
def filled(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database


# Each policy has the same column, so that of one shows it.
SAME = {*Policy.values} - {Policy.CLOSED, Policy.FIRST_COME}


@pytest.fixture(
    params=[pytest.param(each, marks=pytest.mark.soak) if each in SAME else each for each in COLUMNS]
)
def column(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def world(column: str, filled: str, django_db_blocker: Any) -> Iterator[World]:
    with django_db_blocker.unblock(), rolled_back_in(filled):
        people = {who: AnonymousUser() if who == "visitor" else someone(who) for who in ROLES.values()}
        for label, by in (("kept", "holder"), ("given", "keeper")):
            entries.offer_entry(entry_of(label), by=people[by], to="heir@example.org")
        register = Register.objects.get(entry=None)
        brought_to(column, register, people)
        yield World(people)


def outcome(attempt: Callable[[], object]) -> str:
    """The letter of what happens, or the name of a refusal that has none. It is undone."""
    return letter_of(attempt, LETTERS, lambda: DONE)


def test_the_table_has_every_action_on_entries_and_every_policy_and_role() -> None:
    of_entries = {each.name for each in ACTIONS.values() if getattr(entries, each.name, None)}
    assert of_entries <= {row.partition(" ")[0] for row in ROWS}
    assert all(cell in ("", "".join(ROLES)) for cell in HEADER)
    assert set("".join("".join(cells.values()) for cells in ROWS.values())) == LETTERS.keys()


@pytest.mark.sampled(8, 2)
def test_the_role_and_the_state_say_what_one_may_do(world: World, column: str) -> None:
    expected = {row: cells[column] for row, cells in ROWS.items()}
    found = {
        row: "".join(outcome(partial(world.act, row, who)) for who in ROLES.values()) for row in expected
    }
    assert found == expected
