"""Changes of entries: by policy and holder, their review, status and successor, and what a list of the register may change."""

import json
import re
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.closing import close_account
from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.core.exceptions import ConflictOfInterest, NotPermitted, RegistryError
from registry.core.validators import TextMissing
from registry.mail.models import Message
from registry.namespaces.models import Namespace
from registry.organisations.actions.members import end_membership
from registry.registers import subjects
from registry.registers.actions.changes import change_entry, revise_change
from registry.registers.actions.entries import offer_entry, open_branch
from registry.registers.actions.fields import declare_fields
from registry.registers.actions.lists import write_entries
from registry.registers.actions.registers import change_register, name_reviewer, register_entry
from registry.registers.actions.requests import (
    accept_request,
    ask_for_changes,
    refuse_request,
    revise_request,
    withdraw_request,
)
from registry.registers.lists import EntriesRefused
from registry.registers.models import Entry, EntryRequest, Register
from registry.subnamespaces.importing import latest_version
from registry.subnamespaces.models import ReplacedSubNamespace, SubNamespace
from tests.api.client import V1, TokenClient
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import (
    ASKED,
    a_deep_namespace,
    a_described_namespace,
    a_register,
    a_request,
    delegated,
)
from tests.registers.test_entries import import_list
from tests.support.browser import post_form, signed_in
from tests.support.factories import a_person

READ = {"register_version": 1, "replaces": 1}  # the hidden fields of a form
PAGES = "/namespaces/example-trees/"


def entry_of(label: str) -> Entry:
    """The entry as it is now."""
    return Entry.objects.get(subnamespace__prefix=label)


def change(label: str, *, by: User, **more: Any) -> EntryRequest:
    """A change of an entry that was read as it is: another title."""
    entry = entry_of(label)
    read = {"register_version": entry.register.version, "replaces": entry.subnamespace.version}
    made: EntryRequest = change_entry(
        entry, by=by, **{"title": "Kew Gardens, London", "status": "active", **read, **more}
    )
    return made


def content_of(label: str) -> dict[str, Any]:
    content: dict[str, Any] = entry_of(label).subnamespace.content
    return content


@pytest.fixture
def reviewed(namespace: Namespace, holder: User) -> Register:
    return a_register(namespace, by=holder, policy="expert_review")


@pytest.fixture
def kew(reviewed: Register, holder: User, requester: User) -> Entry:
    """An entry under expert review that the requester holds."""
    accept_request(a_request(reviewed, by=requester), by=holder, revision=1)
    return entry_of("kew")


@pytest.fixture
def asked(kew: Entry, requester: User) -> EntryRequest:
    """A change of it that waits."""
    return change("kew", by=requester)


def under(policy: str, by: User) -> None:
    register = Register.objects.get()
    change_register(register, by=by, policy=policy, title=register.title, replaces=register.version)


def test_an_entry_first_come_first_served_is_changed_at_once(
    register: Register, holder: User, requester: User
) -> None:
    a_request(register, by=requester)
    made = change("kew", by=requester, reference="RFC 8141")
    assert (made.state, made.decided_by, made.requested_by) == ("accepted", None, requester)
    assert (content_of("kew")["title"], content_of("kew")["reference"]) == ("Kew Gardens, London", "RFC 8141")
    event = Event.objects.latest("number")
    assert (event.verb, event.actor) == ("change_entry", requester)
    assert event.details == {"entry": "kew", "version": 2, "request": made.pk}
    assert [mail.to for mail in Message.objects.filter(name="change_entry")] == [holder.email]
    assert ReplacedSubNamespace.objects.get().content["title"] == ASKED["title"]


@pytest.mark.parametrize("policy", ["hierarchical", "expert_review", "specification", "closed"])
def test_a_change_is_requested_under_other_policies(
    policy: str, kew: Entry, holder: User, requester: User
) -> None:
    if policy != "expert_review":
        under(policy, holder)
    made = change("kew", by=requester)
    assert made.state == "open"
    assert content_of("kew")["title"] == ASKED["title"]
    assert Event.objects.latest("number").verb == "request_change"
    accept_request(made, by=holder, revision=1)
    assert content_of("kew")["title"] == "Kew Gardens, London"
    event = Event.objects.latest("number")
    assert (event.verb, event.actor, event.details["entry"]) == ("accept_change", holder, "kew")
    assert entry_of("kew").person == requester


