"""Opening, changing and suspending a register, its reviewers, and entries."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import TextMissing
from registry.custody.actions.claims import announce_claim, approve_claim
from registry.mail.models import Message
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import release_namespace
from registry.namespaces.history import history_of
from registry.namespaces.models import Namespace
from registry.organisations.actions.members import end_membership
from registry.registers import subjects
from registry.registers.actions.registers import (
    change_register,
    name_reviewer,
    register_entry,
    remove_reviewer,
    resume_register,
    suspend_register,
)
from registry.registers.actions.requests import accept_request, refuse_request
from registry.registers.entries import check_label, skeleton_of
from registry.registers.models import Entry, Register, ReplacedRegister
from registry.registers.permissions import may_review
from registry.review_desk.admin import admin_site
from registry.subnamespaces.importing import import_subnamespaces
from registry.subnamespaces.lists import judge
from registry.subnamespaces.models import SubNamespace
from tests.custody.conftest import a_claim
from tests.custody.test_claims import let_time_pass
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import OPENED, a_described_namespace, a_register, a_request
from tests.support.browser import signed_in
from tests.support.factories import a_person, a_profile, a_template, an_imported_namespace, describe
from urnsyntax import URN
from urnsyntax.profiles import Profile


def a_leveled_namespace(nid: str, holder: User, **changes: Any) -> Namespace:
    """A namespace whose profile has levels already."""
    namespace = register_formal(
        a_template(namespace_identifier=nid, syntax="Opaque."), registrant=holder
    ).namespace
    levels = [{"name": "garden", "coverage": "free"}, {"name": "part", "of": "*", "coverage": "free"}]
    return describe(namespace, unstated="Opaque.", levels=levels, **changes)


def import_list(namespace: Namespace, *prefixes: str, retires_others: bool = False) -> None:
    last = namespace.subnamespace_list_versions.last()
    row = {"title": "Garden", "source": "A list", "as_of": "2026-01-31"}
    import_subnamespaces(
        namespace,
        by=None,
        document="\n".join(json.dumps({"prefix": prefix, **row}) for prefix in sorted(prefixes)),
        list_format="jsonl",
        basis="A list.",
        replaces=last.version if last else 0,
        retires_others=retires_others,
    )


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


def test_the_separator_of_labels_is_that_of_the_examples(holder: User) -> None:
    template = a_template(
        syntax="A garden, a dot, and the number of a tree, such as urn:example-trees:kew.1."
    )
    namespace = register_formal(template, registrant=holder).namespace
    profile = a_profile(
        abnf='name = 1*ALPHA "." 1*DIGIT',
        examples=("kew.1", "elm.2", "fir.3"),
        counterexamples=("kew", "1.2", "kew:1"),
    )
    describe(namespace, profile)
    for answer in ("", ":", "x", "..", "-"):
        with pytest.raises(subjects.InvalidRegister) as refused:
            a_register(namespace, by=holder, separator=answer)
        assert refused.value.argument == "separator"
    register = a_register(namespace, by=holder, separator=".")
    with pytest.raises(subjects.InvalidEntry):
        register_entry(register, by=holder, label="kew.1", title="One tree of Kew")
    register_entry(register, by=holder, label="kew", title="Kew Gardens")
    judgement = judge(Namespace.objects.get(pk=namespace.pk), URN.parse("urn:example-trees:kew.4711"))
    assert judgement is not None
    assert [each.title for each in judgement.subnamespaces] == ["Kew Gardens"]


def test_a_second_register_is_refused(register: Register, holder: User) -> None:
    profiles = register.namespace.profile_versions.count()
    with pytest.raises(subjects.RegisterExists):
        a_register(register.namespace, by=holder)
    assert register.namespace.profile_versions.count() == profiles


def test_the_name_of_an_entry_is_that_of_the_level(namespace: Namespace, holder: User) -> None:
    profile = namespace.current_profile
    assert profile is not None
    leveled = type(profile).from_dict(profile.to_dict() | {"levels": [{"name": "park", "coverage": "free"}]})
    describe(namespace, leveled)
    namespace.refresh_from_db()
    with pytest.raises(subjects.InvalidRegister, match="park"):
        a_register(namespace, by=holder)
    with pytest.raises(subjects.InvalidRegister, match=":"):
        a_register(namespace, by=holder, entry_name="", separator=".")
    assert a_register(namespace, by=holder, entry_name="").entry_name == "park"
    assert namespace.profile_versions.count() == 2


def test_a_register_needs_a_profile(holder: User) -> None:
    namespace = an_imported_namespace("isbn", registrant=holder)
    with pytest.raises(subjects.RegisterNeedsProfile):
        a_register(namespace, by=holder)


def test_an_entry_is_a_sub_namespace_by_which_names_are_judged(register: Register, holder: User) -> None:
    entry = register_entry(register, by=holder, label="kew", title="Kew Gardens", reference="A book")
    row = SubNamespace.objects.get()
    assert (row.prefix, row.title, row.version) == ("kew", "Kew Gardens", 1)
    assert row.content["source"] == "Register of urn:example-trees"
    assert (entry.subnamespace, entry.person) == (row, None)
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
        ("kew%3Aeast", subjects.InvalidEntry),  # an encoded separator
        ("a%00", subjects.InvalidEntry),
        ("a%1F", subjects.InvalidEntry),
        ("a%20b", subjects.InvalidEntry),
        ("a%C2%AD", subjects.InvalidEntry),  # a soft hyphen
        ("a%E2%80%8B", subjects.InvalidEntry),  # a space without width
        ("a%FF", subjects.InvalidEntry),  # not UTF-8
        ("a%ED%A0%80", subjects.InvalidEntry),  # a surrogate
        ("a%EF%BF%BF", subjects.InvalidEntry),  # not a character
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
        ("kew", "k%E2%80%8Bew", True),  # a space without width
        ("kew", "k%C2%ADew", True),  # a soft hyphen
        ("a-b", "a%E2%80%90b", True),  # another hyphen
        ("a", "a%00", True),
        ("a%FF", "a%FE", False),
    ],
)
def test_labels_are_alike_by_their_skeletons(one: str, other: str, are_alike: bool) -> None:
    assert (skeleton_of(one) == skeleton_of(other)) == are_alike


def test_what_was_imported_is_taken_too(holder: User) -> None:
    register = a_register(a_leveled_namespace("example-oaks", holder), by=holder, entry_name="")
    import_list(register.namespace, "Oak", "0ak", "elm", "beech:east")
    for label in ("oak", "e1m"):
        with pytest.raises(subjects.EntryLooksAlike):
            register_entry(register, by=holder, label=label, title="Another")
    register_entry(register, by=holder, label="ash", title="Ash")
    found = Entry.objects.values_list("subnamespace__prefix", "skeleton")
    assert {prefix: skeleton is not None for prefix, skeleton in found} == {
        "0ak": True,
        "Oak": False,
        "ash": True,
        "beech:east": True,
        "elm": True,
    }
    assert register.namespace.subnamespace_list_versions.count() == 2


def test_a_register_has_the_list_that_was_there_before(register: Register, holder: User) -> None:
    import_list(register.namespace, "oak")
    other = a_leveled_namespace("example-oaks", holder)
    import_list(other, "oak", "oak:east")
    opened = a_register(other, by=holder, entry_name="")
    assert list(opened.entries.values_list("subnamespace__prefix", flat=True)) == ["oak"]
    with pytest.raises(subjects.EntryLooksAlike):
        register_entry(opened, by=holder, label="0AK", title="Another")


def test_a_label_can_look_longer_than_it_is(register: Register, holder: User) -> None:
    """One character that stands for eighteen."""
    assert register_entry(register, by=holder, label="%EF%B7%BA" * 28, title="Many").skeleton


def test_nothing_below_which_something_is_listed_is_registered(holder: User) -> None:
    namespace = a_leveled_namespace("example-oaks", holder, ignored_characters="-")
    register = a_register(namespace, by=holder, entry_name="")
    import_list(register.namespace, "beech:east", "el-m:west")
    for label in ("beech", "BEECH", "bee-ch", "elm"):
        with pytest.raises(subjects.InvalidEntry, match="listed already"):
            register_entry(register, by=holder, label=label, title="Beech")


@pytest.mark.parametrize("labels", [("kew-east", "kew"), ("kew", "kew-east")])
def test_what_ends_a_label_is_the_separator_of_its_level(holder: User, labels: tuple[str, str]) -> None:
    template = a_template(namespace_identifier="example-oaks", syntax="Opaque.")
    namespace = register_formal(template, registrant=holder).namespace
    levels = [
        {"name": "garden", "coverage": "free"},
        {"name": "part", "of": "*", "separator": "-", "coverage": "free"},
    ]
    register = a_register(describe(namespace, unstated="Opaque.", levels=levels), by=holder, entry_name="")
    for label in labels:
        register_entry(register, by=holder, label=label, title="Garden")
    assert register.entries.count() == len(labels)


class ReadRows:
    """Counts the rows that statements return or change."""

    def __init__(self) -> None:
        self.rows = self.statements = 0

    def __call__(self, execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
        found = execute(sql, params, many, context)
        self.rows += max(0, context["cursor"].rowcount)
        self.statements += 1
        return found


def cost_of(attempt: Callable[[], Any], refusal: type[Exception] | None = None) -> tuple[int, int]:
    """The rows and the statements of an attempt."""
    reads = ReadRows()
    with connection.execute_wrapper(reads), pytest.raises(refusal) if refusal else nullcontext():
        attempt()
    return reads.rows, reads.statements


def test_a_check_reads_as_much_of_a_long_list_as_of_a_short_one(register: Register, holder: User) -> None:
    def costs(at: int) -> list[tuple[int, int]]:
        return [
            cost_of(lambda: register_entry(register, by=holder, label=f"kew{at}", title="Kew")),
            cost_of(
                lambda: register_entry(register, by=holder, label=f"KEW{at}", title="Kew"),
                subjects.EntryLooksAlike,
            ),
            cost_of(lambda: check_label(register, f"oak{at}")),
            cost_of(lambda: check_label(register, f"KEW{at}"), subjects.EntryLooksAlike),
        ]

    import_list(register.namespace, "oak", "ash")
    costs(1)  # what is cached
    few = costs(2)
    import_list(register.namespace, *(f"tree{number}" for number in range(500)))
    assert costs(3) == few


def test_a_refused_label_does_not_read_a_list_that_a_profile_has_overtaken(
    register: Register, holder: User
) -> None:
    import_list(register.namespace, *(f"tree{number}" for number in range(500)))
    profile = register.namespace.current_profile
    assert profile is not None
    verified_by = register.namespace.subnamespace_list_versions.last().profile
    describe(register.namespace, Profile.from_dict(profile.to_dict() | {"title": "Another"}))
    rows, _ = cost_of(
        lambda: register_entry(register, by=holder, label="tree:1", title="Kew"), subjects.InvalidEntry
    )
    assert rows < 50
    rows, _ = cost_of(lambda: register_entry(register, by=holder, label="kew", title="Kew"))
    assert rows < 100
    # The next import verifies the whole list.
    assert register.namespace.subnamespace_list_versions.last().profile == verified_by


def test_a_whole_list_retires_no_entry_of_the_register(register: Register, holder: User) -> None:
    import_list(register.namespace, "oak", "ash")
    register_entry(register, by=holder, label="kew", title="Kew")
    import_list(register.namespace, "oak", retires_others=True)
    found = SubNamespace.objects.values_list("prefix", "status")
    assert dict(found) == {"ash": "retired", "kew": "active", "oak": "active"}


@pytest.mark.exhaustive
def test_a_new_profile_compares_labels_again(register: Register, holder: User, requester: User) -> None:
    import_list(register.namespace, "o-ak", "elm")
    change_register(register, by=holder, policy="expert_review", title="Gardens", replaces=1)
    requests = {label: a_request(register, by=requester, label=label) for label in ("a-sh", "ke-w", "kew")}
    profile = register.namespace.current_profile
    assert profile is not None
    ignoring = profile.to_dict()
    ignoring["names"] |= {"ignored_characters": "-"}
    ignoring["sources"][0]["facts"] = sorted({*ignoring["sources"][0]["facts"], "comparison"})
    describe(register.namespace, Profile.from_dict(ignoring))
    assert dict(register.requests.values_list("label", "key")) == {
        "a-sh": "ash",
        "ke-w": "ke-w",
        "kew": "kew",
    }
    for label in ("o-a-k", "ash", "kew"):
        with pytest.raises(subjects.EntryTaken):
            register_entry(register, by=holder, label=label, title="Another")
    with pytest.raises(subjects.EntryLooksAlike):
        register_entry(register, by=holder, label="0ak", title="Another")
    # Of two requests that are for the same label now, one is accepted.
    with pytest.raises(subjects.EntryTaken):
        accept_request(requests["ke-w"], by=holder, revision=1)
    refuse_request(requests["kew"], by=holder, revision=1, reason="The other one was first.")
    accept_request(requests["ke-w"], by=holder, revision=1)


def test_a_deprecated_namespace_takes_no_entries(
    namespace: Namespace, register: Register, holder: User, requester: User
) -> None:
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    deprecate(namespace, by=administrator, statement="No one plants trees.")
    with pytest.raises(subjects.RegisterEnded):
        register_entry(register, by=holder, label="kew", title="Kew")
    with pytest.raises(subjects.RegisterEnded):
        a_request(register, by=requester)
    other = a_leveled_namespace("example-oaks", holder)
    deprecate(other, by=administrator, statement="No one plants oaks.")
    with pytest.raises(subjects.RegisterEnded):
        a_register(other, by=holder, entry_name="")


def test_a_namespace_without_registrant_takes_no_requests(
    namespace: Namespace, register: Register, requester: User
) -> None:
    release_namespace(namespace, reason="They left.")
    with pytest.raises(subjects.RegisterEnded):
        a_request(register, by=requester)


def test_the_register_of_a_holder_who_disappeared_goes_to_who_claims_the_namespace(
    namespace: Namespace, holder: User, requester: User, other: User
) -> None:
    register = a_register(namespace, by=holder, policy="expert_review")
    waiting = a_request(register, by=requester)
    announcing, approving = (
        a_person(email=f"administrator-{number}@example.org", roles=(RoleName.ADMINISTRATOR,))
        for number in (1, 2)
    )
    claim = announce_claim(a_claim(namespace, by=other), by=announcing, reason="Mails bounce.")
    approve_claim(let_time_pass(claim), by=approving, reason="No one answered.")
    with pytest.raises(NotPermitted):
        accept_request(waiting, by=holder, revision=1)
    accept_request(waiting, by=other, revision=1)
    assert SubNamespace.objects.get().prefix == "kew"
    assert Register.objects.get().holders == [other]


@pytest.mark.parametrize("held", ["register", "of_arboretum"])
def test_a_register_takes_requests_while_someone_can_answer_for_it(
    held: str, request: pytest.FixtureRequest, holder: User, requester: User
) -> None:
    register = request.getfixturevalue(held)
    User.objects.filter(pk=holder.pk).update(is_active=False)
    with pytest.raises(subjects.RegisterEnded):
        a_request(register, by=requester)


def test_a_change_needs_the_current_version(register: Register, holder: User) -> None:
    changed = {"policy": "closed", "title": "Gardens", "guidance": ""}
    register = change_register(register, by=holder, replaces=1, **changed)
    assert (register.policy, register.version) == ("closed", 2)
    with pytest.raises(subjects.StaleRegister):
        change_register(register, by=holder, replaces=1, **changed)
    with pytest.raises(subjects.RegisterUnchanged):
        change_register(register, by=holder, replaces=2, **changed)


def test_a_change_keeps_what_the_register_said_before(register: Register, holder: User) -> None:
    opened = register.changed_at
    register = change_register(register, by=holder, policy="closed", title="Former gardens", replaces=1)
    change_register(register, by=holder, policy="closed", title="Gardens of the past", replaces=2)
    first, second = ReplacedRegister.objects.all()
    said = (first.version, first.policy, first.title, first.guidance)
    assert said == (1, *(OPENED[name] for name in ("policy", "title", "guidance")))
    assert (second.version, second.policy, second.title, second.guidance) == (
        2,
        "closed",
        "Former gardens",
        "",
    )
    # Without a gap between them.
    times = [first.began_at, first.ended_at, second.began_at, second.ended_at]
    assert times == [opened, *[register.changed_at] * 2, Register.objects.get().changed_at]


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


@pytest.fixture
def of_arboretum(holder: User) -> Register:
    arboretum = an_organisation(by=holder)
    return a_register(a_described_namespace(registrant=arboretum), by=holder, policy="expert_review")


def test_a_reviewer_counts_while_they_are_a_member(of_arboretum: Register, holder: User, other: User) -> None:
    arboretum = of_arboretum.namespace.organisation
    assert arboretum is not None
    with pytest.raises(subjects.InvalidReviewer):
        name_reviewer(of_arboretum, by=holder, email=other.email)
    membership = join(arboretum, other, "contact", by=holder)
    assert not reviews_now(other, of_arboretum)
    name_reviewer(of_arboretum, by=holder, email=other.email.upper())
    assert reviews_now(other, of_arboretum)
    with pytest.raises(subjects.InvalidReviewer):
        name_reviewer(of_arboretum, by=holder, email=other.email)
    end_membership(membership, by=holder)
    assert not reviews_now(other, of_arboretum)
    # A later membership is another one.
    join(arboretum, other, "contact", by=holder)
    assert not reviews_now(other, of_arboretum)
    with pytest.raises(subjects.InvalidReviewer):
        remove_reviewer(of_arboretum, by=holder, email=other.email)
    name_reviewer(of_arboretum, by=holder, email=other.email)
    assert reviews_now(other, of_arboretum)
    remove_reviewer(of_arboretum, by=holder, email=other.email)
    assert not reviews_now(other, of_arboretum)


def test_a_reviewer_of_a_former_holder_counts_nothing(
    of_arboretum: Register, holder: User, requester: User, other: User
) -> None:
    arboretum = of_arboretum.namespace.organisation
    assert arboretum is not None
    join(arboretum, other, "contact", by=holder)
    name_reviewer(of_arboretum, by=holder, email=other.email)
    request = a_request(of_arboretum, by=requester)
    second = an_organisation(by=holder, name="Botanical Garden")
    join(second, other, "contact", by=holder)
    Namespace.objects.update(organisation=second)
    assert not reviews_now(other, of_arboretum)
    with pytest.raises(NotPermitted):
        accept_request(request, by=other, revision=1)
    request.refresh_from_db()
    assert subjects.reviewers_of(request) == [holder]
    page = signed_in(holder).get(f"{request.register.get_absolute_url()}reviewers/")
    assert other.email not in page.text


def reviews_now(person: User, register: Register) -> bool:
    return may_review(person, Register.objects.get(pk=register.pk))


def test_the_tables_for_administrators_leave_out_reviewers(of_arboretum: Register, holder: User) -> None:
    name_reviewer(of_arboretum, by=holder, email=holder.email)
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    shown = admin_site.get_model_admin(Event).readable_by(administrator)  # type: ignore[attr-defined]
    read = set(shown.values_list("verb", flat=True))
    assert ("open_register" in read, "name_reviewer" in read) == (True, False)


def test_a_person_names_no_reviewers(register: Register, holder: User) -> None:
    with pytest.raises(subjects.NoOrganisation):
        name_reviewer(register, by=holder, email=holder.email)


@pytest.mark.parametrize("model", [Register, Entry])
def test_nothing_is_deleted_or_moved(register: Register, holder: User, model: Any) -> None:
    register_entry(register, by=holder, label="kew", title="Kew")
    import_list(a_leveled_namespace("example-oaks", holder), "oak")
    for attempt in (
        lambda: model.objects.all()._raw_delete("default"),
        lambda: Register.objects.update(opened_at="2020-01-01T00:00:00Z"),
        lambda: Entry.objects.update(subnamespace=SubNamespace.objects.order_by("-pk").first()),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            attempt()


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Parks"},
        {"guidance": ""},
        {"policy": "closed"},
        {"version": 2},
        {"title": "Parks", "version": 3},
    ],
)
def test_no_policy_or_text_is_replaced_without_being_kept(register: Register, change: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError, match="begins the next version"), transaction.atomic():
        Register.objects.update(**change)
    Register.objects.update(title="Parks", version=2)
    assert ReplacedRegister.objects.get().title == OPENED["title"]


def test_an_entry_is_one_of_the_namespace_of_its_register(register: Register, holder: User) -> None:
    import_list(a_leveled_namespace("example-oaks", holder), "oak")
    with pytest.raises(IntegrityError), transaction.atomic():
        Entry.objects.create(register=register, subnamespace=SubNamespace.objects.get())


def test_every_trigger_also_checks_replicated_changes(db: None) -> None:
    """`session_replication_role = replica` skips triggers that are not enabled with ALWAYS."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE 'registers_%'"
        )
        found = dict(cursor.fetchall())
    assert {"register_is_below_its_namespace", "entry_is_of_its_namespace"} <= found.keys()
    assert set(found.values()) == {"A"}
