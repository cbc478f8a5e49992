"""Entries have holders, who offer them to others and open registers below them."""

import json
import re
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.closing import SomethingLeftToDo, close_account, close_own_account
from registry.accounts.erasure import Person, erase_person
from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted, RegistryError
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import InvalidRecipient, accept_transfer, offer_transfer
from registry.namespaces.models import Namespace
from registry.organisations.actions.members import LastRepresentative, end_membership
from registry.organisations.models import Organisation
from registry.registers.actions.entries import (
    accept_entry,
    decline_entry,
    offer_entry,
    withdraw_offer,
)
from registry.registers.actions.lists import write_entries
from registry.registers.actions.registers import (
    name_reviewer,
    register_entry,
    suspend_register,
)
from registry.registers.actions.requests import accept_request
from registry.registers.lists import EntriesRefused
from registry.registers.models import Entry, EntryOffer, Register, Reviewer
from registry.registers.permissions import holds_entry
from registry.registers.subjects import (
    EntryLooksAlike,
    EntryOfferNotOpen,
    EntryTaken,
    InvalidEntry,
    NothingFollows,
    RegisterEnded,
    RegisterExists,
    RegisterSuspended,
)
from registry.subnamespaces.importing import import_subnamespaces
from registry.subnamespaces.models import SubNamespace
from tests.organisations.conftest import an_organisation, join, membership_of
from tests.registers.conftest import DEEP, a_branch, a_deep_namespace, a_register, a_request, delegated
from tests.support.browser import signed_in
from tests.support.factories import a_person, a_profile, a_template, describe


@pytest.fixture
def namespace(holder: User) -> Namespace:
    return a_deep_namespace(registrant=holder)


@pytest.fixture
def heir(db: None) -> User:
    return a_person(email="heir@example.org")


@pytest.fixture
def kew(register: Register, holder: User) -> Entry:
    return register_entry(register, by=holder, label="kew", title="Kew Gardens")


def verbs() -> list[str]:
    return list(Event.objects.order_by("number").values_list("verb", flat=True))


def test_the_holder_of_a_register_delegates_an_entry_to_another_organisation(
    kew: Entry, holder: User, heir: User, requester: User
) -> None:
    """It runs its own register there: its policy, its entries, its reviewers."""
    royal = an_organisation(by=heir, name="Royal Society")
    entry = delegated(kew, by=holder, to=heir, organisation=royal)
    assert (entry.person, entry.organisation) == (None, royal)
    branch = a_branch(entry, by=heir)
    assert (branch.branch, branch.organisation, branch.holders) == (entry, royal, [heir])
    for stranger in (holder, requester):
        with pytest.raises(NotPermitted):
            register_entry(branch, by=stranger, label="rose", title="Roses")
    rose = register_entry(branch, by=heir, label="rose", title="Roses")
    assert rose.subnamespace.prefix == "kew:rose"
    assert rose.subnamespace.content["source"] == "Register of urn:example-trees:kew"
    request = a_request(branch, by=requester, label="fern")
    accepted = accept_request(request, by=heir, revision=1)
    assert SubNamespace.objects.filter(prefix="kew:fern").exists()
    assert accepted.prefix == "kew:fern"
    assert Entry.objects.get(subnamespace__prefix="kew:fern").person == requester
    assert verbs()[-6:] == [
        "offer_entry",
        "accept_entry",
        "open_branch",
        "register_entry",
        "request_entry",
        "accept_request",
    ]
    accepting = Event.objects.get(verb="accept_entry")
    assert accepting.details["entry"] == "kew"
    assert accepting.details["organisation"] == royal.pk
    assert Event.objects.filter(verb="register_entry").last().details["below"] == "kew"


