"""Mails about registers and requests: each action is carried out, and who is told what."""

from collections.abc import Callable

import pytest

from registry.accounts.closing import close_account
from registry.accounts.models import RoleName, User
from registry.actions.declarations import nothing
from registry.mail.models import Message
from registry.registers.actions import changes, lists, registers, requests
from registry.registers.actions.fields import DECLARE_FIELDS, declare_fields
from registry.registers.actions.lists import WRITE_ENTRIES
from registry.registers.actions.registers import ACTIONS as ON_REGISTERS
from registry.registers.actions.requests import ACTIONS as ON_REQUESTS
from registry.registers.branches import set_holder
from registry.registers.models import Entry, EntryRequest, Register
from tests.mail.messages import check_plain
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import ASKED, a_described_namespace, a_register, a_request, delegated
from tests.support.factories import a_person


class Cast:
    """The people of a register of an organisation, and methods that lead to each mail."""

    def __init__(self, holder: User, requester: User, reviewer: User) -> None:
        self.holder, self.requester, self.reviewer = holder, requester, reviewer
        self.administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
        self.organisation = an_organisation(by=holder)
        join(self.organisation, reviewer, "contact", by=holder)

    def open_register(self, policy: str = "expert_review") -> Register:
        return a_register(a_described_namespace(registrant=self.organisation), by=self.holder, policy=policy)

    def change_register(self) -> Register:
        register = self.request_entry().register
        return registers.change_register(
            register, by=self.holder, policy="closed", title=register.title, replaces=1
        )

    def declare_fields(self) -> Register:
        register = self.request_entry().register
        changed: Register = declare_fields(register, by=self.holder, fields=[{"label": "Trees"}], replaces=1)
        return changed

    def suspend_register(self) -> Register:
        register = self.request_entry().register
        return registers.suspend_register(register, by=self.administrator, reason="Order 17.")

    def resume_register(self) -> None:
        registers.resume_register(self.suspend_register(), by=self.administrator, reason="It was lifted.")

    def name_reviewer(self) -> Register:
        register = self.open_register()
        registers.name_reviewer(register, by=self.holder, email=self.reviewer.email)
        return register

    def remove_reviewer(self) -> None:
        registers.remove_reviewer(self.name_reviewer(), by=self.holder, email=self.reviewer.email)

    def register_entry(self) -> None:
        join(self.organisation, self.requester, "representative", by=self.holder)
        registers.register_entry(self.open_register(), by=self.holder, label="kew", title="Kew Gardens")

    def write_entries(self) -> None:
        join(self.organisation, self.requester, "representative", by=self.holder)
        document = '{"label": "kew", "title": "Kew"}\n{"label": "elm", "title": "Elm"}'
        given = {"document": document, "list_format": "jsonl", "replaces": 0}
        lists.write_entries(self.open_register(), by=self.holder, **given)

    def register_entry_at_once(self) -> None:
        a_request(self.open_register("first_come"), by=self.requester)

    def request_entry(self) -> EntryRequest:
        return a_request(self.name_reviewer(), by=self.requester)

    def revise_request(self) -> None:
        changed = ASKED | {"label": "elm", "revision": 1}
        requests.revise_request(self.request_entry(), by=self.requester, **changed)

    def comment_on_request(self) -> None:
        requests.comment_on_request(self.request_entry(), by=self.requester, text="It is <old>.")

    def comment_on_request_as_reviewer(self) -> None:
        requests.comment_on_request(self.request_entry(), by=self.reviewer, text="How old?")

    def ask_for_changes(self) -> None:
        requests.ask_for_changes(self.request_entry(), by=self.reviewer, text="Where is it?", revision=1)

    def accept_request(self) -> None:
        requests.accept_request(self.request_entry(), by=self.reviewer, revision=1)

    def refuse_request(self) -> None:
        requests.refuse_request(self.request_entry(), by=self.reviewer, reason="There is none.", revision=1)

    def withdraw_request(self) -> None:
        requests.withdraw_request(self.request_entry(), by=self.requester)

    def change_entry(self) -> None:
        a_request(self.open_register("first_come"), by=self.requester)
        self._change(status="deprecated")

    def request_change(self) -> EntryRequest:
        self.accept_request()
        return self._change(title="Kew Park")

    def revise_change(self) -> None:
        given = {"title": "Kew", "status": "active", "register_version": 1, "replaces": 1, "revision": 1}
        changes.revise_change(self.request_change(), by=self.requester, **given)

    def accept_change(self) -> None:
        requests.accept_request(self.request_change(), by=self.reviewer, revision=1)

    def refuse_change(self) -> None:
        requests.refuse_request(self.request_change(), by=self.reviewer, reason="It is no park.", revision=1)

    def _change(self, **change: str) -> EntryRequest:
        given = {"title": ASKED["title"], "status": "active", "register_version": 1, "replaces": 1} | change
        made: EntryRequest = changes.change_entry(Entry.objects.get(), by=self.requester, **given)
        return made


