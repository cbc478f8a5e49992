"""Mails about entries that are offered, and about registers below them: who is told what."""

from collections.abc import Callable

import pytest

from registry.accounts.erasure import erase_person
from registry.accounts.models import User
from registry.accounts.personal_data import find_person
from registry.mail.models import Message
from registry.registers.actions import entries
from registry.registers.actions.registers import register_entry
from registry.registers.models import Entry, EntryOffer
from tests.mail.messages import check_plain
from tests.organisations.conftest import an_organisation
from tests.registers.conftest import a_branch, a_deep_namespace, a_register
from tests.support.factories import a_person


class Cast:
    """The holder of a register, an heir to whom an entry is offered, and methods that lead to each mail."""

    def __init__(self, holder: User, heir: User) -> None:
        self.holder, self.heir = holder, heir

    def offer_entry(self) -> EntryOffer:
        register = a_register(a_deep_namespace(registrant=self.holder), by=self.holder)
        kew = register_entry(register, by=self.holder, label="kew", title="Kew Gardens")
        return entries.offer_entry(kew, by=self.holder, to=self.heir.email, reason="They water it.")

    def accept_entry(self) -> Entry:
        return entries.accept_entry(self.offer_entry(), by=self.heir).entry

    def accept_entry_for_organisation(self) -> None:
        gardens = an_organisation(by=self.heir, name="Royal Gardens")
        entries.accept_entry(self.offer_entry(), by=self.heir, organisation=gardens)

    def decline_entry(self) -> None:
        entries.decline_entry(self.offer_entry(), by=self.heir, reason="No time.")

    def withdraw_offer(self) -> None:
        entries.withdraw_offer(self.offer_entry(), by=self.holder)

    def open_branch(self) -> None:
        a_branch(self.accept_entry(), by=self.heir)

    def release_entry(self) -> None:
        self.accept_entry()
        erase_person(find_person(self.heir.email), by=None, reason="They left.")


# What leads to the mail | the mail | the recipients | the subject | texts in the body.
SAID: list[tuple[Callable[[Cast], object], str, str, str, list[str]]] = [
    (
        Cast.offer_entry,
        "offer_entry",
        "heir holder",
        "The entry urn:example-trees:kew is offered to another holder",
        ["“Holder” offered the entry “Kew Gardens”", "with all names below it", "Reason: They water it."],
    ),
    (
        Cast.accept_entry,
        "accept_entry",
        "heir holder",
        "The entry urn:example-trees:kew has a new holder",
        ["“Heir” accepted the entry “Kew Gardens”", "and now holds it with all names below it."],
    ),
    (
        Cast.accept_entry_for_organisation,
        "accept_entry",
        "heir holder",
        "The entry urn:example-trees:kew has a new holder",
        ["“Royal Gardens” now holds it with all names below it."],
    ),
    (
        Cast.decline_entry,
        "decline_entry",
        "heir holder",
        "The offer of the entry urn:example-trees:kew was declined",
        ["The holder does not change.", "Reason: No time."],
    ),
    (
        Cast.withdraw_offer,
        "withdraw_offer",
        "heir holder",
        "The offer of the entry urn:example-trees:kew was withdrawn",
        ["“Holder” withdrew the offer"],
    ),
    (
        Cast.open_branch,
        "open_branch",
        "heir holder",
        "A register was opened below urn:example-trees:kew",
        ["Its policy: expert review."],
    ),
    (
        Cast.release_entry,
        "release_entry",
        "holder",
        "The entry urn:example-trees:kew has no holder of its own now",
        ["The account of the holder of the entry urn:example-trees:kew was erased."],
    ),
]


@pytest.mark.parametrize(
    ("lead", "name", "readers", "subject", "phrases"), SAID, ids=[row[0].__name__ for row in SAID]
)
def test_those_concerned_are_told(
    holder: User,
    lead: Callable[[Cast], object],
    name: str,
    readers: str,
    subject: str,
    phrases: list[str],
) -> None:
    lead(Cast(holder, a_person(email="heir@example.org")))
    found = list(Message.objects.filter(name=name).order_by("to"))
    assert [mail.to.partition("@")[0] for mail in found] == readers.split()
    for mail in found:
        check_plain(mail)
        assert mail.subject == subject
        read = " ".join(mail.body.split())
        for phrase in phrases:
            assert phrase in read


def test_an_offer_to_an_address_without_an_account_is_mailed_to_no_stranger(holder: User) -> None:
    register = a_register(a_deep_namespace(registrant=holder), by=holder)
    kew = register_entry(register, by=holder, label="kew", title="Kew Gardens")
    entries.offer_entry(kew, by=holder, to="nobody@example.org")
    found = Message.objects.filter(name="offer_entry")
    assert {each.to for each in found if not each.needs_account} == {holder.email}