def test_reviewers_of_a_branch_are_members_of_the_organisation_that_holds_it(
    kew: Entry, holder: User, heir: User, requester: User
) -> None:
    royal = an_organisation(by=heir)
    reviewer = a_person(email="reviewer@example.org")
    join(royal, reviewer, "contact", by=heir)
    branch = a_branch(delegated(kew, by=holder, to=heir, organisation=royal), by=heir)
    name_reviewer(branch, by=heir, email=reviewer.email)
    assert Reviewer.objects.current().count() == 1
    request = a_request(branch, by=requester, label="fern")
    accept_request(request, by=reviewer, revision=1)
    delegated(Entry.objects.get(pk=kew.pk), by=heir, to=holder)
    assert not Reviewer.objects.current().exists()
    assert Register.objects.get(pk=branch.pk).holders == [holder]


def test_a_requester_holds_the_entry_and_hands_it_on(
    register: Register, holder: User, requester: User, heir: User
) -> None:
    a_request(register, by=requester)
    entry = Entry.objects.get()
    assert entry.person == requester
    with pytest.raises(NotPermitted):
        offer_entry(entry, by=holder, to=heir.email)
    assert delegated(entry, by=requester, to=heir).person == heir
    with pytest.raises(NotPermitted):
        offer_entry(entry, by=requester, to=heir.email)


def test_an_offer_is_declined_or_withdrawn_and_can_be_made_again(
    kew: Entry, holder: User, heir: User
) -> None:
    offer = offer_entry(kew, by=holder, to=heir.email)
    with pytest.raises(EntryOfferNotOpen, match="Withdraw that offer first"):
        offer_entry(kew, by=holder, to=heir.email)
    decline_entry(offer, by=heir, reason="Too much to do.")
    second = offer_entry(kew, by=holder, to=heir.email)
    with pytest.raises(NotPermitted):
        withdraw_offer(second, by=heir)
    withdraw_offer(second, by=holder)
    with pytest.raises(EntryOfferNotOpen, match="already accepted"):
        accept_entry(second, by=heir)
    assert Entry.objects.get().person is None
    assert [each.is_accepted for each in EntryOffer.objects.all()] == [False, False]


def test_an_offer_is_to_another_person(kew: Entry, holder: User, heir: User, other: User) -> None:
    with pytest.raises(InvalidRecipient):
        offer_entry(kew, by=holder, to=holder.email)
    offer = offer_entry(kew, by=holder, to=heir.email)
    for person in (holder, other):
        with pytest.raises(NotPermitted):
            accept_entry(offer, by=person)


def test_an_offer_lapses_with_the_authority_of_who_made_it(
    namespace: Namespace, kew: Entry, holder: User, heir: User, other: User
) -> None:
    offer = offer_entry(kew, by=holder, to=heir.email)
    accept_transfer(offer_transfer(namespace, by=holder, to=other.email), by=other)
    with pytest.raises(EntryOfferNotOpen, match="may no longer offer"):
        accept_entry(offer, by=heir)
    assert offer_entry(kew, by=other, to=heir.email).offered_by == other
    assert not EntryOffer.objects.get(pk=offer.pk).is_waiting


def test_an_offer_ends_with_the_account_of_who_made_it(kew: Entry, holder: User, heir: User) -> None:
    entry = delegated(kew, by=holder, to=heir)
    offer = offer_entry(entry, by=heir, to="someone@example.org")
    close_own_account(heir)
    assert not EntryOffer.objects.get(pk=offer.pk).is_waiting
    assert Event.objects.filter(verb="withdraw_offer", actor=None).exists()


def test_a_branch_stays_with_its_holder_when_the_namespace_is_transferred(
    namespace: Namespace, register: Register, kew: Entry, holder: User, heir: User, other: User
) -> None:
    """And what was not delegated goes with the namespace."""
    branch = a_branch(delegated(kew, by=holder, to=heir), by=heir)
    elm = register_entry(register, by=holder, label="elm", title="Elm Garden")
    own = a_branch(elm, by=holder, title="Trees of Elm Garden")
    accept_transfer(offer_transfer(namespace, by=holder, to=other.email), by=other)
    branch, own = (Register.objects.get(pk=each.pk) for each in (branch, own))
    assert branch.holders == [heir]
    assert own.holders == [other]
    register_entry(branch, by=heir, label="rose", title="Roses")
    register_entry(own, by=other, label="rose", title="Roses")


