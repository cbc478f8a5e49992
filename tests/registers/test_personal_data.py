"""What is erased of people who take part in registers, what ends with their accounts, and what stays."""

from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.closing import close_account
from registry.accounts.erasure import Erasure, erase_person
from registry.accounts.export import data_about
from registry.accounts.models import RoleName, User
from registry.accounts.personal_data import find_person
from registry.audit_log.models import Event
from registry.mail.models import Message
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from registry.registers import subjects
from registry.registers.actions.entries import offer_entry
from registry.registers.actions.registers import name_reviewer, register_entry
from registry.registers.actions.requests import accept_request, comment_on_request, refuse_request
from registry.registers.models import Entry, EntryRequest, Register
from registry.subnamespaces.models import SubNamespace
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import a_described_namespace, a_register, a_request, delegated
from tests.support.browser import signed_in
from tests.support.databases import at_once, refusals
from tests.support.factories import a_person, a_template, describe


@pytest.fixture
def reviewed(namespace: Namespace, holder: User) -> Register:
    return a_register(namespace, by=holder, policy="expert_review")


def erase(person: User) -> Erasure:
    return erase_person(find_person(person.email), by=None, reason="They left.")


def test_what_few_people_read_is_erased_and_the_entry_stays(register: Register, requester: User) -> None:
    a_request(register, by=requester, note="Call me.", contact=requester.email)
    exported = data_about(requester)
    assert exported["registers.EntryRequest"][0]["note"] == "Call me."
    erasure = erase(requester)
    request, entry = EntryRequest.objects.get(), Entry.objects.get()
    assert (request.contact, request.note, request.state) == ("", "", "accepted")
    # The entry goes back to the holder of the register.
    assert (request.requested_by, entry.person) == (requester, None)
    assert SubNamespace.objects.get().prefix == "kew"
    assert "texts of requests for entries" in erasure.erased
    assert [each for each in erasure.remains if "unsent mails" not in each] == []


def test_comments_are_erased_with_who_wrote_them(reviewed: Register, holder: User, requester: User) -> None:
    request = a_request(reviewed, by=requester)
    comment_on_request(request, by=requester, text="I am Rosa.")
    comment_on_request(request, by=holder, text="Welcome.")
    erase(requester)
    assert [each.text for each in request.comments.all()] == ["", "Welcome."]
    assert "erased" in signed_in(holder).get(request.get_absolute_url()).text


def test_a_contact_of_another_account_or_of_none_is_erased_by_the_address(
    reviewed: Register, holder: User, requester: User, other: User
) -> None:
    requests = [
        a_request(reviewed, by=requester, label=label, contact=contact)
        for label, contact in (
            ("ash", other.email.upper()),
            ("elm", "Gardener@example.org"),
            ("fir", holder.email),
        )
    ]
    erase(other)
    erase_person(find_person("gardener@example.org"), by=None, reason="They left.")
    for request in requests:
        request.refresh_from_db()
    assert [each.contact for each in requests] == ["", "", holder.email]
    entry = register_entry(reviewed, by=holder, label="oak", title="Oak")
    Entry.objects.filter(pk=entry.pk).update(contact="Keeper@example.org")
    erase_person(find_person("keeper@example.org"), by=None, reason="They left.")
    assert Entry.objects.get(pk=entry.pk).contact == ""
    assert {each.state for each in requests} == {"open"}


@pytest.mark.parametrize("end", ["close", "erase"])
def test_undecided_requests_end_with_the_account(
    reviewed: Register, holder: User, requester: User, other: User, end: str
) -> None:
    decided = refuse_request(a_request(reviewed, by=requester), by=holder, reason="No.", revision=1)
    waiting = a_request(reviewed, by=requester, label="oak")
    if end == "close":
        close_account(requester, by=None, reason="They left.")
    else:
        erase(requester)
    for request in (decided, waiting):
        request.refresh_from_db()
    assert (decided.state, waiting.state) == ("refused", "withdrawn")
    assert Event.objects.get(verb="withdraw_request").actor is None
    (mail,) = Message.objects.filter(name="withdraw_request")
    assert mail.to == holder.email
    assert "The account of the requester was closed." in mail.body
    assert a_request(reviewed, by=other, label="oak").state == "open"


@pytest.mark.exhaustive
@pytest.mark.slow
def test_an_account_is_closed_while_its_request_is_accepted(real_database: None) -> None:
    """Both lock the namespace before anything of it, so neither waits for the other."""
    holder, requester = a_person(email="holder@example.org"), a_person(email="requester@example.org")
    namespaces = [
        a_described_namespace(registrant=holder),
        describe(
            register_formal(
                a_template(namespace_identifier="example-oaks", syntax="Opaque."), registrant=requester
            ).namespace,
            unstated="Opaque.",
        ),
    ]
    registers = [
        a_register(namespace, by=person, policy="expert_review")
        for namespace, person in zip(namespaces, (holder, requester), strict=True)
    ]
    asked = a_request(registers[0], by=requester)
    a_request(registers[1], by=holder)
    answers = at_once(
        [
            partial(accept_request, asked, by=holder, revision=1),
            partial(close_account, requester, by=None, reason="They left."),
        ]
    )
    assert all(isinstance(each, subjects.RequestDecided) for each in refusals(answers))
    asked.refresh_from_db()
    assert asked.state in ("accepted", "withdrawn")


def test_closing_locks_the_namespaces_of_requests_before_the_first_event(reviewed: Register) -> None:
    """An event blocks all others: who accepts the request has locked the namespace, and waits for the log."""
    expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    a_request(reviewed, by=expert)
    with CaptureQueriesContext(connection) as queries:
        close_account(expert, by=None, reason="They left.")
    statements = [query["sql"] for query in queries]
    written = next(at for at, sql in enumerate(statements) if "audit_log_chainhead" in sql)
    locks = [sql for sql in statements[:written] if "FOR UPDATE" in sql and '"namespaces_namespace"' in sql]
    assert any("registers_entryrequest" in sql for sql in locks)


def test_a_closed_account_reviews_nothing(holder: User, other: User) -> None:
    arboretum = an_organisation(by=holder)
    register = a_register(a_described_namespace(registrant=arboretum), by=holder, policy="expert_review")
    join(arboretum, other, "contact", by=holder)
    name_reviewer(register, by=holder, email=other.email)
    close_account(other, by=None, reason="They left.")
    assert not register.reviewers.exists()


def test_offers_of_entries_end_with_the_account_and_lose_its_address(
    register: Register, holder: User, other: User
) -> None:
    kew, elm = (register_entry(register, by=holder, label=each, title=each) for each in ("kew", "elm"))
    received = offer_entry(kew, by=holder, to=other.email.upper())
    given = offer_entry(delegated(elm, by=holder, to=other), by=other, to="heir@example.org")
    assert data_about(other)["registers.EntryOffer"][0]["email"] == "heir@example.org"
    erasure = erase(other)
    for offer in (received, given):
        offer.refresh_from_db()
    assert (received.is_waiting, given.is_waiting) == (False, False)
    assert "@erased.invalid" in received.email
    assert "the account as holder of entries" in erasure.erased
    assert Entry.objects.get(pk=elm.pk).person is None
