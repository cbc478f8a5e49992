"""Who may do what with a register and with requests for its entries, by policy.

The table is written by hand from RFC 8126, Section 4, and from docs/registers.md, independently of the declarations:

- private use (4.1): nothing is registered.
- hierarchical allocation (4.3): the holder delegates entries, and no one requests one.
- first come first served (4.4): everyone gets an entry at once, and no one reviews it.
- expert review (4.5): everyone requests an entry, and a reviewer decides.
- specification required (4.6): the same, with a specification.
- closed (9.6): nothing is registered any more.

Requests that wait were made under expert review, before the policy was changed. Each person acts on the request of the requester,
but for the author: a reviewer, who acts on a request of their own. Actions on entries are in `test_branch_matrix`.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser

from registry.accounts.models import RoleName, User
from registry.actions.declarations import Action
from registry.core.exceptions import ConflictOfInterest, NotPermitted, RegistryError
from registry.core.validators import TextMissing
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from registry.registers import subjects
from registry.registers.actions import fields, lists, registers, requests
from registry.registers.lists import EntriesRefused
from registry.registers.models import EntryRequest, Register
from registry.registers.policies import Policy
from registry.subnamespaces.models import SubNamespace
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import ASKED, OPENED, a_described_namespace, a_register, a_request
from tests.registers.matrices import brought_to, letter_of
from tests.support.databases import a_filled_database, rolled_back_in
from tests.support.factories import a_person, a_template, describe

# The places in each cell.
ROLES = {
    "v": "visitor",  # without an account
    "s": "stranger",  # with an account, and no part in the register
    "q": "requester",
    "m": "member",  # of the organisation that holds the register, with the part of a contact
    "r": "reviewer",  # a contact whom the holder named
    "o": "author",  # a reviewer, as the one who made the request
    "h": "holder",  # a representative of the organisation
    "a": "administrator",  # of the registry
}
# What the letters in a cell mean: what was done, or the class of the refusal.
DONE, REGISTERED = "done", "an entry was registered"
LETTERS: dict[str, str | type[RegistryError]] = {
    "Y": DONE,
    "E": REGISTERED,
    ".": NotPermitted,  # for the role, as if it did not exist (404)
    "p": subjects.PolicyForbids,
    "t": TextMissing,  # no specification is named
    "l": EntriesRefused,  # no specification is named on a line
    "i": ConflictOfInterest,  # with their own request
    "x": subjects.RegisterSuspended,
    "n": subjects.NotSuspended,
}
# “without” a specification: the request, or what is sent, names none. Under “suspended”, the policy is expert review.
MATRIX = """
                        | private  | hierarch | first    | expert   | specific | closed   | suspended
                        | vsqmroha | vsqmroha | vsqmroha | vsqmroha | vsqmroha | vsqmroha | vsqmroha