def test_the_holder_of_the_register_changes_own_entries_at_once(reviewed: Register, holder: User) -> None:
    register_entry(reviewed, by=holder, label="elm", title="Elm")
    under("closed", holder)
    assert change("elm", by=holder).state == "accepted"


def test_under_private_use_no_entry_is_changed(reviewed: Register, holder: User) -> None:
    register_entry(reviewed, by=holder, label="elm", title="Elm")
    under("private", holder)
    with pytest.raises(subjects.PolicyForbids, match="private use"):
        change("elm", by=holder)


def test_only_the_holder_changes_an_entry(kew: Entry, holder: User, other: User) -> None:
    for person in (holder, other):
        with pytest.raises(NotPermitted):
            change("kew", by=person)


@pytest.mark.parametrize("of_organisation", [False, True], ids=["person", "organisation"])
def test_the_holder_of_the_register_only_offers_what_no_one_can_act_for(
    kew: Entry, holder: User, requester: User, other: User, of_organisation: bool
) -> None:
    """The account of the holder of the entry was closed: it stays theirs, and is neither changed nor retired by others."""
    delegated(
        kew, by=requester, to=other, organisation=an_organisation(by=other) if of_organisation else None
    )
    close_account(other, by=None, reason="The person left.")
    kew = entry_of("kew")
    assert not kew.is_assigned
    for status in ("active", "retired"):
        with pytest.raises(NotPermitted):
            change("kew", by=holder, status=status)
    assert "/change/" not in signed_in(holder).get(kew.get_absolute_url()).text
    line = {"document": '{"label": "kew", "title": "Kew"}', "list_format": "jsonl"}
    with pytest.raises(EntriesRefused, match="is held by"):
        write_entries(kew.register, by=holder, **line, replaces=1)
    assert offer_entry(kew, by=holder, to="heir@example.org").is_waiting


def test_a_change_is_of_what_was_read(register: Register, holder: User, requester: User) -> None:
    a_request(register, by=requester)
    change("kew", by=requester)
    with pytest.raises(subjects.StaleEntry):
        change("kew", by=requester, title="Another", replaces=1)
    with pytest.raises(subjects.StaleRegister):
        change("kew", by=requester, title="Another", register_version=2)
    with pytest.raises(subjects.InvalidChange, match="says all of this already"):
        change("kew", by=requester)


def test_an_entry_has_one_change_that_waits(asked: EntryRequest, requester: User) -> None:
    with pytest.raises(subjects.ChangeWaits):
        change("kew", by=requester, title="Another")
    withdraw_request(asked, by=requester)
    assert change("kew", by=requester, title="Another").state == "open"


def test_a_change_is_not_accepted_after_the_entry_changed(
    asked: EntryRequest, reviewed: Register, holder: User, requester: User
) -> None:
    import_list(reviewed.namespace, "kew", replaces=latest_version(reviewed.namespace))
    with pytest.raises(subjects.StaleEntry, match="was changed after it was read"):
        accept_request(asked, by=holder, revision=1)
    again = {"title": "Kew Gardens, London", "status": "active", "register_version": 1}
    revise_change(asked, by=requester, **again, replaces=entry_of("kew").subnamespace.version, revision=1)
    accept_request(asked, by=holder, revision=2)
    assert content_of("kew")["title"] == "Kew Gardens, London"


def test_a_change_ends_with_the_holder_who_requested_it(
    asked: EntryRequest, holder: User, requester: User, other: User
) -> None:
    delegated(entry_of("kew"), by=requester, to=other)
    asked.refresh_from_db()
    assert asked.state == "withdrawn"
    assert list(Event.objects.order_by("-number").values_list("verb", flat=True)[:2]) == [
        "accept_entry",
        "withdraw_request",
    ]
    with pytest.raises(NotPermitted):
        subjects.get_request(other, asked.register, asked.pk)
    assert change("kew", by=other, title="Another").state == "open"


@pytest.fixture
def of_organisation(kew: Entry, requester: User, other: User) -> EntryRequest:
    """A change that waits of an entry of an organisation, by a representative; another one is its founder."""
    gardens = an_organisation(by=other, name="Royal Gardens")
    join(gardens, requester, "representative", by=other)
    join(gardens, a_person(email="contact@example.org"), "contact", by=other)
    delegated(kew, by=requester, to=other, organisation=gardens)
    return change("kew", by=requester)


