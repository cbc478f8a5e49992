"""Requests for entries: by policy, their discussion, and decisions."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.core.exceptions import ConflictOfInterest, NotPermitted, RegistryError
from registry.core.rate_limits import LimitExceeded
from registry.core.validators import TextMissing
from registry.mail.models import HeldMail, Message
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.history import event_types
from registry.namespaces.models import Namespace
from registry.registers import subjects
from registry.registers.actions.changes import change_entry
from registry.registers.actions.registers import change_register, name_reviewer, register_entry
from registry.registers.actions.requests import (
    MAX_UNDECIDED,
    accept_request,
    ask_for_changes,
    comment_on_request,
    refuse_request,
    revise_request,
    withdraw_request,
)
from registry.registers.models import Entry, EntryRequest, Register, RequestComment
from registry.registers.permissions import own_request
from registry.subnamespaces.models import SubNamespace
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import ASKED, a_described_namespace, a_register, a_request, delegated
from tests.support.factories import a_template, describe


@pytest.fixture
def reviewed(namespace: Namespace, holder: User) -> Register:
    return a_register(namespace, by=holder, policy="expert_review")


@pytest.fixture
def entry_request(reviewed: Register, requester: User) -> EntryRequest:
    return a_request(reviewed, by=requester)


def under(policy: str, register: Register, by: User) -> Register:
    """The register with this policy."""
    if policy == register.policy:
        return register
    return change_register(register, by=by, policy=policy, title=register.title, replaces=register.version)


def test_a_request_that_waited_is_accepted_with_its_specification(
    reviewed: Register, entry_request: EntryRequest, holder: User, requester: User
) -> None:
    register = under("specification", reviewed, holder)
    with pytest.raises(subjects.PolicyForbids, match="names no specification"):
        accept_request(entry_request, by=holder, revision=1)
    again = ASKED | {"register_version": register.version, "reference": "A book", "revision": 1}
    revise_request(entry_request, by=requester, **again)
    assert accept_request(entry_request, by=holder, revision=2).state == "accepted"


def test_a_request_that_waited_is_registered_when_it_is_sent_again(
    reviewed: Register, entry_request: EntryRequest, holder: User, requester: User
) -> None:
    register = under("first_come", reviewed, holder)
    again = ASKED | {"register_version": register.version, "revision": 1}
    revised = revise_request(entry_request, by=requester, **again)
    assert (revised.state, revised.decided_by) == ("accepted", None)
    assert Entry.objects.get().person == requester
    event = Event.objects.latest("number")
    assert (event.verb, event.actor, event.details["request"]) == ("register_entry", requester, revised.pk)
    mails = Message.objects.filter(name="register_entry")
    assert set(mails.values_list("to", flat=True)) == {requester.email, holder.email}


def test_a_request_is_made_by_the_policy_that_was_read(
    reviewed: Register, entry_request: EntryRequest, holder: User, requester: User
) -> None:
    under("first_come", reviewed, holder)
    with pytest.raises(subjects.StaleRegister):
        a_request(reviewed, by=requester, label="oak", register_version=1)
    with pytest.raises(subjects.StaleRegister):
        revise_request(entry_request, by=requester, **ASKED | {"revision": 1})
    assert not SubNamespace.objects.exists()


def test_a_request_names_the_version_of_the_register_that_was_read(
    reviewed: Register, entry_request: EntryRequest, holder: User, requester: User
) -> None:
    under("specification", reviewed, holder)
    entry_request.refresh_from_db()
    assert entry_request.register_version == 1
    again = ASKED | {"register_version": 2, "reference": "A book", "revision": 1}
    assert revise_request(entry_request, by=requester, **again).register_version == 2
    new = a_request(reviewed, by=requester, label="oak", reference="A book", register_version=2)
    assert EntryRequest.objects.get(pk=new.pk).register_version == 2


def test_who_decides_has_read_the_request_as_it_is(
    entry_request: EntryRequest, holder: User, requester: User
) -> None:
    revise_request(entry_request, by=requester, **ASKED | {"title": "Another", "revision": 1})
    for action, more in (
        (accept_request, {}),
        (ask_for_changes, {"text": "Where?"}),
        (refuse_request, {"reason": "No."}),
    ):
        with pytest.raises(subjects.StaleRequest):
            action(entry_request, by=holder, revision=1, **more)


def test_changes_that_are_asked_for_are_read_by_the_author_and_by_other_reviewers(
    entry_request: EntryRequest, holder: User, requester: User
) -> None:
    ask_for_changes(entry_request, by=holder, text="Add the town.", revision=1)
    for action, by, more in (
        (revise_request, requester, ASKED | {"title": "Written before"}),
        (accept_request, holder, {}),
        (refuse_request, holder, {"reason": "No."}),
    ):
        with pytest.raises(subjects.StaleRequest, match="changes to it were asked for"):
            action(entry_request, by=by, revision=1, **more)
    entry_request.refresh_from_db()
    assert (entry_request.title, entry_request.version) == (ASKED["title"], 2)
    assert revise_request(entry_request, by=requester, revision=2, **ASKED).version == 3


def test_a_change_does_not_overwrite_another_one(entry_request: EntryRequest, requester: User) -> None:
    revise_request(entry_request, by=requester, **ASKED | {"title": "By a program", "revision": 1})
    with pytest.raises(subjects.StaleRequest):
        revise_request(entry_request, by=requester, **ASKED | {"title": "In a tab", "revision": 1})
    entry_request.refresh_from_db()
    assert (entry_request.title, entry_request.version) == ("By a program", 2)


def test_specification_required_needs_a_specification(
    namespace: Namespace, holder: User, requester: User
) -> None:
    register = a_register(namespace, by=holder, policy="specification")
    with pytest.raises(TextMissing) as found:
        a_request(register, by=requester)
    assert found.value.argument == "reference"
    assert a_request(register, by=requester, reference="RFC 8126").reference == "RFC 8126"


def test_first_come_first_served_is_registered_at_once(
    register: Register, requester: User, holder: User
) -> None:
    request = a_request(register, by=requester, note="Please.")
    assert (request.state, request.decided_by) == ("accepted", None)
    entry = Entry.objects.get()
    assert (entry.person, entry.subnamespace.prefix) == (requester, "kew")
    assert Event.objects.latest("number").verb == "register_entry"
    assert not Event.objects.filter(verb="request_entry").exists()
    mails = Message.objects.filter(name="register_entry")
    assert set(mails.values_list("to", flat=True)) == {requester.email, holder.email}


def test_a_request_waits_for_a_reviewer(entry_request: EntryRequest, holder: User, requester: User) -> None:
    assert entry_request.state == "open"
    assert not SubNamespace.objects.exists()
    (mail,) = Message.objects.filter(name="request_entry")
    assert mail.to == holder.email
    assert entry_request.get_absolute_url() in mail.body
    assert "request_entry" not in event_types()
    accepted = accept_request(entry_request, by=holder, revision=1)
    assert (accepted.state, accepted.decided_by) == ("accepted", holder)
    assert Entry.objects.get().person == requester
    event = Event.objects.get(verb="accept_request")
    assert event.details["entry"] == "kew"
    (mail,) = Message.objects.filter(name="accept_request")
    assert mail.to == requester.email


def test_changes_are_asked_for_and_made(entry_request: EntryRequest, holder: User, requester: User) -> None:
    asked = ask_for_changes(entry_request, by=holder, text="Add the town.", revision=1)
    assert asked.state == "changes_requested"
    assert RequestComment.objects.get().text == "Add the town."
    with pytest.raises(subjects.RequestDecided):
        ask_for_changes(entry_request, by=holder, text="Again.", revision=1)
    revised = revise_request(entry_request, by=requester, **ASKED | {"label": "kew-london", "revision": 2})
    assert (revised.state, revised.label, revised.version) == ("open", "kew-london", 3)
    with pytest.raises(subjects.StaleRequest):
        accept_request(entry_request, by=holder, revision=2)
    accept_request(entry_request, by=holder, revision=3)
    assert SubNamespace.objects.get().prefix == "kew-london"
    said = dict(Message.objects.order_by("pk").values_list("name", "to"))
    assert said["ask_for_changes"] == requester.email
    assert said["revise_request"] == holder.email


def test_what_only_few_people_read_is_not_in_the_log(
    entry_request: EntryRequest, holder: User, requester: User
) -> None:
    comment_on_request(entry_request, by=holder, text="Private.")
    # The text of the last comment is no reason to change the state without a word.
    asked = ask_for_changes(entry_request, by=holder, text="Private.", revision=1)
    assert asked.state == "changes_requested"
    refuse_request(entry_request, by=holder, reason="Private.", revision=2)
    events = Event.objects.filter(verb__in=["comment_on_request", "ask_for_changes", "refuse_request"])
    assert events.count() == 3
    assert not any("Private" in f"{event.reason} {event.details}" for event in events)
    mails = Message.objects.filter(to=requester.email, body__contains="Private.")
    assert set(mails.values_list("name", flat=True)) == {
        "comment_on_request",
        "ask_for_changes",
        "refuse_request",
    }


def test_a_comment_reaches_the_other_side_once(
    entry_request: EntryRequest, holder: User, requester: User, other: User
) -> None:
    for _ in range(2):
        comment_on_request(entry_request, by=requester, text="It is in London.")
    comment_on_request(entry_request, by=holder, text="Thank you.")
    mails = Message.objects.filter(name="comment_on_request").order_by("pk")
    assert [mail.to for mail in mails] == [holder.email, requester.email]
    assert "It is in London." in mails[0].body
    with pytest.raises(NotPermitted):
        comment_on_request(entry_request, by=other, text="And me?")
    with pytest.raises(IntegrityError), transaction.atomic():
        RequestComment.objects.update(text="Another.")


@pytest.mark.parametrize("end", ["refuse", "withdraw"])
def test_a_label_is_free_again(
    entry_request: EntryRequest, holder: User, requester: User, other: User, end: str
) -> None:
    with pytest.raises(subjects.EntryTaken):
        a_request(entry_request.register, by=other)
    with pytest.raises(subjects.EntryLooksAlike) as refused:
        a_request(entry_request.register, by=other, label="KEW")
    assert "kew" not in str(refused.value)
    with pytest.raises(subjects.EntryTaken):
        register_entry(entry_request.register, by=holder, label="kew", title="Kew")
    if end == "refuse":
        ended = refuse_request(entry_request, by=holder, reason="There is no such garden.", revision=1)
        assert (ended.state, ended.decided_by) == ("refused", holder)
    else:
        ended = withdraw_request(entry_request, by=requester)
        assert (ended.state, ended.decided_by) == ("withdrawn", None)
    for action, arguments in (
        (accept_request, {"by": holder, "revision": 1}),
        (comment_on_request, {"by": requester, "text": "But …"}),
    ):
        with pytest.raises(subjects.RequestDecided):
            action(entry_request, **arguments)
    assert a_request(entry_request.register, by=other).state == "open"


def test_nobody_decides_on_their_own_request(reviewed: Register, holder: User) -> None:
    own = a_request(reviewed, by=holder)
    for action, arguments in (
        (accept_request, {"revision": 1}),
        (refuse_request, {"reason": "No.", "revision": 1}),
        (ask_for_changes, {"text": "More.", "revision": 1}),
    ):
        with pytest.raises(ConflictOfInterest):
            action(own, by=holder, **arguments)
    assert not SubNamespace.objects.exists()


def test_a_named_reviewer_decides_and_other_members_do_not(
    holder: User, requester: User, other: User
) -> None:
    arboretum = an_organisation(by=holder)
    register = a_register(a_described_namespace(registrant=arboretum), by=holder, policy="expert_review")
    join(arboretum, other, "contact", by=holder)
    request = a_request(register, by=requester)
    with pytest.raises(NotPermitted):
        accept_request(request, by=other, revision=1)
    name_reviewer(register, by=holder, email=other.email)
    second = a_request(register, by=requester, label="elm")
    to = Message.objects.filter(name="request_entry", body__contains=second.get_absolute_url())
    assert set(to.values_list("to", flat=True)) == {holder.email, other.email}
    accept_request(request, by=other, revision=1)
    assert SubNamespace.objects.get().prefix == "kew"


@pytest.mark.parametrize("label", ["lima", "LIMA", "1ima"])
def test_a_reserved_label_is_registered_by_the_holder_who_can_assign_it_later(
    namespace: Namespace, holder: User, requester: User, other: User, label: str
) -> None:
    """RFC 8126, Section 6: reserved values are not available for assignment, until who controls the registry releases them."""
    register = a_register(namespace, by=holder, policy="expert_review")
    reserved = register_entry(register, by=holder, label="lima", title="Reserved")
    with pytest.raises((subjects.EntryTaken, subjects.EntryLooksAlike), match="listed"):
        a_request(register, by=requester, label=label)
    read = {"replaces": reserved.subnamespace.version, "register_version": register.version}
    change_entry(reserved, by=holder, title="Lima", status="active", **read)
    assert delegated(Entry.objects.get(), by=holder, to=other).person == other


def test_the_undecided_requests_of_a_person_are_limited(
    reviewed: Register, requester: User, other: User, settings: Any
) -> None:
    settings.ACTIONS_AN_HOUR = settings.ACTIONS_AN_HOUR | {"requests for entries": 100}
    for number in range(MAX_UNDECIDED):
        a_request(reviewed, by=requester, label=f"garden-{number}-of-many")
    with pytest.raises(subjects.TooManyUndecided):
        a_request(reviewed, by=requester, label="one-more")
    a_request(reviewed, by=other, label="one-more")


@pytest.mark.exhaustive
def test_the_requests_of_a_day_are_limited_with_those_that_were_withdrawn(
    register: Register, reviewed_elsewhere: Register, requester: User, other: User, settings: Any
) -> None:
    settings.ENTRY_REQUESTS_A_DAY = 2
    a_request(register, by=requester, label="ash")
    with pytest.raises(subjects.EntryTaken):
        a_request(register, by=requester, label="ash")
    a_request(register, by=requester, label="elm")
    with pytest.raises(LimitExceeded, match="for each account and register"):
        a_request(register, by=requester, label="fir")
    a_request(register, by=other, label="fir")
    for _ in range(2):
        withdraw_request(a_request(reviewed_elsewhere, by=requester), by=requester)
    with pytest.raises(LimitExceeded):
        a_request(reviewed_elsewhere, by=requester)


@pytest.mark.exhaustive
def test_changes_and_comments_of_the_requester_count_as_requests(
    entry_request: EntryRequest, holder: User, requester: User, settings: Any
) -> None:
    settings.ENTRY_REQUESTS_A_DAY, version = 3, entry_request.register.version
    again = ASKED | {"register_version": version}
    revise_request(entry_request, by=requester, **again | {"title": "Kew", "revision": 1})
    comment_on_request(entry_request, by=requester, text="It is old.")
    with pytest.raises(LimitExceeded):
        comment_on_request(entry_request, by=requester, text="It is very old.")
    with pytest.raises(LimitExceeded):
        revise_request(entry_request, by=requester, **again | {"revision": 2})
    for number in range(4):
        comment_on_request(entry_request, by=holder, text=f"Question {number}")
    entry_request.refresh_from_db()
    assert (entry_request.title, entry_request.comments.count()) == ("Kew", 5)


@pytest.fixture
def reviewed_elsewhere(holder: User) -> Register:
    namespace = register_formal(
        a_template(namespace_identifier="example-oaks", syntax="Opaque."), registrant=holder
    ).namespace
    return a_register(describe(namespace, unstated="Opaque."), by=holder, policy="expert_review")


@pytest.mark.exhaustive
@pytest.mark.parametrize("policy", ["first_come", "expert_review"])
def test_those_who_decide_get_the_mails_of_many_requests_once_a_day(
    namespace: Namespace, holder: User, requester: User, policy: str
) -> None:
    register = a_register(namespace, by=holder, policy=policy)
    Message.objects.all().delete()
    for number in range(subjects.MAILS_A_DAY + 2):
        a_request(register, by=requester, label=f"garden-{number}-of-many")
    assert Message.objects.filter(to=holder.email).count() == subjects.MAILS_A_DAY
    held = HeldMail.objects.filter(person=holder)
    assert held.count() == 2
    assert "garden-11-of-many" in held.last().body
    # The requester gets a mail about each entry, however many there are.
    entries = Message.objects.filter(to=requester.email).count()
    assert entries == (subjects.MAILS_A_DAY + 2 if policy == "first_come" else 0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "change",
    [
        {"state": "accepted"},
        {"state": "refused", "decided_at": "2026-01-01T00:00:00Z"},
        {"state": "open", "reason": "Why not."},
        {"state": "open", "decided_at": "2026-01-01T00:00:00Z"},
        {"state": "accepted", "decided_at": "2026-01-01T00:00:00Z", "reason": "Fine."},
        {"version": 0},
    ],
)
def test_a_state_has_what_belongs_to_it(entry_request: EntryRequest, change: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        EntryRequest.objects.update(**change)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "change",
    [
        {"state": "open"},
        {"label": "elm"},
        {"decided_by": None},
        {"title": "Another"},
        {"note": "More."},
        {"register_version": 7},
    ],
)
def test_a_decision_is_final(entry_request: EntryRequest, holder: User, change: dict[str, Any]) -> None:
    accept_request(entry_request, by=holder, revision=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        EntryRequest.objects.update(**change)


def test_only_those_concerned_see_a_request(
    entry_request: EntryRequest, holder: User, requester: User, other: User
) -> None:
    for person, is_seen in ((holder, True), (requester, True), (other, False)):
        assert EntryRequest.objects.visible_to(person).exists() == is_seen  # type: ignore[attr-defined]
    with pytest.raises(RegistryError):
        subjects.get_request(other, entry_request.register, entry_request.pk)


@pytest.mark.exhaustive
def test_what_the_holder_does_alone_delays_no_mail_about_requests(
    reviewed: Register, holder: User, requester: User
) -> None:
    for number in range(subjects.MAILS_A_DAY + 1):
        register_entry(reviewed, by=holder, label=f"garden-{number}-of-many", title="Garden")
    a_request(reviewed, by=requester)
    assert Message.objects.filter(name="request_entry", to=holder.email).count() == 1


def test_an_own_request_says_who_decides(namespace: Namespace, reviewed: Register, holder: User) -> None:
    own = a_request(reviewed, by=holder)
    assert own_request(holder, own) == (
        "This is your own request. No one else decides on it. You can withdraw it, and register the entry yourself."
    )
    own.register = under("closed", reviewed, holder)
    assert own_request(holder, own) == "This is your own request. No one else decides on it."


def test_an_own_change_says_what_the_policy_allows_instead(
    reviewed: Register, holder: User, requester: User
) -> None:
    """The author of the change got the register after that."""
    accept_request(a_request(reviewed, by=requester), by=holder, revision=1)
    given = {"title": "Kew Park", "status": "active", "register_version": 1, "replaces": 1}
    own = change_entry(Entry.objects.get(), by=requester, **given)
    Namespace.objects.update(registrant=requester)
    alone = "This is your own request. No one else decides on it."
    own.register = Register.objects.get()
    assert own_request(requester, own) == f"{alone} You can withdraw it, and change the entry at once."
    own.register = under("private", reviewed, requester)
    assert own_request(requester, own) == alone