# What leads to the mail | the mail | the recipients | the subject | texts in the body.
SAID: list[tuple[Callable[[Cast], object], str, str, str, list[str]]] = [
    (
        Cast.open_register,
        "open_register",
        "holder",
        "A register was opened below example-trees",
        ["Its policy: expert review.", "The page of the register is public"],
    ),
    (
        Cast.change_register,
        "change_register",
        "holder other requester",
        "The register of urn:example-trees was changed",
        ["Its policy: closed.", "What becomes of requests: Requests that wait can only be refused"],
    ),
    (
        Cast.declare_fields,
        "declare_fields",
        "holder other requester",
        "The fields of the register of urn:example-trees were changed",
        ["accepted only if it has what the register asks for now"],
    ),
    (
        Cast.suspend_register,
        "suspend_register",
        "holder other requester",
        "The register of urn:example-trees was suspended",
        ["It takes no requests, decisions and entries", "Reason: Order 17."],
    ),
    (
        Cast.resume_register,
        "resume_register",
        "holder other requester",
        "The register of urn:example-trees was resumed",
        ["Reason: It was lifted."],
    ),
    (
        Cast.name_reviewer,
        "name_reviewer",
        "holder other",
        "“Other” reviews the register of urn:example-trees",
        ["Reviewers decide on requests, as long as they are members of the organisation."],
    ),
    (
        Cast.remove_reviewer,
        "remove_reviewer",
        "holder other",
        "“Other” no longer reviews the register of urn:example-trees",
        ["“Holder” removed “Other” from the reviewers"],
    ),
    (
        Cast.register_entry,
        "register_entry",
        "requester",
        "urn:example-trees:kew was registered",
        ["“Holder” registered the entry urn:example-trees:kew", "It is public, and stays."],
    ),
    (
        Cast.write_entries,
        "write_entries",
        "requester",
        "Entries of the register of urn:example-trees were written",
        ["“Holder” wrote a list of entries in the register", "2 added, 0 changed. It is version 1"],
    ),
    (
        Cast.register_entry_at_once,
        "register_entry",
        "holder requester",
        "urn:example-trees:kew was registered",
        ["“Requester” registered the entry urn:example-trees:kew"],
    ),
    (
        Cast.request_entry,
        "request_entry",
        "holder other",
        "Request for urn:example-trees:kew",
        ["“Requester” requests the entry “Kew Gardens”", "accept it, refuse it, or ask for changes"],
    ),
    (
        Cast.revise_request,
        "revise_request",
        "holder other",
        "Request for urn:example-trees:elm was changed",
        ["“Requester” changed the request"],
    ),
    (
        Cast.comment_on_request,
        "comment_on_request",
        "holder other",
        "Comment on the request for urn:example-trees:kew",
        ["“Requester” commented on the request", "It is <old>."],
    ),
    (
        Cast.comment_on_request_as_reviewer,
        "comment_on_request",
        "requester",
        "Comment on the request for urn:example-trees:kew",
        ["“Other” commented on the request", "How old?"],
    ),
    (
        Cast.ask_for_changes,
        "ask_for_changes",
        "requester",
        "Please change the request for urn:example-trees:kew",
        ["What to change: Where is it?", "change the request, comment on it, or withdraw it"],
    ),
    (
        Cast.accept_request,
        "accept_request",
        "holder requester",
        "urn:example-trees:kew was registered",
        ["“Other” accepted the request", "It is registered, and public."],
    ),
    (
        Cast.refuse_request,
        "refuse_request",
        "requester",
        "The request for urn:example-trees:kew was refused",
        ["Reason: There is none.", "You can request another entry."],
    ),
    (
        Cast.withdraw_request,
        "withdraw_request",
        "holder other",
        "The request for urn:example-trees:kew was withdrawn",
        ["“Requester” withdrew the request"],
    ),
    (
        Cast.change_entry,
        "change_entry",
        "holder",
        "urn:example-trees:kew was changed",
        ["“Requester” changed the entry “Kew Gardens”", "Its status is deprecated now."],
    ),
    (
        Cast.request_change,
        "request_change",
        "holder other",
        "Request to change urn:example-trees:kew",
        ["“Requester” asks to change the entry “Kew Park”", "accept it, refuse it, or ask for changes"],
    ),
    (
        Cast.revise_change,
        "revise_change",
        "holder other",
        "Request to change urn:example-trees:kew was changed",
        ["“Requester” changed the request to change the entry “Kew”"],
    ),
    (
        Cast.accept_change,
        "accept_change",
        "holder requester",
        "urn:example-trees:kew was changed",
        ["“Other” accepted the change of the entry “Kew Park”", "what the entry said before stays public"],
    ),
    (
        Cast.refuse_change,
        "refuse_request",
        "requester",
        "The request for urn:example-trees:kew was refused",
        ["Reason: It is no park.", "You can request another change."],
    ),
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("lead", "name", "readers", "subject", "phrases"), SAID, ids=[row[0].__name__ for row in SAID]
)
def test_those_concerned_are_told(
    holder: User,
    requester: User,
    other: User,
    lead: Callable[[Cast], object],
    name: str,
    readers: str,
    subject: str,
    phrases: list[str],
) -> None:
    lead(Cast(holder, requester, other))
    found = list(Message.objects.filter(name=name).order_by("to"))
    assert [mail.to.partition("@")[0] for mail in found] == readers.split()
    for mail in found:
        check_plain(mail)
        assert mail.subject == subject
        assert "/namespaces/example-trees/register/" in mail.body
        read = " ".join(mail.body.split())
        for phrase in phrases:
            assert phrase in read


