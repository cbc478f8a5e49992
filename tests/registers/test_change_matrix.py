"""Who may change an entry, and decide on a change, by policy.

The table is written by hand from RFC 8126, Sections 2.3, 4 and 9.6, and from docs/registers.md, independently of the declarations:

- private use (4.1): nothing is registered, so nothing is changed.
- first come first served (4.4): the holder of an entry changes it at once.
- hierarchical allocation, expert review and specification required (4.3, 4.5 and 4.6): reviewers decide on changes, too.
- closed (9.6): no new entries, but changes of those that exist.

“kept” is an entry of the holder of the register, and “given” one of the keeper. A change of a third one waits, which the keeper
requested for an organisation; who does not change the entry acts on that. Who else acts for the holder of an entry sees and withdraws
what waits for it (2.3).
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
from registry.registers.actions import changes, registers, requests
from registry.registers.models import Entry, EntryRequest, Register
from registry.registers.policies import Policy
from registry.subnamespaces.models import SubNamespace
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import ASKED, a_described_namespace, a_register, delegated
from tests.registers.matrices import brought_to, letter_of
from tests.support.databases import a_filled_database, rolled_back_in
from tests.support.factories import a_person

# The places in each cell.
ROLES = {
    "v": "visitor",  # without an account
    "s": "stranger",  # with an account, and no part in the register
    "k": "keeper",  # who holds an entry, represents an organisation with another, and requested a change of that one
    "p": "partner",  # another representative of this organisation
    "f": "fellow",  # its member with the part of a contact
    "m": "member",  # of the organisation that holds the register, with the part of a contact
    "r": "reviewer",  # a contact whom the holder named
    "h": "holder",  # a representative of the organisation
    "a": "administrator",  # of the registry
}
# What the letters in a cell mean: what was done, or the class of the refusal.
DONE, CHANGED = "done", "an entry was changed"
LETTERS: dict[str, str | type[RegistryError]] = {
    "Y": DONE,
    "C": CHANGED,
    ".": NotPermitted,  # for the role, as if it did not exist (404)
    "p": subjects.PolicyForbids,
    "x": subjects.RegisterSuspended,
    "d": subjects.RegisterEnded,
}
MATRIX = """
                   | private   | hierarch  | first     | expert    | specific  | closed    | suspended | deprecated
                   | vskpfmrha | vskpfmrha | vskpfmrha | vskpfmrha | vskpfmrha | vskpfmrha | vskpfmrha | vskpfmrha