def test_who_holds_the_entry_withdraws_a_change_of_it(of_organisation: EntryRequest, other: User) -> None:
    contact = User.objects.get(email="contact@example.org")
    with pytest.raises(NotPermitted):
        subjects.get_request(contact, of_organisation.register, of_organisation.pk)
    with pytest.raises(NotPermitted):
        withdraw_request(of_organisation, by=contact)
    browser = signed_in(other)
    assert of_organisation.get_absolute_url() in browser.get(entry_of("kew").get_absolute_url()).text
    answer = post_form(browser, of_organisation.get_absolute_url(), {"decision": "withdraw"}, follow=True)
    assert answer.request["PATH_INFO"] == entry_of("kew").get_absolute_url().partition("?")[0]
    assert "The request was withdrawn." in answer.text
    of_organisation.refresh_from_db()
    assert of_organisation.state == "withdrawn"
    assert Event.objects.latest("number").actor == other
    told = Message.objects.filter(name="withdraw_request").values_list("to", flat=True)
    reviewers = {each.email for each in subjects.reviewers_of(of_organisation)}
    assert set(told) == {of_organisation.requested_by.email, *reviewers}
    assert browser.get(of_organisation.get_absolute_url()).status_code == 404


def test_a_change_of_a_former_representative_ends(
    of_organisation: EntryRequest, holder: User, requester: User, other: User
) -> None:
    end_membership(requester.memberships.get(ended_at=None), by=other)
    with pytest.raises(subjects.StaleEntry, match="no longer holds the entry"):
        accept_request(of_organisation, by=holder, revision=1)
    again = {"title": "Kew", "status": "active", "register_version": 1, "replaces": 1, "revision": 1}
    with pytest.raises(subjects.StaleEntry, match="no longer hold the entry"):
        revise_change(of_organisation, by=requester, **again)
    assert change("kew", by=other, title="Another").state == "open"
    of_organisation.refresh_from_db()
    assert of_organisation.state == "withdrawn"


def test_a_change_is_discussed_and_decided_like_a_new_entry(
    asked: EntryRequest, holder: User, requester: User
) -> None:
    ask_for_changes(asked, by=holder, text="Which town?", revision=1)
    given = {"status": "active", "register_version": 1, "replaces": 1}
    with pytest.raises(subjects.StaleRequest):
        revise_change(asked, by=requester, title="Kew, Surrey", **given, revision=1)
    revised = revise_change(asked, by=requester, title="Kew, Surrey", **given, revision=2)
    assert (revised.title, revised.version, revised.state) == ("Kew, Surrey", 3, "open")
    refuse_request(asked, by=holder, reason="It is in London.", revision=3)
    assert content_of("kew")["title"] == ASKED["title"]


def test_each_kind_of_request_is_changed_in_its_own_way(asked: EntryRequest, requester: User) -> None:
    with pytest.raises(NotPermitted):
        revise_request(asked, by=requester, **ASKED, revision=1)
    new = a_request(asked.register, by=requester, label="elm")
    with pytest.raises(NotPermitted):
        revise_change(
            new, by=requester, title="Elm", status="active", register_version=1, replaces=1, revision=1
        )


def test_no_one_accepts_their_own_change(namespace: Namespace, holder: User, requester: User) -> None:
    reviewed = a_register(namespace, by=holder, policy="expert_review")
    accept_request(a_request(reviewed, by=requester), by=holder, revision=1)
    made = change("kew", by=requester)
    with pytest.raises(NotPermitted):
        accept_request(made, by=requester, revision=1)
    with pytest.raises(IntegrityError, match="requester_does_not_decide"), transaction.atomic():
        EntryRequest.objects.filter(pk=made.pk).update(
            state="accepted", decided_at="2026-01-31T00:00:00Z", decided_by=requester
        )


def test_a_reviewer_does_not_decide_on_an_own_change(holder: User, requester: User) -> None:
    arboretum = an_organisation(by=holder)
    join(arboretum, requester, "contact", by=holder)
    register = a_register(a_described_namespace(registrant=arboretum), by=holder, policy="expert_review")
    name_reviewer(register, by=holder, email=requester.email)
    accept_request(a_request(register, by=requester), by=holder, revision=1)
    with pytest.raises(ConflictOfInterest, match="your own request"):
        accept_request(change("kew", by=requester), by=requester, revision=1)


