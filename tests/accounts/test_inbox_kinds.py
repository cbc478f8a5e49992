"""Each kind of things in the inbox: who finds it there. `test_inbox.py` has the others."""

from collections.abc import Callable

import pytest

from registry.accounts.models import RoleName, User
from registry.accounts.waiting import KINDS
from registry.cases.workflow.functions.people import invite_co_editor
from registry.registers.actions.entries import offer_entry
from registry.registers.actions.recalls import recall_entry
from registry.registers.actions.requests import ask_for_changes
from registry.registers.models import Entry, Register
from tests.accounts.test_inbox import INBOX, kinds_in
from tests.registers.conftest import a_branch, a_deep_namespace, a_described_namespace, a_register, a_request
from tests.support.browser import queries_of, signed_in
from tests.support.factories import a_case_in_review, a_person
from tests.support.services import a_service, with_services


def person(name: str, *roles: RoleName) -> User:
    return a_person(email=f"{name}@example.org", roles=roles)


def reviewed_register(holder: User) -> Register:
    return a_register(a_described_namespace(registrant=holder), by=holder, policy="expert_review")


def an_entry(holder: User, requester: User) -> Entry:
    a_request(a_register(a_described_namespace(registrant=holder), by=holder), by=requester)
    return Entry.objects.get()


def unconfirmed_host() -> User:
    with_services("trees", a_service())
    return person("administrator", RoleName.ADMINISTRATOR)


def entry_request() -> User:
    holder = person("holder")
    a_request(reviewed_register(holder), by=person("requester"))
    return holder


def own_entry_request() -> User:
    holder, requester = person("holder"), person("requester")
    request = a_request(reviewed_register(holder), by=requester)
    ask_for_changes(request, by=holder, text="Which garden?", revision=1)
    return requester


def entry_offer() -> User:
    holder, requester, other = map(person, ("holder", "requester", "other"))
    offer_entry(an_entry(holder, requester), by=requester, to=other.email)
    return other


def recall() -> User:
    holder, requester = person("holder"), person("requester")
    recall_entry(an_entry(holder, requester), by=holder, reason="Mail came back.")
    return requester


def co_editor_invitation() -> User:
    registrant, other = person("registrant"), person("other")
    invite_co_editor(a_case_in_review(by=registrant), by=registrant, email=other.email)
    return other


SCENES: tuple[Callable[[], User], ...] = (
    unconfirmed_host,
    entry_request,
    own_entry_request,
    entry_offer,
    recall,
    co_editor_invitation,
)
# In `test_inbox.py`.
ELSEWHERE = {
    "approval_request",
    "assignment",
    "bounce",
    "claim",
    "hand_over",
    "membership_invitation",
    "objection",
    "own_bounce",
    "own_case",
    "review",
    "sighting",
    "transfer",
}


def test_each_kind_has_a_scene() -> None:
    assert {scene.__name__ for scene in SCENES} | ELSEWHERE == KINDS.keys()


@pytest.mark.parametrize("scene", SCENES)
def test_a_row_waits_for_its_person_and_leads_to_a_page(scene: Callable[[], User], db: None) -> None:
    client = signed_in(scene())
    (item,) = client.get(INBOX).context["page"].rows
    assert item.kind.name == scene.__name__
    assert client.get(item.line.path).status_code == 200
    assert kinds_in(signed_in(person("stranger"))) == []


def test_the_number_of_queries_does_not_grow_with_requests_below_entries(db: None) -> None:
    holder, requester = person("holder"), person("requester")
    namespace = a_deep_namespace(registrant=holder)
    register = a_register(namespace, by=holder)
    client = signed_in(holder)
    asked = []
    for label in ("kew", "elm", "oak"):
        a_request(register, by=holder, label=label)
        branch = a_branch(Entry.objects.get(subnamespace__prefix=label), by=holder)
        a_request(branch, by=requester, label=f"rose-of-{label}")
        asked.append(queries_of(client, INBOX))
    assert asked[0] == asked[1] == asked[2]
    assert "Request for “rose-of-elm” below urn:example-trees:elm: " in client.get(INBOX).text