change_entry kept  | .......p. | .......C. | .......C. | .......C. | .......C. | .......C. | .......x. | .......d.
change_entry given | ..p...... | ..Y...... | ..C...... | ..Y...... | ..Y...... | ..Y...... | ..x...... | ..d......
read_request       | ..YY..YYY | ..YY..YYY | ..YY..YYY | ..YY..YYY | ..YY..YYY | ..YY..YYY | ..YY..YYY | ..YY..YYY
comment_on_request | ..Y...YY. | ..Y...YY. | ..Y...YY. | ..Y...YY. | ..Y...YY. | ..Y...YY. | ..Y...YY. | ..Y...YY.
accept_request     | ......pp. | ......CC. | ......CC. | ......CC. | ......CC. | ......CC. | ......xx. | ......dd.
ask_for_changes    | ......pp. | ......YY. | ......pp. | ......YY. | ......YY. | ......YY. | ......xx. | ......dd.
refuse_request     | ......YY. | ......YY. | ......YY. | ......YY. | ......YY. | ......YY. | ......xx. | ......YY.
revise_request     | ......... | ......... | ......... | ......... | ......... | ......... | ......... | .........
revise_change      | ..p...... | ..Y...... | ..p...... | ..Y...... | ..Y...... | ..Y...... | ..x...... | ..d......
withdraw_request   | ..YY..... | ..YY..... | ..YY..... | ..YY..... | ..YY..... | ..YY..... | ..YY..... | ..YY.....
"""
COLUMNS = (*Policy.values, "suspended", "deprecated")
_, HEADER, *LINES = ([cell.strip() for cell in line.split("|")] for line in MATRIX.strip("\n").splitlines())
ROWS = {name: dict(zip(COLUMNS, cells, strict=True)) for name, *cells in LINES}
ACTIONS: dict[str, Action[Any]] = {
    each.name: each
    for each in (*changes.ACTIONS.values(), *changes.ON_REQUEST.values(), *requests.ACTIONS.values())
}


def fill() -> None:
    """A register of an organisation under expert review, with three entries, one of them of a keeper, and one of an organisation of
    theirs, with a change of it.
    """
    for who in ("stranger", "keeper", "partner", "fellow", "member", "reviewer", "holder"):
        a_person(email=f"{who}@example.org")
    a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    holder, keeper = someone("holder"), someone("keeper")
    arboretum = an_organisation(by=holder)
    register = a_register(a_described_namespace(registrant=arboretum), by=holder, policy="expert_review")
    for who in ("member", "reviewer"):
        join(arboretum, someone(who), "contact", by=holder)
    registers.name_reviewer(register, by=holder, email="reviewer@example.org")
    keepers = an_organisation(by=keeper, name="Keepers of trees")
    join(keepers, someone("partner"), "representative", by=keeper)
    join(keepers, someone("fellow"), "contact", by=keeper)
    for label in ("kept", "given", "asked"):
        entry = registers.register_entry(register, by=holder, label=label, title=label)
        if label != "kept":
            delegated(entry, by=holder, to=keeper, organisation=keepers if label == "asked" else None)
    changes.change_entry(entry_of("asked"), by=keeper, **arguments_of_change(entry_of("asked")))


def someone(who: str) -> User:
    return User.objects.get(email=f"{who}@example.org")


def entry_of(label: str) -> Entry:
    return Entry.objects.get(subnamespace__prefix=label)


def arguments_of_change(entry: Entry) -> dict[str, Any]:
    read = {"register_version": entry.register.version, "replaces": entry.subnamespace.version}
    return {"title": "Another", "status": "active", **read}


@dataclass
class World:
    """The filled database, with the register under a policy."""

    people: dict[str, Any]

    def act(self, row: str, who: str) -> None:
        """Do what the row says. Like pages, this asks whether the person may, before the function asks again under its locks."""
        name, _, label = row.partition(" ")
        person, request = self.people[who], EntryRequest.objects.get()
        if name == "read_request":
            subjects.get_request(person, request.register, request.pk)
            return
        action = ACTIONS[name]
        subject: Any = entry_of(label) if label else request
        action.check_allowed(person, subject)
        action.function(subject, by=person, **self.arguments(name, subject))

    def arguments(self, name: str, subject: Any) -> dict[str, Any]:
        read = {"revision": 1}
        if name in {"change_entry", "revise_change"}:
            entry = subject if name == "change_entry" else subject.entry
            return arguments_of_change(entry) | ({} if name == "change_entry" else {"title": "Other", **read})
        return {
            "comment_on_request": {"text": "Which garden?"},
            "accept_request": read,
            "ask_for_changes": {"text": "Where?", **read},
            "refuse_request": {"reason": "No.", **read},
            "revise_request": ASKED | read,
            "withdraw_request": {},
        }[name]


@pytest.fixture(scope="module")
def filled(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database


# Policies whose column is that of another one.
SAME = {Policy.HIERARCHICAL, Policy.SPECIFICATION}


@pytest.fixture(
    params=[pytest.param(each, marks=pytest.mark.soak) if each in SAME else each for each in COLUMNS]
)
def column(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def world(column: str, filled: str, django_db_blocker: Any) -> Iterator[World]:
    with django_db_blocker.unblock(), rolled_back_in(filled):
        people = {who: AnonymousUser() if who == "visitor" else someone(who) for who in ROLES.values()}
        register = Register.objects.get()
        brought_to(column, register, people)
        yield World(people)


def outcome(attempt: Callable[[], object]) -> str:
    """The letter of what happens, or the name of a refusal that has none. It is undone."""
    return letter_of(
        attempt, LETTERS, lambda: CHANGED if SubNamespace.objects.filter(title="Another").exists() else DONE
    )


def test_the_table_has_every_action_policy_and_role() -> None:
    assert {row.partition(" ")[0] for row in ROWS} == ACTIONS.keys() | {"read_request"}
    assert all(cell in ("", "".join(ROLES)) for cell in HEADER)
    assert set("".join("".join(cells.values()) for cells in ROWS.values())) == LETTERS.keys()


@pytest.mark.sampled(8, 3)
def test_the_role_and_the_policy_say_what_one_may_do(world: World, column: str) -> None:
    expected = {row: cells[column] for row, cells in ROWS.items()}
    found = {
        row: "".join(outcome(partial(world.act, row, who)) for who in ROLES.values()) for row in expected
    }
    assert found == expected