def successor_statuses(label: str) -> set[str | None]:
    """What the API says of the successor of an entry: the entry, the list of entries, and a checked name."""
    of_namespace = f"{V1}namespaces/example-trees/entries/"
    entry = Client().get(f"{of_namespace}{entry_of(label).pk}/").json()
    (listed,) = Client().get(f"{of_namespace}?prefix={label}").json()["results"]
    checked = Client().get(f"{V1}urns/urn:example-trees:{label}:1").json()
    (found,) = checked["judgement"]["subnamespaces"]
    return {each["successor_status"] for each in (entry, listed, found)}


def test_an_entry_is_deprecated_with_a_successor_and_used_again(register: Register, holder: User) -> None:
    for label in ("kew", "elm"):
        register_entry(register, by=holder, label=label, title=label)
    change("kew", by=holder, status="deprecated", successor="elm")
    assert (content_of("kew")["status"], content_of("kew")["successor"]) == ("deprecated", "elm")
    assert Event.objects.latest("number").details["status"] == "deprecated"
    page = entry_of("kew").get_absolute_url()
    assert "which is" not in Client().get(page).text
    assert successor_statuses("kew") == {"active"}
    assert ":elm</span>." in Client().get("/urns/?urn=urn:example-trees:kew:1").text
    change("elm", by=holder, status="retired")
    assert ">elm</a>, which is retired now." in Client().get(page).text
    assert ":elm</span>, which is retired now." in Client().get("/urns/?urn=urn:example-trees:kew:1").text
    assert successor_statuses("kew") == {"retired"}
    assert successor_statuses("elm") == {None}
    change("kew", by=holder, status="active", title="Kew")
    assert not {"status", "successor"} & content_of("kew").keys()


@pytest.mark.parametrize(
    ("status", "successor", "said"),
    [
        ("active", "elm", "An active entry has no successor"),
        ("deprecated", "oak", "“oak” is no entry of the register"),
        ("deprecated", "a b", "is no entry of the register"),
        ("deprecated", "kew", "not its own successor"),
        ("deprecated", "fir", "“fir” is deprecated"),
    ],
)
def test_a_successor_is_another_active_entry(
    register: Register, holder: User, status: str, successor: str, said: str
) -> None:
    for label in ("kew", "elm", "fir"):
        register_entry(register, by=holder, label=label, title=label)
    change("fir", by=holder, status="deprecated")
    with pytest.raises(subjects.InvalidChange, match=said) as found:
        change("kew", by=holder, status=status, successor=successor)
    assert found.value.argument == "successor"


def test_retirement_is_final(register: Register, holder: User) -> None:
    register_entry(register, by=holder, label="kew", title="Kew")
    change("kew", by=holder, status="retired")
    assert content_of("kew")["status"] == "retired"
    with pytest.raises(subjects.RegisterEnded, match="is retired"):
        change("kew", by=holder, status="active")
    with pytest.raises(subjects.EntryTaken):
        register_entry(register, by=holder, label="kew", title="Kew")


def test_what_others_hold_below_an_entry_is_not_retired_with_it(holder: User, requester: User) -> None:
    register = a_register(a_deep_namespace(registrant=holder), by=holder)
    kew = register_entry(register, by=holder, label="kew", title="Kew")
    deep = open_branch(kew, by=holder, policy="first_come", title="Trees")
    a_request(deep, by=requester, label="rose")
    with pytest.raises(subjects.InvalidChange, match="is not retired") as found:
        change("kew", by=holder, status="retired")
    assert found.value.argument == "status"
    assert change("kew", by=holder, status="deprecated").state == "accepted"


