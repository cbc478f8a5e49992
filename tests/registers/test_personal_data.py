"""What is erased of people who take part in registers, and what stays."""

from registry.accounts.closing import close_account
from registry.accounts.erasure import erase_person
from registry.accounts.export import data_about
from registry.accounts.models import User
from registry.accounts.personal_data import find_person
from registry.registers.actions.registers import name_reviewer
from registry.registers.models import Entry, EntryRequest, Register
from registry.subnamespaces.models import SubNamespace
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import a_described_namespace, a_register, a_request


def test_the_address_and_the_note_are_erased_and_the_entry_stays(register: Register, requester: User) -> None:
    a_request(register, by=requester, note="Call me.", contact=requester.email)
    exported = data_about(requester)
    assert exported["registers.EntryRequest"][0]["note"] == "Call me."
    assert exported["registers.Entry"][0]["contact"] == requester.email
    erasure = erase_person(find_person(requester.email), by=None, reason="They left.")
    request, entry = EntryRequest.objects.get(), Entry.objects.get()
    assert (request.contact, request.note, entry.contact) == ("", "", "")
    assert (request.requested_by, entry.person) == (requester, requester)
    assert SubNamespace.objects.get().prefix == "kew"
    assert "contacts of entries" in erasure.erased
    assert [each for each in erasure.remains if "unsent mails" not in each] == []


def test_a_closed_account_reviews_nothing(holder: User, other: User) -> None:
    arboretum = an_organisation(by=holder)
    register = a_register(a_described_namespace(registrant=arboretum), by=holder, policy="expert_review")
    join(arboretum, other, "contact", by=holder)
    name_reviewer(register, by=holder, email=other.email)
    close_account(other, by=None, reason="They left.")
    assert not register.reviewers.exists()