def test_who_accepts_an_entry_holds_the_registers_below_it_but_not_inner_branches(
    kew: Entry, holder: User, heir: User, other: User
) -> None:
    branch = a_branch(kew, by=holder, policy="hierarchical")
    rose, fern = (register_entry(branch, by=holder, label=each, title=each) for each in ("rose", "fern"))
    given = a_branch(delegated(rose, by=holder, to=other), by=other)
    kept = a_branch(fern, by=holder)
    longer = register_entry(kew.register, by=holder, label="kew-east", title="Kew East")
    beside = a_branch(longer, by=holder)
    entry = delegated(Entry.objects.get(pk=kew.pk), by=holder, to=heir)
    holders = {each.pk: each.holders for each in Register.objects.exclude(entry=None)}
    assert holders == {branch.pk: [heir], kept.pk: [heir], given.pk: [other], beside.pk: [holder]}
    erase_person(Person(heir, frozenset({heir.email})), by=None, reason="They asked for it.")
    holders = {each.pk: each.holders for each in Register.objects.exclude(entry=None)}
    assert holders == {branch.pk: [holder], kept.pk: [holder], given.pk: [other], beside.pk: [holder]}
    assert Entry.objects.get(pk=entry.pk).person is None
    assert Event.objects.get(verb="release_entry").details["entry"] == "kew"


def test_who_holds_a_register_below_an_entry_hands_it_on_before_closing_the_account(
    kew: Entry, holder: User, heir: User
) -> None:
    entry = delegated(kew, by=holder, to=heir)
    a_branch(entry, by=heir)
    with pytest.raises(SomethingLeftToDo, match="Hand on “urn:example-trees:kew”"):
        close_own_account(heir)
    close_account(heir, by=None, reason="The person can't be reached.")
    branch = Register.objects.exclude(entry=None).get()
    assert branch.holders == [heir]
    elm = register_entry(kew.register, by=holder, label="elm", title="Elm Garden")
    assert holds_entry(holder, elm)
    assert not holds_entry(holder, Entry.objects.get(pk=kew.pk))
    assert delegated(Entry.objects.get(pk=kew.pk), by=holder, to=a_person(email="next@example.org"))
    assert [each.email for each in Register.objects.get(pk=branch.pk).holders] == ["next@example.org"]


def test_an_organisation_with_an_entry_keeps_a_representative(kew: Entry, holder: User, heir: User) -> None:
    royal = an_organisation(by=heir)
    delegated(kew, by=holder, to=heir, organisation=royal)
    with pytest.raises(LastRepresentative):
        end_membership(membership_of(heir), by=heir)
    assert royal in Organisation.objects.public()


def test_an_entry_of_an_organisation_without_representatives_is_offered_again(
    kew: Entry, holder: User, heir: User, other: User, requester: User
) -> None:
    royal = an_organisation(by=heir)
    branch = a_branch(delegated(kew, by=holder, to=heir, organisation=royal), by=heir)
    entry = Entry.objects.get(pk=kew.pk)
    with pytest.raises(NotPermitted):
        offer_entry(entry, by=holder, to=other.email)
    close_account(heir, by=None, reason="The person can't be reached.")
    entry = Entry.objects.get(pk=kew.pk)
    assert not entry.is_assigned
    with pytest.raises(RegisterEnded, match="has no holder now"):
        a_request(branch, by=requester, label="fern")
    assert delegated(entry, by=holder, to=other).person == other
    assert Register.objects.get(pk=branch.pk).holders == [other]


def shared_organisations(sent: CaptureQueriesContext) -> list[int]:
    found = (
        re.search(r"organisations_organisation WHERE id = (\d+) FOR SHARE", each["sql"]) for each in sent
    )
    return [int(each[1]) for each in found if each]