def test_what_is_stored_is_not_judged_again(kew: Entry, holder: User, requester: User) -> None:
    """A specification and values that are needed now are only needed if they change."""
    under("specification", holder)
    declare_fields(
        Register.objects.get(), by=holder, fields=[{"label": "Trees", "required": True}], replaces=2
    )
    made = change("kew", by=requester, status="deprecated")
    accept_request(made, by=holder, revision=1)
    assert content_of("kew")["status"] == "deprecated"
    change("kew", by=requester, reference="RFC 8141", fields={"trees": "Oaks"})
    accept_request(EntryRequest.objects.latest("pk"), by=holder, revision=1)
    assert (content_of("kew")["reference"], content_of("kew")["fields"]) == ("RFC 8141", {"trees": "Oaks"})
    with pytest.raises(TextMissing):
        change("kew", by=requester, reference="", fields={"trees": "Oaks"})


def test_values_of_removed_fields_stay(register: Register, holder: User) -> None:
    declare_fields(register, by=holder, fields=[{"label": "Trees"}], replaces=1)
    register_entry(register, by=holder, label="kew", title="Kew", fields={"trees": "Oaks"})
    declare_fields(register, by=holder, fields=[{"label": "Town"}], replaces=2)
    change("kew", by=holder, fields={"town": "London"})
    assert content_of("kew")["fields"] == {"trees": "Oaks", "town": "London"}


def test_an_entry_that_stands_further_below_is_changed_by_an_import(holder: User) -> None:
    register = a_register(a_deep_namespace(registrant=holder), by=holder)
    import_list(register.namespace, "beech:east")
    with pytest.raises(subjects.InvalidChange, match="stands further below"):
        change("beech:east", by=holder)


def test_a_change_of_one_of_two_entries_that_look_alike(
    register: Register, holder: User, other: User
) -> None:
    """Both were imported, so one has no skeleton. Each has its own change."""
    import_list(register.namespace, "lima", "1ima")
    under("expert_review", holder)
    for label in ("lima", "1ima"):
        delegated(entry_of(label), by=holder, to=other)
        assert change(label, by=other).state == "open"


def test_a_list_changes_only_what_the_holder_of_the_register_holds(
    register: Register, holder: User, requester: User
) -> None:
    a_request(register, by=requester)
    register_entry(register, by=holder, label="elm", title="Elm")

    def write(title: str) -> None:
        lines = [{"label": "kew", "title": title}, {"label": "elm", "title": "Elm Park"}]
        document = "\n".join(map(json.dumps, lines))
        write_entries(register, by=holder, document=document, list_format="jsonl", replaces=2)

    with pytest.raises(EntriesRefused) as found:
        write("Kew")
    (said,) = found.value.failures
    assert said.startswith("Line 1: “kew” is held by Requester: only its holder changes it")
    write(ASKED["title"])
    assert (content_of("kew")["title"], content_of("elm")["title"]) == (ASKED["title"], "Elm Park")


def test_the_pages_lead_from_the_entry_to_its_change(kew: Entry, holder: User, requester: User) -> None:
    browser, reviewer, page = signed_in(requester), signed_in(holder), kew.get_absolute_url()
    assert "Request a change" in browser.get(page).text
    assert "/change/" not in reviewer.get(page).text
    assert "/change/" not in Client().get(page).text
    address = f"{PAGES}entries/{kew.pk}/change/"
    form = browser.get(address).text
    assert 'value="Kew Gardens"' in form
    assert "decides on the change" in form
    sent = {
        "title": "Kew, London",
        "reference": "RFC 8141",
        "status": "deprecated",
        "successor": "",
        "note": "It moved.",
        **READ,
    }
    answer = post_form(browser, address, sent)
    at = answer["Location"]
    seen = reviewer.get(at).text
    assert "<del>Kew Gardens</del> <ins>Kew, London</ins>" in seen
    assert "Status: <del>active</del> <ins>deprecated</ins>" in seen
    assert 'Specification: <span class="muted">none</span> <ins>RFC 8141</ins>' in seen
    assert "Reference" not in seen
    assert "It moved." in seen
    assert "A change of the entry waits for a decision." in browser.get(page).text
    assert "/change/" not in browser.get(page).text
    post_form(browser, f"{at}revise-change/", sent | {"title": "Kew Park", "revision": 1})
    post_form(reviewer, f"{at}accept/", {"revision": 2})
    after = Client().get(page).text
    assert "Kew Park" in after
    assert "Do not use this sub-namespace for new names." in after
    assert "Set on" in after
    assert "Holder (version 2)" in after
    former = dict(re.findall(r"<dt>(\w+)</dt><dd>(.*?)</dd>", after.partition("Former contents")[2]))
    assert former == {
        "Title": "Kew Gardens",
        "Status": "active",
        "Specification": '<span class="muted">not stated</span>',
    }