open_register           | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y.
change_register         | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y.
declare_fields          | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y.
name_reviewer           | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y.
remove_reviewer         | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y. | ......Y.
suspend_register        | .......Y | .......Y | .......Y | .......Y | .......Y | .......Y | .......x
resume_register         | .......n | .......n | .......n | .......n | .......n | .......n | .......Y
register_entry          | ......p. | ......E. | ......E. | ......E. | ......E. | ......p. | ......x.
register_entry without  | ......p. | ......E. | ......E. | ......E. | ......t. | ......p. | ......x.
write_entries           | ......p. | ......E. | ......E. | ......E. | ......E. | ......p. | ......x.
write_entries without   | ......p. | ......E. | ......E. | ......E. | ......l. | ......p. | ......x.
request_entry           | .ppppppp | .ppppppp | .EEEEEEE | .YYYYYYY | .YYYYYYY | .ppppppp | .xxxxxxx
request_entry without   | .ppppppp | .ppppppp | .EEEEEEE | .YYYYYYY | .ttttttt | .ppppppp | .xxxxxxx
read_request            | ..Y.YYYY | ..Y.YYYY | ..Y.YYYY | ..Y.YYYY | ..Y.YYYY | ..Y.YYYY | ..Y.YYYY
comment_on_request      | ..Y.YYY. | ..Y.YYY. | ..Y.YYY. | ..Y.YYY. | ..Y.YYY. | ..Y.YYY. | ..Y.YYY.
accept_request          | ....ppp. | ....EiE. | ....EiE. | ....EiE. | ....EiE. | ....ppp. | ....xxx.
accept_request without  | ....ppp. | ....EiE. | ....EiE. | ....EiE. | ....ppp. | ....ppp. | ....xxx.
ask_for_changes         | ....ppp. | ....ppp. | ....ppp. | ....YiY. | ....YiY. | ....ppp. | ....xxx.
refuse_request          | ....YiY. | ....YiY. | ....YiY. | ....YiY. | ....YiY. | ....YiY. | ....xxx.
revise_request          | ..p..p.. | ..p..p.. | ..E..E.. | ..Y..Y.. | ..Y..Y.. | ..p..p.. | ..x..x..
revise_request without  | ..p..p.. | ..p..p.. | ..E..E.. | ..Y..Y.. | ..t..t.. | ..p..p.. | ..x..x..
withdraw_request        | ..Y..Y.. | ..Y..Y.. | ..Y..Y.. | ..Y..Y.. | ..Y..Y.. | ..Y..Y.. | ..Y..Y..
"""
COLUMNS = (*Policy.values, "suspended")
_, HEADER, *LINES = ([cell.strip() for cell in line.split("|")] for line in MATRIX.strip("\n").splitlines())
ROWS = {name: dict(zip(COLUMNS, cells, strict=True)) for name, *cells in LINES}
ACTIONS = {
    each.name: each
    for module in (registers, fields, lists, requests)
    for each in vars(module).values()
    if isinstance(each, Action)
}
ENTRY = {"label": "kew", "title": "Kew Gardens"}
SPECIFICATION = {"reference": "RFC 8126"}


def fill() -> None:
    """A register of an organisation under expert review, with two requests of two people, one of them without a specification."""
    for who in ("stranger", "requester", "member", "reviewer", "author", "holder"):
        a_person(email=f"{who}@example.org")
    a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    holder = someone("holder")
    arboretum = an_organisation(by=holder)
    register = a_register(a_described_namespace(registrant=arboretum), by=holder, policy="expert_review")
    for who in ("member", "reviewer", "author"):
        join(arboretum, someone(who), "contact", by=holder)
    for who in ("reviewer", "author"):
        registers.name_reviewer(register, by=holder, email=f"{who}@example.org")
    for who in ("requester", "author"):
        for how, more in (("named", SPECIFICATION), ("without", {})):
            a_request(register, by=someone(who), label=f"{how}-by-{who}", **more)
    oaks = a_template(namespace_identifier="example-oaks", syntax="Opaque.")
    describe(register_formal(oaks, registrant=arboretum).namespace, unstated="Opaque.")


def someone(who: str) -> User:
    return User.objects.get(email=f"{who}@example.org")


@dataclass
class World:
    """The filled database, with the register under a policy."""

    register: Register
    people: dict[str, Any]
    requests: dict[str, EntryRequest]

    def act(self, row: str, who: str) -> None:
        """Do what the row says. Like pages, this asks whether the person may, before the function asks again under its locks."""
        name, is_without, person = row.partition(" ")[0], row.endswith(" without"), self.people[who]
        request = self.request_for(who, is_without=is_without)
        if name == "read_request":
            subjects.get_request(person, self.register, request.pk)
            return
        action, subject = ACTIONS[name], self.subject_of(name, request)
        action.check_allowed(person, subject)
        arguments = self.arguments(name, request)
        if "reference" in {each.argument for each in action.parameters} and not is_without:
            arguments |= SPECIFICATION
        if "document" in arguments and not is_without:
            arguments["document"] = json.dumps(ENTRY | SPECIFICATION)
        action.function(subject, by=person, **arguments)

    def request_for(self, who: str, *, is_without: bool) -> EntryRequest:
        author = who if who == "author" else "requester"
        return self.requests[f"{'without' if is_without else 'named'}-by-{author}"]

    def subject_of(self, name: str, request: EntryRequest) -> Any:
        if name == "open_register":
            return Namespace.objects.get(nid="example-oaks")
        return request if ACTIONS[name] in requests.ACTIONS.values() else self.register

    def arguments(self, name: str, request: EntryRequest) -> dict[str, Any]:
        version, read = self.register.version, {"revision": request.version}
        asked = ASKED | {"register_version": version}
        return {
            "open_register": OPENED | {"policy": self.register.policy},
            "change_register": {"policy": self.register.policy, "title": "Another", "replaces": version},
            "declare_fields": {"fields": [{"label": "Opened on"}], "replaces": version},
            "name_reviewer": {"email": "member@example.org"},
            "remove_reviewer": {"email": "reviewer@example.org"},
            "suspend_register": {"reason": "Order of a court."},
            "resume_register": {"reason": "It was lifted."},
            "register_entry": {**ENTRY},
            "write_entries": {"document": json.dumps(ENTRY), "list_format": "jsonl", "replaces": 0},
            "request_entry": asked,
            "comment_on_request": {"text": "Which garden?"},
            "accept_request": read,
            "ask_for_changes": {"text": "Where?", **read},
            "refuse_request": {"reason": "No.", **read},
            "revise_request": asked | {"label": request.label, **read},
            "withdraw_request": {},
        }[name]


@pytest.fixture(scope="module")
def filled(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database


# Policies whose column is that of another one.
SAME = {Policy.PRIVATE}


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
        register = brought_to(column, register, people)
        waiting = {each.label: each for each in EntryRequest.objects.all()}
        for each in waiting.values():
            each.register = register
        yield World(register, people, waiting)


def outcome(attempt: Callable[[], object]) -> str:
    """The letter of what happens, or the name of a refusal that has none. It is undone."""
    return letter_of(attempt, LETTERS, lambda: REGISTERED if SubNamespace.objects.exists() else DONE)


def test_the_table_has_every_action_policy_and_role() -> None:
    assert {row.partition(" ")[0] for row in ROWS} == ACTIONS.keys() | {"read_request"}
    assert all(cell in ("", "".join(ROLES)) for cell in HEADER)
    assert set("".join("".join(cells.values()) for cells in ROWS.values())) == LETTERS.keys()


@pytest.mark.sampled(8, 2)
def test_the_role_and_the_policy_say_what_one_may_do(world: World, column: str) -> None:
    expected = {row: cells[column] for row, cells in ROWS.items()}
    found = {
        row: "".join(outcome(partial(world.act, row, who)) for who in ROLES.values()) for row in expected
    }
    assert found == expected