def test_organisations_are_locked_in_the_order_of_their_keys(holder: User, heir: User, other: User) -> None:
    """As the end of all memberships of an account locks them: otherwise, both would wait for each other."""
    gardens, society = an_organisation(by=heir, name="Gardens"), an_organisation(by=other, name="Society")
    arboretum = an_organisation(by=holder)
    register = a_register(a_deep_namespace(registrant=arboretum), by=holder)
    kew = register_entry(register, by=holder, label="kew", title="Kew")
    branch = a_branch(
        delegated(kew, by=holder, to=other, organisation=society), by=other, policy="expert_review"
    )
    rose = register_entry(branch, by=other, label="rose", title="Roses")
    entry = delegated(rose, by=other, to=heir, organisation=gardens)
    assert gardens.pk < society.pk < arboretum.pk
    with CaptureQueriesContext(connection) as sent:
        offer_entry(entry, by=heir, to="next@example.org")
    assert shared_organisations(sent) == [gardens.pk, society.pk, arboretum.pk]
    with CaptureQueriesContext(connection) as sent:
        register_entry(branch, by=other, label="fern", title="Ferns")
    assert shared_organisations(sent) == [society.pk, arboretum.pk]


def seen_by(person: User) -> list[str]:
    return list(EntryOffer.objects.visible_to(person).order_by("pk").values_list("email", flat=True))


def test_later_holders_do_not_see_to_whom_an_entry_was_offered_before(
    register: Register, kew: Entry, holder: User, heir: User, other: User
) -> None:
    withdraw_offer(offer_entry(kew, by=holder, to="first@example.org"), by=holder)
    entry = delegated(kew, by=holder, to=heir)
    declined = offer_entry(entry, by=heir, to=other.email)
    decline_entry(declined, by=other)
    assert seen_by(holder) == ["first@example.org", heir.email]
    assert seen_by(heir) == [heir.email, other.email]
    delegated(entry, by=heir, to=other)
    assert seen_by(other) == [other.email, other.email]


def test_representatives_see_the_waiting_offers_of_each_other(holder: User, heir: User, other: User) -> None:
    """Also of an entry whose holder closed their account, and not those of others before them."""
    arboretum = an_organisation(by=holder)
    join(arboretum, other, "representative", by=holder)
    register = a_register(a_deep_namespace(registrant=arboretum), by=holder)
    kew, elm = (register_entry(register, by=holder, label=each, title=each) for each in ("kew", "elm"))
    kew = delegated(kew, by=holder, to=heir)
    offer = offer_entry(kew, by=heir, to="next@example.org")
    assert seen_by(other) == []
    withdraw_offer(offer, by=heir)
    close_account(heir, by=None, reason="The person can't be reached.")
    kew = Entry.objects.get(pk=kew.pk)
    offers = [
        offer_entry(kew, by=holder, to="a@example.org"),
        offer_entry(elm, by=holder, to="b@example.org"),
    ]
    assert seen_by(other) == ["a@example.org", "b@example.org"]
    for each in offers:
        sent = signed_in(other).post(each.get_absolute_url(), {"decision": "withdraw"}, follow=True)
        assert "The offer was withdrawn." in sent.text
    assert seen_by(other) == []


SEVERAL = (
    {"name": "garden", "coverage": "partial", "separator": ":"},
    {"name": "tree", "of": "kew", "coverage": "partial", "separator": "/"},
)


def test_what_is_listed_below_is_found_by_the_separators_of_the_place(holder: User) -> None:
    """Others' sub-namespaces must not come to the holder of a label that begins them."""
    namespace = register_formal(a_template(), registrant=holder).namespace
    source = {"document": "List", "url": "https://example.org/", "stated_on": "2026-01-31"}
    profile = a_profile(
        abnf='name = 1*(ALPHA / DIGIT / ":" / "/")',
        examples=("kew:rose/1", "kew:1/1", "elm:2/2"),
        counterexamples=("-", "+", "!"),
    )
    levels = [each | {"source": source} for each in SEVERAL]
    describe(namespace, type(profile).from_dict(profile.to_dict() | {"levels": levels}))
    register = a_register(namespace, by=holder, entry_name="")
    branch = a_branch(register_entry(register, by=holder, label="kew", title="Kew"), by=holder)
    line = {"prefix": "kew:rose/tea", "title": "Tea", "source": "List", "as_of": "2026-01-31"}
    stated = {"list_format": "jsonl", "basis": "The list.", "replaces": 1}
    import_subnamespaces(namespace, by=None, document=json.dumps(line), **stated)
    with pytest.raises(InvalidEntry, match="“kew:rose/tea”, which is below it, is listed already"):
        register_entry(branch, by=holder, label="rose", title="Roses")
    with pytest.raises(EntriesRefused, match="“kew:rose/tea”, which is below it, is listed already"):
        write_entries(
            branch, by=holder, document='{"label": "rose", "title": "Roses"}', list_format="jsonl", replaces=2
        )


