"""Which labels look alike: of entries, of what is listed below them, and of requests, also after what is compared changed."""

import json
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from registry.namespaces.profile_documents import LoadResult, load_profiles
from registry.registers import subjects
from registry.registers.actions.registers import register_entry
from registry.registers.actions.requests import accept_request, refuse_request
from registry.registers.models import Entry, EntryRequest, Register
from registry.subnamespaces.importing import StaleList, import_subnamespaces
from registry.subnamespaces.loading import LoadOutcome, load_subnamespaces
from registry.subnamespaces.models import SubNamespace
from tests.registers.conftest import a_register, a_request
from tests.support.factories import a_profile, a_template, an_imported_namespace, describe
from urnsyntax.profiles import Profile
from urnsyntax.profiles.examples import Verification

CYRILLIC = "b%D0%B5ech"  # “beech” with a Cyrillic letter
ROW = {"source": "A list", "as_of": "2026-01-31"}


def lines(*prefixes: str, title: str = "Garden") -> str:
    return "\n".join(json.dumps({"prefix": each, "title": title, **ROW}) for each in prefixes)


def import_list(namespace: Namespace, *prefixes: str, replaces: int | None = None, **options: Any) -> None:
    if replaces is None:
        replaces = namespace.subnamespace_list_versions.count()
    given = {"document": lines(*prefixes), "list_format": "jsonl", "basis": "A list."} | options
    import_subnamespaces(namespace, by=None, replaces=replaces, **given)


def with_rules(namespace: Namespace, **names: Any) -> None:
    """Change how the names of a namespace are compared."""
    profile = namespace.current_profile
    assert profile is not None
    content = profile.to_dict()
    content["names"] = {key: value for key, value in (content["names"] | names).items() if value}
    describe(namespace, Profile.from_dict(content))
    namespace.refresh_from_db()


def skeletons() -> dict[str, bool]:
    """Which entries have a skeleton, by prefix."""
    found = Entry.objects.values_list("subnamespace__prefix", "skeleton")
    return {prefix: skeleton is not None for prefix, skeleton in found}


@pytest.fixture
def opaque(holder: User) -> Namespace:
    """A namespace whose profile has levels, and ignores hyphens."""
    template = a_template(namespace_identifier="example-oaks", syntax="Opaque.")
    levels = [{"name": "garden", "coverage": "free"}, {"name": "part", "of": "*", "coverage": "free"}]
    namespace = register_formal(template, registrant=holder).namespace
    return describe(namespace, unstated="Opaque.", levels=levels, ignored_characters="-")


@pytest.fixture
def oaks(opaque: Namespace, holder: User) -> Register:
    return a_register(opaque, by=holder, entry_name="", policy="expert_review")


@pytest.mark.parametrize("imported_before", [True, False])
def test_what_looks_like_the_label_of_something_below_is_refused(
    opaque: Namespace, holder: User, imported_before: bool
) -> None:
    if imported_before:
        import_list(opaque, "beech:east", "beech:west")
    register = a_register(opaque, by=holder, entry_name="")
    if not imported_before:
        import_list(opaque, "beech:east", "beech:west")
    assert skeletons() == {"beech:east": True}
    with pytest.raises(subjects.EntryLooksAlike, match="“beech:east”, which is listed"):
        register_entry(register, by=holder, label=CYRILLIC, title="Beech")
    with pytest.raises(subjects.InvalidEntry, match="which is below it, is listed already"):
        register_entry(register, by=holder, label="beech", title="Beech")
    import_list(opaque, "beech", CYRILLIC)
    assert skeletons() == {"beech:east": True, "beech": False, CYRILLIC: False}


def test_a_skeleton_that_a_new_profile_frees_is_given_to_the_first_one(oaks: Register, holder: User) -> None:
    import_list(oaks.namespace, "oak", "0-ak", "b-eech:east", "beech:west")
    assert skeletons() == {"oak": True, "0-ak": False, "b-eech:east": True}
    with_rules(oaks.namespace, ignored_characters="")
    assert skeletons() == {"oak": True, "0-ak": True, "b-eech:east": True, "beech:west": True}
    for label in ("o-ak", "oak", CYRILLIC, "b-%D0%B5ech"):
        with pytest.raises((subjects.EntryLooksAlike, subjects.EntryTaken)):
            register_entry(oaks, by=holder, label=label, title="Another")
    with_rules(oaks.namespace, ignored_characters="-")
    assert skeletons() == {"oak": True, "0-ak": False, "b-eech:east": True, "beech:west": False}


def test_labels_are_compared_again_after_an_update(
    oaks: Register, requester: User, capsys: pytest.CaptureFixture[str]
) -> None:
    a_request(oaks, by=requester, label="fir")
    import_list(oaks.namespace, "oak", "0ak", "beech:east")

    def stored() -> list[str | None]:
        found = (
            model.objects.order_by("pk").values_list("skeleton", flat=True) for model in (Entry, EntryRequest)
        )
        return [skeleton for each in found for skeleton in each]

    before = stored()
    # Those of an earlier version, by which others looked alike.
    Entry.objects.update(skeleton=None)
    EntryRequest.objects.update(skeleton="0" * 32)
    Entry.objects.filter(subnamespace__prefix="0ak").update(skeleton=before[0])
    Entry.objects.filter(subnamespace__prefix="oak").update(skeleton="1" * 32)
    call_command("compare_labels")
    assert capsys.readouterr().out == "The labels of 1 register were compared.\n"
    assert stored() == before
    assert skeletons() == {"oak": True, "0ak": False, "beech:east": True}


