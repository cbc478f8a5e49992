"""Contacts of entries: whose they are, who reads them, and how they change."""

from importlib import import_module

import pytest
from django.db import connection
from django.test import Client

from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event
from registry.core.validators import InvalidAddress
from registry.mail.models import Message
from registry.registers import subjects
from registry.registers.actions.changes import revise_change
from registry.registers.actions.fields import declare_fields
from registry.registers.actions.registers import register_entry
from registry.registers.actions.requests import accept_request
from registry.registers.models import Entry, EntryRequest, Register
from registry.subnamespaces.importing import latest_version
from tests.registers.conftest import ASKED, a_request, delegated
from tests.registers.test_changes import PAGES, asked, change, entry_of, kew, reviewed, under
from tests.support.browser import post_form, signed_in
from tests.support.factories import a_person

__all__ = ["asked", "kew", "reviewed"]

CONTACT = "keeper@example.org"


def test_the_contact_of_a_request_is_that_of_its_entry(
    kew: Entry, reviewed: Register, requester: User, holder: User
) -> None:
    assert kew.contact == ASKED["contact"]
    under("first_come", holder)
    a_request(reviewed, by=requester, label="elm")
    assert entry_of("elm").contact == ASKED["contact"]
    assert register_entry(reviewed, by=holder, label="fir", title="Fir").contact == ""
    page = signed_in(holder).get(entry_of("fir").get_absolute_url()).text
    assert '<dd class="address"><span class="muted">none</span></dd>' in page


def test_a_refused_change_shows_the_contact_and_the_values_of_now(
    register: Register, requester: User, holder: User
) -> None:
    declare_fields(register, by=holder, fields=[{"label": "Season"}], replaces=1)
    a_request(register, by=requester, fields={"season": "Summer"})
    entry = entry_of("kew")
    address = f"{PAGES}entries/{entry.pk}/change/"
    sent = {
        "title": "",
        "status": "active",
        "contact": CONTACT,
        "field_season": "Winter",
        "replaces": 1,
        "register_version": 2,
    }
    answer = post_form(signed_in(requester), address, sent)
    assert answer.status_code == 422
    now = answer.text.partition('id="now"')[2].partition("</section>")[0]
    for said in ("Season", "Summer", ASKED["contact"]):
        assert said in now


@pytest.mark.parametrize("policy", ["first_come", "expert_review"])
def test_the_contact_alone_is_changed_at_once_and_is_not_public(
    kew: Entry, holder: User, requester: User, client: Client, policy: str
) -> None:
    if policy == "first_come":
        under(policy, holder)
    version = latest_version(kew.register.namespace)
    made = change("kew", by=requester, title=ASKED["title"], contact=CONTACT)
    assert (made.state, made.contact, entry_of("kew").contact) == ("accepted", CONTACT, CONTACT)
    assert latest_version(kew.register.namespace) == version
    event = Event.objects.latest("number")
    assert (event.verb, event.details) == ("change_contact_of_entry", {"entry": "kew", "request": made.pk})
    (mail,) = Message.objects.filter(name="change_contact_of_entry")
    assert mail.to == holder.email
    page = entry_of("kew").get_absolute_url()
    for reader, reads in ((signed_in(holder), True), (signed_in(requester), True), (client, False)):
        assert (CONTACT in reader.get(page).text) == reads
        assert "Changed the contact" not in reader.get("/namespaces/example-trees/").text
    assert "change_contact_of_entry" not in client.get("/api/v1/namespaces/example-trees/events/").text


def test_a_contact_that_waits_is_set_by_the_acceptance(
    asked: EntryRequest, holder: User, requester: User
) -> None:
    read = {"register_version": 1, "replaces": 1, "revision": 1}
    revise_change(asked, by=requester, title="Kew", status="active", contact=CONTACT, **read)
    assert entry_of("kew").contact == ASKED["contact"]
    for reader in (holder, requester):
        page = signed_in(reader).get(asked.get_absolute_url()).text
        assert f"Contact: <del>{ASKED['contact']}</del> <ins>{CONTACT}</ins>" in page
    administrator = (
        signed_in(a_person(email="admin@example.org", roles=(RoleName.ADMINISTRATOR,)))
        .get(asked.get_absolute_url())
        .text
    )
    assert CONTACT in administrator
    assert ASKED["contact"] not in administrator
    accept_request(asked, by=holder, revision=2)
    assert entry_of("kew").contact == CONTACT


def test_a_change_without_a_contact_keeps_it(kew: Entry, holder: User, requester: User) -> None:
    under("first_come", holder)
    assert change("kew", by=requester).contact == ASKED["contact"] == entry_of("kew").contact
    with pytest.raises(subjects.InvalidChange):
        change("kew", by=requester, contact=ASKED["contact"])
    with pytest.raises(InvalidAddress):
        change("kew", by=requester, contact="nobody")


def test_a_new_holder_does_not_read_the_contact_of_the_one_before(
    kew: Entry, requester: User, other: User
) -> None:
    assert delegated(kew, by=requester, to=other).contact == ""
    assert ASKED["contact"] not in signed_in(other).get(entry_of("kew").get_absolute_url()).text


def test_entries_of_before_have_the_contacts_of_their_requests(
    kew: Entry, reviewed: Register, requester: User, holder: User, other: User
) -> None:
    accept_request(a_request(reviewed, by=requester, label="elm"), by=holder, revision=1)
    delegated(entry_of("elm"), by=requester, to=other)
    register_entry(reviewed, by=holder, label="fir", title="Fir")
    Entry.objects.update(contact="")
    migration = import_module("registry.registers.migrations.0011_fill_contacts_of_entries")
    with connection.cursor() as cursor:
        cursor.execute(migration.FROM_REQUESTS)
    contacts = Entry.objects.values_list("subnamespace__prefix", "contact")
    assert dict(contacts) == {"kew": ASKED["contact"], "elm": "", "fir": ""}