def test_every_action_sends_mail() -> None:
    actions = {*ON_REGISTERS.values(), *ON_REQUESTS.values(), DECLARE_FIELDS, WRITE_ENTRIES}
    actions |= {registers.OPEN_REGISTER, requests.REQUEST_ENTRY}
    actions |= {changes.CHANGE_ENTRY, changes.REVISE_CHANGE}
    names = {each.name for each in actions if each.notify is not nothing}
    names |= {changes.REQUEST_CHANGE.name, requests.ACCEPT_CHANGE.name}
    assert {row[1] for row in SAID} == names


def test_a_reviewer_gets_no_mail_about_a_request_of_their_own(
    holder: User, requester: User, other: User
) -> None:
    cast = Cast(holder, requester, other)
    request = a_request(cast.name_reviewer(), by=other)
    requests.withdraw_request(request, by=other)
    for name in ("request_entry", "withdraw_request"):
        assert [mail.to for mail in Message.objects.filter(name=name)] == [holder.email]


def sent(name: str) -> list[str]:
    return [mail.to.partition("@")[0] for mail in Message.objects.filter(name=name).order_by("to")]


def test_all_who_hold_an_entry_are_told_that_a_change_was_accepted(
    holder: User, requester: User, other: User
) -> None:
    cast = Cast(holder, requester, other)
    cast.accept_request()
    parks = an_organisation(by=requester, name="Parks of the town")
    join(parks, a_person(email="deputy@example.org"), "representative", by=requester)
    set_holder(Entry.objects.get(), parks)
    requests.accept_request(cast._change(title="Kew Park"), by=other, revision=1)
    assert sent("accept_change") == ["deputy", "holder", "requester"]


def test_the_author_of_a_change_that_lapsed_is_told(holder: User, requester: User, other: User) -> None:
    cast = Cast(holder, requester, other)
    cast.request_change()
    heir = a_person(email="heir@example.org")
    delegated(Entry.objects.get(), by=requester, to=heir)
    cast.requester = heir
    cast._change(title="Kew Garden")
    assert sent("withdraw_request") == ["holder", "other", "requester"]
    body = " ".join(Message.objects.filter(name="withdraw_request")[0].body.split())
    assert "The requester no longer holds the entry. This withdrew the request" in body
    close_account(heir, by=None, reason="The person left.")
    assert sent("withdraw_request") == ["holder", "holder", "other", "other", "requester"]
    body = " ".join(Message.objects.filter(name="withdraw_request").order_by("-pk")[0].body.split())
    assert "The account of the requester was closed. This withdrew the request" in body