@pytest.mark.exhaustive
def test_many_labels_are_compared_with_as_many_statements_as_few(oaks: Register, requester: User) -> None:
    def statements(rule: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            with_rules(oaks.namespace, ignored_characters=rule)
        return len(queries)

    import_list(oaks.namespace, "tree0", "tree1")
    for number in range(2):
        a_request(oaks, by=requester, label=f"a-{number}")
    statements("-_")  # what is cached
    few = statements("-")
    import_list(oaks.namespace, *(f"tree{number}" for number in range(2, 12)))
    for number in range(2, 12):
        a_request(oaks, by=requester, label=f"a-{number}")
    many = statements("-_")
    assert set(EntryRequest.objects.values_list("key", flat=True)) == {f"a{at}" for at in range(12)}
    assert many == few


@pytest.mark.exhaustive
def test_requests_that_become_equal_keep_their_keys(oaks: Register, holder: User, requester: User) -> None:
    with_rules(oaks.namespace, ignored_characters="")
    requests = {label: a_request(oaks, by=requester, label=label) for label in ("a-sh", "ash", "fi-r")}
    with_rules(oaks.namespace, ignored_characters="-")
    assert list(EntryRequest.objects.values_list("key", flat=True)) == ["a-sh", "ash", "fir"]
    with pytest.raises(subjects.EntryTaken):
        accept_request(requests["a-sh"], by=holder, revision=1)
    accept_request(requests["ash"], by=holder, revision=1)


def test_a_request_gets_its_new_key_when_the_other_one_ends(
    oaks: Register, holder: User, requester: User
) -> None:
    with_rules(oaks.namespace, ignored_characters="")
    _, other = (a_request(oaks, by=requester, label=label) for label in ("a-sh", "ash"))
    with_rules(oaks.namespace, ignored_characters="-")
    refuse_request(other, by=holder, revision=1, reason="No.")
    assert EntryRequest.objects.undecided().get().key == "ash"  # type: ignore[attr-defined]
    with pytest.raises(subjects.EntryTaken):
        a_request(oaks, by=requester, label="ash")


@pytest.mark.parametrize(
    "character", ["\N{ZERO WIDTH SPACE}", "\N{RIGHT-TO-LEFT OVERRIDE}", "\N{HANGUL FILLER}"]
)
def test_a_specification_is_of_characters_that_can_be_seen(
    oaks: Register, holder: User, character: str
) -> None:
    with pytest.raises(subjects.InvalidEntry, match=f"U\\+{ord(character):04X}") as found:
        register_entry(oaks, by=holder, label="kew", title="Kew", reference=f"RFC{character} 8126")
    assert found.value.argument == "reference"
    reference = "RFC 8126, https://www.rfc-editor.org/rfc/rfc8126#section-4"
    entry = register_entry(oaks, by=holder, label="kew", title="Kew", reference=reference)
    assert entry.subnamespace.content["reference"] == reference


def test_a_list_of_the_registry_is_loaded_again_after_entries(
    oaks: Register, holder: User, tmp_path: Any
) -> None:
    path = tmp_path / "example-oaks.jsonl"
    path.write_text(lines("oak"))

    def load() -> str:
        (result,) = load_subnamespaces([("example-oaks", path)])
        return result.outcome

    assert load() == LoadOutcome.LOADED
    register_entry(oaks, by=holder, label="kew", title="Kew")
    assert load() == LoadOutcome.UNCHANGED
    path.write_text(lines("elm"))
    assert load() == LoadOutcome.LOADED
    found = SubNamespace.objects.values_list("prefix", "status")
    assert dict(found) == {"elm": "active", "kew": "active", "oak": "retired"}
    import_list(oaks.namespace, "fir")
    register_entry(oaks, by=holder, label="ash", title="Ash")
    path.write_text(lines("beech"))
    assert load() == LoadOutcome.KEPT


def test_a_profile_with_the_level_of_a_register_is_kept_when_profiles_are_loaded(holder: User) -> None:
    namespace = an_imported_namespace("isbn", registrant=holder)

    def load(title: str) -> LoadResult:
        (result,) = load_profiles([Verification("isbn", a_profile("isbn", title=title), ())])
        return result

    assert load("Books").outcome == "set"
    assert load("Printed books").outcome == "set"
    namespace.refresh_from_db()
    register = a_register(namespace, by=holder)
    kept = load("Books and maps")
    assert (kept.outcome, kept.message) == (
        "kept",
        "A person set version 3: The registrant opened the register “Gardens with numbered trees”.",
    )
    assert Register.objects.get(pk=register.pk).entry_name == "garden"


def test_an_import_waits_for_no_entry_that_it_does_not_name(oaks: Register, holder: User) -> None:
    import_list(oaks.namespace, "oak")
    for label in ("kew", "ash"):
        register_entry(oaks, by=holder, label=label, title="Garden of an entry")
    # What was compared with version 1 would now change an entry.
    with pytest.raises(StaleList) as found:
        import_list(oaks.namespace, "oak", "kew", replaces=1)
    assert found.value.current == 3
    import_list(oaks.namespace, "elm", replaces=1, retires_others=True)
    found = SubNamespace.objects.values_list("prefix", "status")
    assert dict(found) == {"ash": "active", "elm": "active", "kew": "active", "oak": "retired"}
    for replaces in (1, 2, 3, 5):  # before the last import, or not yet a version
        with pytest.raises(StaleList):
            import_list(oaks.namespace, "fir", replaces=replaces)
    import_list(oaks.namespace, "kew", replaces=4)