def test_the_page_says_that_a_change_is_made_at_once(register: Register, requester: User) -> None:
    a_request(register, by=requester)
    browser, entry = signed_in(requester), entry_of("kew")
    assert "Change the entry" in browser.get(entry.get_absolute_url()).text
    address = f"{PAGES}entries/{entry.pk}/change/"
    assert 'name="note"' not in browser.get(address).text
    sent = {"title": "Kew Park", "reference": "", "status": "active", "successor": "elm", **READ}
    refused = post_form(browser, address, sent)
    assert "An active entry has no successor." in refused.text
    assert "The entry as it is now" in refused.text
    answer = post_form(browser, address, sent | {"successor": ""})
    assert answer["Location"] == entry.get_absolute_url()
    assert SubNamespace.objects.get().title == "Kew Park"


def test_a_program_changes_an_entry(client: Client, kew: Entry, holder: User, requester: User) -> None:
    at = f"namespaces/example-trees/entries/{kew.pk}/"
    read = client.get(V1 + at).json()
    assert (read["status"], read["successor"], read["reference"], read["version"]) == (
        "active",
        None,
        None,
        1,
    )
    body = {"title": "Kew Park", "status": "deprecated", "register_version": 1, "replaces": read["version"]}
    assert TokenClient(holder).post(f"{at}change/", body).status_code == 404
    made = TokenClient(requester).post(f"{at}change/", body)
    assert made.status_code == 201
    asked = made.json()
    assert (asked["entry"], asked["state"], asked["status"], asked["replaces"]) == (
        kew.pk,
        "open",
        "deprecated",
        1,
    )
    assert set(asked["actions"]) == {"comments", "withdraw", "revise-change"}
    path = f"namespaces/example-trees/register/requests/{asked['number']}/"
    assert TokenClient(holder).post(f"{path}accept/", {"revision": 1}).json()["state"] == "accepted"
    assert client.get(V1 + at).json()["status"] == "deprecated"
    verbs = [each["verb"] for each in client.get(f"{V1}namespaces/example-trees/events/").json()["results"]]
    assert "accept_change" in verbs
    assert "request_change" not in verbs


def test_a_list_of_changes_takes_the_same_queries_for_many(
    reviewed: Register, holder: User, requester: User
) -> None:
    program, counts = TokenClient(holder), []
    for label in ("ash", "birch", "cedar"):
        accept_request(a_request(reviewed, by=requester, label=label), by=holder, revision=1)
        change(label, by=requester)
        program.get("namespaces/example-trees/register/requests/")
        with CaptureQueriesContext(connection) as queries:
            program.get("namespaces/example-trees/register/requests/")
        counts.append(len(queries))
    assert counts[0] == counts[1] == counts[2]


def test_a_decided_change_stays_as_it_is(asked: EntryRequest, holder: User) -> None:
    accept_request(asked, by=holder, revision=1)
    for column in ({"status": "retired"}, {"successor": "elm", "status": "retired"}, {"replaces": 2}):
        with pytest.raises(IntegrityError), transaction.atomic():
            EntryRequest.objects.filter(pk=asked.pk).update(**column)
    with pytest.raises(IntegrityError), transaction.atomic():
        EntryRequest.objects.filter(pk=asked.pk).update(entry=None, replaces=None, status="")


def test_every_refusal_names_what_to_do(asked: EntryRequest, requester: User) -> None:
    with pytest.raises(RegistryError) as found:
        change("kew", by=requester)
    assert str(found.value) == (
        "A change of “urn:example-trees:kew” waits for a decision. The person who requested it, or who holds the entry, "
        "can withdraw it."
    )


def test_a_change_ends_with_the_account(asked: EntryRequest, requester: User) -> None:
    close_account(requester, by=None, reason="The person left.")
    asked.refresh_from_db()
    assert asked.state == "withdrawn"


def test_other_people_see_no_change(asked: EntryRequest) -> None:
    stranger = signed_in(a_person(email="stranger@example.org"))
    assert stranger.get(asked.get_absolute_url()).status_code == 404
    assert "A change of the entry waits" not in stranger.get(entry_of("kew").get_absolute_url()).text