def test_labels_below_an_entry_are_judged_by_what_they_are_there(
    register: Register, kew: Entry, holder: User
) -> None:
    branch = a_branch(kew, by=holder)
    register_entry(branch, by=holder, label="kew", title="Kew in Kew")
    register_entry(register, by=holder, label="lima", title="Lima")
    register_entry(branch, by=holder, label="1ima", title="It looks like one of the outer register")
    with pytest.raises(EntryLooksAlike):
        register_entry(branch, by=holder, label="lima", title="Lima")
    with pytest.raises(EntryTaken):
        register_entry(branch, by=holder, label="kew", title="Again")
    with pytest.raises(InvalidEntry, match="ends a label"):
        register_entry(branch, by=holder, label="a:b", title="Two levels")
    with pytest.raises(RegistryError, match="listed already"):
        register_entry(register, by=holder, label="kew", title="Again")


def test_a_list_of_entries_is_written_below_an_entry(kew: Entry, holder: User, requester: User) -> None:
    branch = a_branch(kew, by=holder)
    register_entry(branch, by=holder, label="lima", title="Lima")
    a_request(branch, by=requester, label="oak")
    written = partial(write_entries, branch, by=holder, list_format="jsonl", replaces=2)
    lines = '{"label": "rose", "title": "Roses"}\n{"label": "lima", "title": "Limes"}'
    written(document=lines)
    assert dict(SubNamespace.objects.values_list("prefix", "title")) == {
        "kew": "Kew Gardens",
        "kew:lima": "Limes",
        "kew:rose": "Roses",
    }
    assert set(branch.entries.values_list("subnamespace__prefix", flat=True)) == {"kew:lima", "kew:rose"}
    for label, why in (("1ima", "could be mistaken for"), ("a:b", "ends a label"), ("oak", "is requested")):
        with pytest.raises(EntriesRefused, match=why):
            written(document=f'{{"label": "{label}", "title": "Another"}}', replaces=3)


def test_what_is_imported_below_an_entry_is_in_its_register(
    namespace: Namespace, register: Register, holder: User
) -> None:
    """But for what was there before the entry: it stands for a label of the outer register, and is compared all the same."""

    def imported(*prefixes: str, replaces: int) -> None:
        more = {"source": "List", "as_of": "2026-01-31"}
        lines = [json.dumps({"prefix": each, "title": each, **more}) for each in prefixes]
        stated = {"list_format": "jsonl", "basis": "The list.", "replaces": replaces}
        import_subnamespaces(namespace, by=None, document="\n".join(lines), **stated)

    imported("beech:lima", replaces=0)
    imported("beech", replaces=1)
    branch = a_branch(Entry.objects.get(subnamespace__prefix="beech"), by=holder)
    imported("beech:oak", "beech:oak:old", replaces=2)
    assert {each.subnamespace.prefix: each.register for each in Entry.objects.all()} == {
        "beech:lima": register,
        "beech": register,
        "beech:oak": branch,
    }
    for label, alike in (("1ima", "beech:lima"), ("0ak", "beech:oak")):
        with pytest.raises(EntryLooksAlike, match=f"mistaken for “{alike}”"):
            register_entry(branch, by=holder, label=label, title="Another")


