"""Opening, changing and suspending a register, its reviewers, and entries."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import TextMissing
from registry.mail.models import Message
from registry.namespaces.history import history_of
from registry.namespaces.models import Namespace
from registry.registers import subjects
from registry.registers.actions.registers import (
    change_register,
    name_reviewer,
    register_entry,
    remove_reviewer,
    resume_register,
    suspend_register,
)
from registry.registers.entries import skeleton_of
from registry.registers.models import Entry, Register
from registry.registers.permissions import may_review
from registry.subnamespaces.importing import import_subnamespaces
from registry.subnamespaces.lists import judge
from registry.subnamespaces.models import SubNamespace
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import a_described_namespace, a_register, a_request
from tests.support.factories import a_person, an_imported_namespace
from urnsyntax import URN


def test_a_register_gives_the_profile_a_level(namespace: Namespace, holder: User) -> None:
    register = a_register(namespace, by=holder)
    namespace.refresh_from_db()
    assert namespace.current_profile is not None
    (level,) = namespace.current_profile.levels
    assert (level.name, level.coverage) == ("garden", "partial")
    assert level.source is not None
    assert level.source.url.endswith(register.get_absolute_url())
    assert [each.event.verb for each in history_of(namespace)][:2] == ["set_profile", "open_register"]
    assert Event.objects.get(verb="open_register").details["policy"] == "first_come"


def test_a_register_keeps_the_levels_of_the_profile(register: Register, holder: User) -> None:
    levels = register.namespace.profile_versions.count()
    Register.objects.all()
    with pytest.raises(subjects.RegisterExists):
        a_register(register.namespace, by=holder)
    assert register.namespace.profile_versions.count() == levels


def test_the_name_of_an_entry_is_that_of_the_level(namespace: Namespace, holder: User) -> None:
    profile = namespace.current_profile
    assert profile is not None
    from tests.support.factories import describe

    leveled = type(profile).from_dict(profile.to_dict() | {"levels": [{"name": "park", "coverage": "free"}]})
    describe(namespace, leveled)
    namespace.refresh_from_db()
    with pytest.raises(subjects.InvalidRegister, match="park"):
        a_register(namespace, by=holder)
    assert a_register(namespace, by=holder, entry_name="park").entry_name == "park"
    assert namespace.profile_versions.count() == 2


def test_a_register_needs_a_profile(holder: User) -> None:
    namespace = an_imported_namespace("isbn", registrant=holder)
    with pytest.raises(subjects.RegisterNeedsProfile):
        a_register(namespace, by=holder)


def test_an_entry_is_a_sub_namespace_by_which_names_are_judged(register: Register, holder: User) -> None:
    entry = register_entry(register, by=holder, label="kew", title="Kew Gardens", reference="A book")
    row = SubNamespace.objects.get()
    assert (row.prefix, row.title, row.version) == ("kew", "Kew Gardens", 1)
    assert row.content["source"] == register.title
    assert (entry.subnamespace, entry.person, entry.contact) == (row, None, "")
    namespace = Namespace.objects.get(pk=register.namespace_id)
    judgement = judge(namespace, URN.parse("urn:example-trees:kew:4711"))
    assert judgement is not None
    assert [each.title for each in judgement.subnamespaces] == ["Kew Gardens"]
    event = Event.objects.get(verb="register_entry")
    assert (event.details["entry"], event.details["version"]) == ("kew", 1)
    assert event.text_digest == namespace.subnamespace_list_versions.get().digest


@pytest.mark.parametrize(
    ("label", "refusal"),
    [
        ("", TextMissing),
        ("kew", subjects.EntryTaken),
        ("KEW", subjects.EntryLooksAlike),
        ("k%65w", subjects.EntryLooksAlike),
        ("k\N{CYRILLIC SMALL LETTER IE}w", subjects.InvalidEntry),
        ("kew:east", subjects.InvalidEntry),
        ("a b", subjects.InvalidEntry),
        ("kew!", subjects.InvalidEntry),
        ("x" * 300, RegistryError),
    ],
)
def test_a_label_is_well_formed_and_free(
    register: Register, holder: User, label: str, refusal: type[RegistryError]
) -> None:
    register_entry(register, by=holder, label="kew", title="Kew Gardens")
    before = Entry.objects.count(), SubNamespace.objects.count()
    with pytest.raises(refusal) as found:
        register_entry(register, by=holder, label=label, title="Another")
    assert found.value.argument == "label"  # type: ignore[attr-defined]  # of TextRefused
    assert (Entry.objects.count(), SubNamespace.objects.count()) == before


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ("kew", "KEW", True),
        ("kew", "k%D0%B5w", True),  # a Cyrillic letter
        ("lima", "1irna", True),
        ("1.0", "10", False),
        ("a-b", "a.b", False),
        ("oak", "0ak", True),
    ],
)
def test_labels_are_alike_by_their_skeletons(one: str, other: str, are_alike: bool) -> None:
    assert (skeleton_of(one) == skeleton_of(other)) == are_alike


def test_what_was_imported_is_taken_too(register: Register, holder: User) -> None:
    lines = [
        f'{{"prefix": "{prefix}", "title": "Garden", "source": "A list", "as_of": "2026-01-31"}}'
        for prefix in ("Oak", "0ak", "elm")
    ]
    import_subnamespaces(
        register.namespace,
        by=None,
        document="\n".join(sorted(lines)),
        list_format="jsonl",
        basis="A list.",
        replaces=0,
    )
    for label in ("oak", "e1m"):
        with pytest.raises(subjects.EntryLooksAlike):
            register_entry(register, by=holder, label=label, title="Another")
    register_entry(register, by=holder, label="ash", title="Ash")
    assert Entry.objects.count() == 4
    assert Entry.objects.filter(skeleton=None).count() == 1
    assert register.namespace.subnamespace_list_versions.count() == 2


def test_a_change_needs_the_current_version(register: Register, holder: User) -> None:
    changed = {"policy": "closed", "title": "Gardens", "guidance": ""}
    register = change_register(register, by=holder, replaces=1, **changed)
    assert (register.policy, register.version) == ("closed", 2)
    with pytest.raises(subjects.StaleRegister):
        change_register(register, by=holder, replaces=1, **changed)
    with pytest.raises(subjects.RegisterUnchanged):
        change_register(register, by=holder, replaces=2, **changed)


def test_a_suspended_register_takes_nothing_until_it_is_resumed(
    register: Register, holder: User, requester: User
) -> None:
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    register = suspend_register(register, by=administrator, reason="Order 17 of a court.")
    with pytest.raises(subjects.RegisterSuspended, match="Order 17"):
        register_entry(register, by=holder, label="kew", title="Kew")
    with pytest.raises(subjects.RegisterSuspended):
        a_request(register, by=requester)
    register = resume_register(register, by=administrator, reason="The order was lifted.")
    a_request(register, by=requester)
    assert {"suspend_register", "resume_register"} <= set(
        Message.objects.filter(to=holder.email).values_list("name", flat=True)
    )


def test_an_administrator_with_an_interest_does_not_suspend(requester: User) -> None:
    holder = a_person(email="both@example.org", roles=(RoleName.ADMINISTRATOR,))
    register = a_register(a_described_namespace(registrant=holder), by=holder)
    with pytest.raises(NotPermitted):
        suspend_register(register, by=holder, reason="Mine.")


def test_a_reviewer_counts_while_they_are_a_member(holder: User, other: User) -> None:
    arboretum = an_organisation(by=holder)
    register = a_register(a_described_namespace(registrant=arboretum), by=holder, policy="expert_review")
    with pytest.raises(subjects.InvalidReviewer):
        name_reviewer(register, by=holder, email=other.email)
    membership = join(arboretum, other, "contact", by=holder)
    assert not may_review(other, register)
    name_reviewer(register, by=holder, email=other.email.upper())
    assert may_review(other, register)
    from registry.organisations.actions.members import end_membership

    end_membership(membership, by=holder)
    assert not may_review(other, register)
    remove_reviewer(register, by=holder, email=other.email)
    assert not register.reviewers.exists()


def test_a_person_names_no_reviewers(register: Register, holder: User) -> None:
    with pytest.raises(subjects.NoOrganisation):
        name_reviewer(register, by=holder, email=holder.email)


@pytest.mark.parametrize("model", [Register, Entry])
def test_nothing_is_deleted_or_moved(register: Register, holder: User, model: Any) -> None:
    register_entry(register, by=holder, label="kew", title="Kew")
    for attempt in (
        lambda: model.objects.all()._raw_delete("default"),
        lambda: Register.objects.update(opened_at="2020-01-01T00:00:00Z"),
        lambda: Entry.objects.update(skeleton="x"),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            attempt()
