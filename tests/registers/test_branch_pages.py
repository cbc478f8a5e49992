"""Pages of entries with their holders, of offers of them, and of registers below them."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import RoleName, User
from registry.namespaces.models import Namespace
from registry.registers.actions.entries import decline_entry, offer_entry, withdraw_offer
from registry.registers.actions.registers import change_register, register_entry, suspend_register
from registry.registers.models import Entry, EntryOffer, EntryRequest, Register
from registry.subnamespaces.models import SubNamespace
from tests.api.client import V1
from tests.organisations.conftest import an_organisation
from tests.registers.conftest import (
    ASKED,
    BRANCH,
    a_branch,
    a_deep_namespace,
    a_request,
    delegated,
)
from tests.support.browser import post_form, signed_in
from tests.support.factories import a_person

KEW = "/namespaces/example-trees/subnamespaces/?prefix=kew"


@pytest.fixture
def namespace(holder: User) -> Namespace:
    return a_deep_namespace(registrant=holder)


@pytest.fixture
def kew(register: Register, holder: User) -> Entry:
    return register_entry(register, by=holder, label="kew", title="Kew Gardens")


@pytest.fixture
def branch(kew: Entry, holder: User, other: User) -> Register:
    """That of another organisation, to which the entry was delegated."""
    gardens = an_organisation(by=other, name="Royal Gardens")
    return a_branch(delegated(kew, by=holder, to=other, organisation=gardens), by=other)


def test_an_entry_is_offered_accepted_and_gets_a_register_in_the_browser(
    kew: Entry, holder: User, other: User, client: Client
) -> None:
    giver, taker = signed_in(holder), signed_in(other)
    at = f"/namespaces/example-trees/entries/{kew.pk}/"
    assert client.get(at)["Location"] == kew.get_absolute_url()
    assert "the holder of the register" in client.get(KEW).text
    assert f'href="{at}offer/"' in giver.get(KEW).text
    assert f'href="{at}offer/"' not in taker.get(KEW).text
    assert "has the entry with all names below it" in giver.get(f"{at}offer/").text
    sent = post_form(giver, f"{at}offer/", {"to": other.email})
    offer = EntryOffer.objects.get()
    assert sent["Location"] == offer.get_absolute_url()
    assert "Your turn" in taker.get("/mine/").text
    assert f'href="{offer.get_absolute_url()}"' in taker.get("/mine/").text
    assert "Offered to other@example.org" in giver.get(offer.get_absolute_url()).text
    assert f'href="{offer.get_absolute_url()}"' in taker.get(KEW).text
    assert "Holder offers you this entry" in taker.get(offer.get_absolute_url()).text
    assert signed_in(a_person(email="x@example.org")).get(offer.get_absolute_url()).status_code == 404
    gardens = an_organisation(by=other, name="Royal Gardens")
    answer = {"decision": "accept", "organisation": gardens.pk}
    assert post_form(taker, offer.get_absolute_url(), answer).status_code == 302
    assert f'<a href="{gardens.get_absolute_url()}">Royal Gardens</a>' in client.get(KEW).text
    assert client.get(gardens.get_absolute_url()).status_code == 200
    assert f'href="{at}open/"' in taker.get(KEW).text
    page = taker.get(f"{at}open/")
    assert "urn:example-trees:kew:" in page.text
    assert "RFC 8126, Section 4.4" in page.text
    assert post_form(taker, f"{at}open/", BRANCH)["Location"] == f"{at}register/"
    shown = client.get(f"{at}register/")
    assert BRANCH["title"] in shown.text
    assert "urn:example-trees:kew:" in shown.text
    assert "Royal Gardens" in shown.text
    assert f'href="{at}register/"' in client.get(KEW).text
    history = client.get("/namespaces/example-trees/").text
    for line in ("Entry kew accepted by another holder", "Register opened below kew"):
        assert line in history
    assert other.email not in history


def test_people_who_hold_entries_are_named_to_themselves_and_the_holder_of_the_register(
    register: Register, holder: User, requester: User, other: User, client: Client
) -> None:
    requester.name = "Rosa Requester"
    requester.save(update_fields=["name"])
    a_request(register, by=requester)
    section = re.compile(r"<dt>Held by</dt>\s*<dd>(.*?)</dd>")
    seen = {
        "stranger": client.get(KEW).text,
        "other": signed_in(other).get(KEW).text,
        "requester": signed_in(requester).get(KEW).text,
        "holder": signed_in(holder).get(KEW).text,
    }
    assert {who: section.findall(page) for who, page in seen.items()} == {
        "stranger": ["a person"],
        "other": ["a person"],
        "requester": ["you"],
        "holder": ["Rosa Requester"],
    }


def test_tables_say_who_holds_each_entry(
    branch: Register, register: Register, holder: User, requester: User, client: Client
) -> None:
    register_entry(register, by=holder, label="elm", title="Elm Park")
    a_request(register, by=requester, label="oak")
    cell = re.compile(r'prefix=(\w+)"(?s:.)*?<td data-label="Holder">(.*?)</td>')
    held = {"kew": "Royal Gardens", "elm": "the holder of the register", "oak": "a person"}
    for page in (register.get_absolute_url(), "/namespaces/example-trees/subnamespaces/"):
        assert dict(cell.findall(client.get(page).text)) == held


def test_the_page_of_an_entry_says_once_who_holds_it(
    kew: Entry, register: Register, requester: User, client: Client
) -> None:
    a_request(register, by=requester, label="oak")
    for page in (KEW, KEW.replace("kew", "oak")):
        shown = signed_in(requester).get(page).text
        assert "<dt>Held by</dt>" in shown
        assert "<dt>Holder</dt>" not in shown
        assert "not stated" not in shown


def test_the_page_of_an_entry_reads_once_who_holds_it(branch: Register, other: User) -> None:
    browser = signed_in(other)
    with CaptureQueriesContext(connection) as queries:
        assert "Offer this entry" in browser.get(KEW).text
    asked = (
        'SELECT "organisations_membership"',
        'FROM "accounts_user" WHERE "accounts_user"."id" IN (SELECT',
    )
    members = [each["sql"] for each in queries if any(part in each["sql"] for part in asked)]
    assert len(members) == 1


def test_the_pages_of_a_register_below_an_entry_are_those_of_any_register(
    branch: Register, other: User, requester: User, client: Client
) -> None:
    at = branch.get_absolute_url()
    owner, asking = signed_in(other), signed_in(requester)
    for page in ("change/", "entries/", "reviewers/"):
        assert owner.get(f"{at}{page}").status_code == 200
        assert asking.get(f"{at}{page}").status_code == 404
    assert f'href="{at}request/"' in asking.get(at).text
    assert "What stands after urn:example-trees:kew: in the names" in asking.get(f"{at}request/").text
    asked = ASKED | {"label": "rose"}
    request_page = post_form(asking, f"{at}request/", asked)["Location"]
    request = EntryRequest.objects.get()
    assert request_page == request.get_absolute_url() == f"{at}requests/{request.pk}/"
    assert "urn:example-trees:kew:rose" in asking.get(request_page).text
    assert 'value="rose"' in asking.get(f"{request_page}revise/").text
    assert f'href="{request_page}"' in owner.get("/mine/").text
    # Not at the address of the register around it.
    assert owner.get(f"/namespaces/example-trees/register/requests/{request.pk}/").status_code == 404
    assert post_form(owner, f"{request_page}accept/", {"revision": 1}).status_code == 302
    assert SubNamespace.objects.filter(prefix="kew:rose").exists()
    change_register(branch, by=other, policy="closed", title="Trees", replaces=1)
    assert BRANCH["title"] in client.get(f"{at}versions/").text
    page = post_form(owner, f"{at}reviewers/", {"decision": "name", "email": "x@example.org"})
    assert "No member of the organisation" in page.text


def test_a_register_below_an_entry_can_be_empty_or_suspended(branch: Register, client: Client) -> None:
    at = branch.get_absolute_url()
    assert "Nothing is registered yet." in client.get(at).text
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    suspend_register(branch, by=administrator, reason="Order 17.")
    assert "Order 17." in client.get(at).text
    assert "suspended" in client.get(KEW).text


def test_there_is_no_register_below_an_entry_without_one(kew: Entry, client: Client) -> None:
    for path in (f"entries/{kew.pk}/register/", f"entries/{kew.pk + 1000}/", "entries/0/register/"):
        assert client.get(f"/namespaces/example-trees/{path}").status_code == 404


def test_an_address_with_capitals_leads_to_that_in_lower_case(branch: Register, client: Client) -> None:
    at = branch.get_absolute_url()
    assert client.get(at.replace("example-trees", "Example-Trees"))["Location"] == at


def test_a_page_of_entries_takes_the_same_queries_for_many_offers(
    register: Register, holder: User, other: User
) -> None:
    browser, counts = signed_in(other), []
    browser.get("/mine/")
    for label in ("ash", "birch", "cedar"):
        entry = register_entry(register, by=holder, label=label, title=label)
        offer_entry(entry, by=holder, to=other.email)
        with CaptureQueriesContext(connection) as queries:
            assert f"urn:example-trees:{label}" in browser.get("/mine/").text
        counts.append(len(queries))
    assert counts[1] == counts[2]


def test_my_page_has_the_entries_that_one_holds_with_the_registers_below_them(
    branch: Register, other: User, requester: User
) -> None:
    a_request(branch, by=requester, label="rose")
    page = signed_in(other).get("/mine/").text
    assert "My entries of registers" in page
    assert f'href="{branch.get_absolute_url()}"' in page
    assert "My entries of registers" not in signed_in(requester).get("/mine/").text


def test_offers_are_read_by_both_sides_and_are_not_in_the_public_history(
    kew: Entry, holder: User, other: User, client: Client
) -> None:
    offer = offer_entry(kew, by=holder, to=other.email, reason="You know the trees.")
    for reader in (holder, other):
        shown = signed_in(reader).get(offer.get_absolute_url()).text
        assert "Entry kew offered to another holder" in shown
        assert "You know the trees." in shown
    decline_entry(offer, by=other, reason="Too much to do.")
    assert "Too much to do." in signed_in(holder).get(offer.get_absolute_url()).text
    withdraw_offer(offer_entry(kew, by=holder, to=other.email), by=holder)
    history = client.get("/namespaces/example-trees/").text
    assert "Entry kew registered" in history
    assert "offered to another holder" not in history
    assert "Offer of entry" not in history
    events = client.get(f"{V1}events/?nid=example-trees").json()["results"]
    assert not {each.get("verb") for each in events} & {"offer_entry", "decline_entry", "withdraw_offer"}