def test_an_entry_is_in_the_register_directly_around_it(register: Register, kew: Entry, holder: User) -> None:
    branch = a_branch(kew, by=holder)
    rose = register_entry(branch, by=holder, label="rose", title="Roses")
    inner = a_branch(rose, by=holder, title="Kinds of roses")
    register_entry(inner, by=holder, label="tea", title="Tea roses")
    assert {each.subnamespace.prefix: each.register for each in Entry.objects.all()} == {
        "kew": register,
        "kew:rose": branch,
        "kew:rose:tea": inner,
    }


def test_there_is_one_register_below_an_entry(kew: Entry, holder: User, other: User) -> None:
    with pytest.raises(NotPermitted):
        a_branch(kew, by=other)
    a_branch(kew, by=holder)
    with pytest.raises(RegisterExists):
        a_branch(kew, by=holder)


def test_a_register_needs_names_that_can_follow(holder: User) -> None:
    namespace = register_formal(a_template(), registrant=holder).namespace
    source = {"document": "List", "url": "https://example.org/", "stated_on": "2026-01-31"}
    level = {"name": "garden", "coverage": "partial", "below": "nothing", "source": source}
    profile = a_profile(
        abnf=f"name = {DEEP}", examples=("kew:1", "1:1", "2:2"), counterexamples=("a", "b:", "c:x")
    )
    describe(namespace, type(profile).from_dict(profile.to_dict() | {"levels": [level]}))
    register = a_register(namespace, by=holder)
    entry = register_entry(register, by=holder, label="kew", title="Kew Gardens")
    with pytest.raises(NothingFollows, match="nothing follows “kew”"):
        a_branch(entry, by=holder)


def test_a_register_needs_a_grammar_that_goes_on(holder: User) -> None:
    namespace = register_formal(a_template(), registrant=holder).namespace
    source = {"document": "List", "url": "https://example.org/", "stated_on": "2026-01-31"}
    level = {"name": "garden", "coverage": "partial", "source": source}
    profile = a_profile(
        abnf='name = 1*(ALPHA / DIGIT) ":" 1*DIGIT',
        examples=("kew:1", "oak:22", "fir:3"),
        counterexamples=("a", "b:", "b:x"),
    )
    describe(namespace, type(profile).from_dict(profile.to_dict() | {"levels": [level]}))
    kew = register_entry(a_register(namespace, by=holder), by=holder, label="kew", title="Kew Gardens")
    first = register_entry(a_branch(kew, by=holder), by=holder, label="1", title="An oak")
    with pytest.raises(NothingFollows, match="nothing follows “kew:1”"):
        a_branch(first, by=holder)


def test_a_suspended_register_suspends_no_branch_and_gets_none(
    register: Register, kew: Entry, holder: User, heir: User
) -> None:
    branch = a_branch(delegated(kew, by=holder, to=heir), by=heir)
    elm = register_entry(register, by=holder, label="elm", title="Elm Garden")
    offer = offer_entry(elm, by=holder, to=heir.email)
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    suspend_register(register, by=administrator, reason="Order 17.")
    register_entry(branch, by=heir, label="rose", title="Roses")
    for attempt in (
        lambda: a_branch(elm, by=holder),
        lambda: accept_entry(offer, by=heir),
    ):
        with pytest.raises(RegisterSuspended):
            attempt()
    suspend_register(Register.objects.get(pk=branch.pk), by=administrator, reason="Order 18.")
    assert Event.objects.filter(verb="suspend_register").last().details == {"below": "kew"}
    with pytest.raises(RegisterSuspended):
        register_entry(branch, by=heir, label="fern", title="Ferns")
    withdraw_offer(offer, by=holder)


def test_a_retired_entry_ends_its_branch(kew: Entry, holder: User) -> None:
    branch = a_branch(kew, by=holder)
    row = kew.subnamespace
    row.content, row.version = row.content | {"status": "retired"}, row.version + 1
    row.save(update_fields=["content", "version"])
    with pytest.raises(RegisterEnded, match="kew” is retired"):
        register_entry(branch, by=holder, label="rose", title="Roses")
