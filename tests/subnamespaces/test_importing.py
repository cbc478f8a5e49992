"""Importing lists of sub-namespaces: what is added, changed, retired and refused, and what is kept."""

import hashlib
import json
from operator import itemgetter
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.db.models import Model

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.core.digests import canonical_json
from registry.core.exceptions import NotPermitted, RegistryError
from registry.namespaces.actions.profiles import PrefixesCollide, set_profile
from registry.namespaces.models import Kind, Namespace, Origin
from registry.subnamespaces.importing import (
    ListFormat,
    ListRefused,
    ListUnchanged,
    NoLevels,
    StaleList,
    UnreadableList,
    import_subnamespaces,
    plan_import,
)
from registry.subnamespaces.lists import judge
from registry.subnamespaces.models import ListVersion, ReplacedSubNamespace, SubNamespace
from tests.subnamespaces.conftest import GARDENS, LINES, Import
from tests.support.factories import a_person, a_profile
from urnsyntax import URN


def test_the_first_import_adds_all_and_is_an_event(import_list: Import, gardens: Namespace) -> None:
    assert not gardens.has_subnamespaces
    made = import_list()
    assert (made.version, made.total, made.counts) == (1, 2, {"added": 2, "changed": 0, "retired": 0})
    assert gardens.has_subnamespaces
    rows = SubNamespace.objects.values_list("key", "prefix", "title", "holder", "status", "version")
    assert list(rows) == [
        ("kew", "kew", "Gardens at Kew", "Board of Kew", "active", 1),
        ("oak", "oak", "Oak Park", "", "active", 1),
    ]
    event = Event.objects.get(verb="import_subnamespaces")
    assert (event.nid, event.details["added"], event.text_digest) == ("example-gardens", 2, made.digest)


def test_only_the_difference_is_written_and_what_is_replaced_is_kept(import_list: Import) -> None:
    import_list()
    with pytest.raises(ListUnchanged):
        import_list()
    with pytest.raises(ListUnchanged):  # the day of reading does not count
        import_list('{"prefix": "oak", "title": "Oak Park", "as_of": "2026-02-01"}')
    made = import_list('{"prefix": "OAK", "title": "The Oak Park"}')  # the same, and it keeps its spelling
    assert made.counts == {"added": 0, "changed": 1, "retired": 0}
    replaced = ReplacedSubNamespace.objects.get()
    assert (replaced.version, replaced.content) == (1, {"prefix": "oak", "title": "Oak Park"})
    oak = SubNamespace.objects.get(key="oak")
    assert (oak.prefix, oak.title, oak.version) == ("oak", "The Oak Park", 2)


def test_what_a_whole_list_lacks_is_retired_and_still_conforms(
    import_list: Import, gardens: Namespace
) -> None:
    import_list()
    first = LINES.splitlines()[0]
    assert import_list(first + '\n{"prefix": "elm", "title": "Elm"}').counts["retired"] == 0
    made = import_list(first, retires_others=True)
    assert made.counts == {"added": 0, "changed": 0, "retired": 2}
    judgement = judge(gardens, URN.parse("urn:example-gardens:oak:1"))
    assert judgement is not None
    assert judgement.conformant is not False
    assert "retired" in judgement.notes[0].reason


@pytest.mark.parametrize(
    ("document", "options", "refusal", "words"),
    [
        ("{", {}, UnreadableList, "line 1"),
        ('{"prefix": "a"}', {}, UnreadableList, "title"),
        ("prefix,name\na,b\n", {"list_format": ListFormat.CSV}, UnreadableList, "Line 1: The column “name”"),
        ("<registry", {"list_format": ListFormat.IANA}, UnreadableList, "not well-formed"),
        (
            '{"prefix": "elm", "title": "Elm"}\n{"prefix": "ELM", "title": "Elm again"}',
            {},
            ListRefused,
            "same as “elm”",
        ),
        (
            '{"prefix": "elm", "title": "Elm", "successor": "fir", "status": "retired"}',
            {},
            ListRefused,
            "successor “fir”",
        ),
    ],
)
def test_a_wrong_list_is_refused_and_changes_nothing(
    import_list: Import,
    document: str,
    options: dict[str, str],
    refusal: type[RegistryError],
    words: str,
) -> None:
    import_list()
    with pytest.raises(refusal, match=words):
        import_list(document, **options)
    assert (ListVersion.objects.count(), SubNamespace.objects.count()) == (1, 2)


def test_who_compared_with_an_older_list_is_told(gardens: Namespace, administrator: User) -> None:
    with pytest.raises(StaleList, match="no list"):
        import_subnamespaces(
            gardens, by=administrator, document=LINES, list_format="jsonl", basis="It is.", replaces=3
        )


def test_only_administrators_import(gardens: Namespace) -> None:
    with pytest.raises(NotPermitted, match="example-gardens"):
        import_subnamespaces(
            gardens,
            by=a_person(email="someone@example.org"),
            document=LINES,
            list_format="jsonl",
            basis="I say so.",
            replaces=0,
        )


def test_a_namespace_without_levels_has_no_list(administrator: User) -> None:
    with pytest.raises(NoLevels, match="has no levels"):
        plan_import(
            Namespace.objects.create(nid="example-flat", kind=Kind.FORMAL, origin=Origin.IANA),
            LINES,
            list_format="jsonl",
        )


def test_names_are_judged_by_the_list(import_list: Import, gardens: Namespace) -> None:
    unknown = URN.parse("urn:example-gardens:oka:1")
    before = judge(gardens, unknown)
    assert before is not None
    assert before.conformant is None
    import_list()
    judgement = judge(gardens, unknown)
    assert judgement is not None
    assert judgement.conformant is False
    assert "List of gardens" in judgement.reason
    near = judge(gardens, URN.parse("urn:example-gardens:kem:1"))
    assert near is not None
    assert near.unknown_subnamespace is not None
    assert near.unknown_subnamespace.near == ("kew",)
    known = judge(gardens, URN.parse("urn:example-gardens:KEW:1"))
    assert known is not None
    assert [each.description for each in known.subnamespaces] == ["kew: Gardens at Kew, Board of Kew"]


def test_a_new_profile_normalizes_the_prefixes_again(
    import_list: Import, gardens: Namespace, administrator: User
) -> None:
    import_list(LINES + '{"prefix": "Elm", "title": "Elm"}')
    assert SubNamespace.objects.get(prefix="Elm").key == "elm"

    def replace(replaces: int, *, ignores_case: bool) -> None:
        profile = a_profile(
            "example-gardens",
            unstated="The gardens decide.",
            ignores_case=ignores_case,
            levels=[GARDENS],
            examples=("kew:1", "kew:2", "oak:1"),
        )
        set_profile(
            gardens,
            by=administrator,
            profile=profile,
            basis=f"Case counts: {ignores_case}",
            replaces=replaces,
        )
        gardens.refresh_from_db()

    replace(1, ignores_case=False)
    assert SubNamespace.objects.get(prefix="Elm").key == "Elm"
    import_list('{"prefix": "ELM", "title": "Another Elm"}')
    with pytest.raises(PrefixesCollide, match="“ELM” and “Elm”"):
        replace(2, ignores_case=True)
    assert list(SubNamespace.objects.values_list("key", flat=True)) == ["ELM", "Elm", "kew", "oak"]


def test_the_database_keeps_sub_namespaces(import_list: Import, gardens: Namespace) -> None:
    import_list()
    rows = SubNamespace.objects.order_by("key")
    wrong = [
        rows.delete,
        lambda: rows.update(content={"prefix": "other", "title": "Other"}, version=2),
        lambda: rows.filter(key="oak").update(content={"prefix": "oak", "title": "Same version"}),
        lambda: ListVersion.objects.update(basis="Another"),
        lambda: Namespace.objects.update(has_subnamespaces=False),
    ]
    for change in wrong:
        with pytest.raises(IntegrityError), transaction.atomic():
            change()


@pytest.mark.parametrize(
    ("constraint", "model", "changes"),
    [
        ("one_subnamespace_per_prefix", SubNamespace, {}),
        ("subnamespace_has_a_key", SubNamespace, {"key": ""}),
        ("subnamespace_has_required_members", SubNamespace, {"key": "a", "content": {"prefix": "a"}}),
        (
            "subnamespace_status_is_known",
            SubNamespace,
            {"key": "a", "content": {"prefix": "a", "title": "A", "status": "lost"}},
        ),
        ("subnamespace_version_is_positive", SubNamespace, {"key": "a", "version": 0}),
        ("one_list_version_per_number", ListVersion, {}),
        ("list_version_is_positive", ListVersion, {"version": 0}),
        ("list_version_has_digest", ListVersion, {"version": 2, "digest": "A" * 64}),
        ("list_version_basis_is_not_empty", ListVersion, {"version": 2, "basis": ""}),
    ],
)
def test_the_database_refuses_wrong_rows(
    import_list: Import, constraint: str, model: type[Model], changes: dict[str, object]
) -> None:
    import_list()
    columns = [each for each in model._meta.concrete_fields if not (each.generated or each.primary_key)]
    row = model._default_manager.order_by("pk")[0]
    values = {each.attname: getattr(row, each.attname) for each in columns}
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        model._default_manager.create(**values | changes)


def test_the_command_loads_the_difference_and_keeps_lists_from_elsewhere(
    gardens: Namespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: str) -> str:
        call_command("load_subnamespaces", *arguments)
        return capsys.readouterr().out

    path = tmp_path / "example-gardens.jsonl"
    path.write_text(LINES, encoding="utf-8")
    (tmp_path / "example-nowhere.jsonl").write_text(LINES, encoding="utf-8")
    assert "example-gardens: would be 2 added" in run(str(tmp_path), "--dry-run")
    assert not SubNamespace.objects.exists()
    printed = run(str(tmp_path))
    assert "example-gardens: 2 added" in printed
    assert "2 lists: 1 loaded, 0 unchanged, 0 kept, 1 not registered, 0 refused" in printed
    assert "1 lists: 0 loaded, 1 unchanged" in run(str(path))
    path.write_text(LINES.splitlines()[0], encoding="utf-8")
    assert "1 retired" in run(str(path), "--basis", "A shorter list.")
    path.write_text(LINES, encoding="utf-8")
    listed = json.loads(run(str(path), "--json"))["lists"]
    assert [each["outcome"] for each in listed] == ["kept"]
    path.write_bytes(b"\xff")
    with pytest.raises(SystemExit) as stopped:
        run(str(path), "--basis", "A list.")
    assert stopped.value.code == 1
    with pytest.raises(CommandError, match="can't be read"):
        run(str(tmp_path / "none.jsonl"))


def test_many_known_prefixes_take_no_longer_than_their_number() -> None:
    """The level of a prefix was looked for in each combination of the prefixes around it."""
    profile = a_profile(levels=[{"name": "garden", "coverage": "free"}])
    labels = ["a"] * 31
    known = {":".join(labels[:number]) for number in range(1, 32)}
    assert profile.walker is not None
    assert profile.walker.level_of(":".join(labels), known) == (profile.levels[0], 0)


@pytest.fixture
def case_counts_at_the_top(gardens: Namespace, administrator: User) -> Namespace:
    """By the sample of the level below a sub-namespace, letter case does not count in the prefixes below it."""
    below = {"of": "*", "name": "bed", "coverage": "free", "separator": ":-", "sample": "-1"}
    profile = a_profile(
        "example-gardens",
        pattern="[A-Za-z]+(:[A-Za-z]+)*-[0-9]+",
        equivalence="prefix",
        levels=[{"name": "garden", "coverage": "free", "separator": ":-"}, below],
        examples=("kew-1", "kew-2", "oak-1"),
    )
    set_profile(gardens, by=administrator, profile=profile, basis="Case counts after the hyphen.", replaces=1)
    gardens.refresh_from_db()
    return gardens


DATED = '"source": "List", "as_of": "2026-01-31"}'


def test_a_new_sub_namespace_around_others_normalizes_them_again(
    case_counts_at_the_top: Namespace, import_list: Import
) -> None:
    import_list(f'{{"prefix": "a:X", "title": "X", {DATED}\n{{"prefix": "b:X", "title": "X", {DATED}')
    assert import_list(f'{{"prefix": "a", "title": "A", {DATED}').counts["changed"] == 0
    assert list(SubNamespace.objects.values_list("key", flat=True)) == ["a", "a:x", "b:X"]


def test_a_list_in_which_two_prefixes_would_become_the_same_is_refused(
    case_counts_at_the_top: Namespace, import_list: Import
) -> None:
    import_list(f'{{"prefix": "a:X", "title": "X", {DATED}\n{{"prefix": "a:x", "title": "x", {DATED}')
    with pytest.raises(PrefixesCollide, match="“a:X” and “a:x”"):
        import_list(f'{{"prefix": "a", "title": "A", {DATED}')
    assert SubNamespace.objects.count() == 2


def test_a_list_is_verified_by_a_new_profile_with_the_next_import(
    import_list: Import, gardens: Namespace, administrator: User
) -> None:
    import_list(LINES + '{"prefix": "old", "title": "Old"}')
    profile = a_profile(
        "example-gardens",
        abnf='bed = ("kew" / "oak" / "elm") ":" DIGIT',
        levels=[GARDENS],
        examples=("kew:1", "kew:2", "oak:1"),
    )
    set_profile(gardens, by=administrator, profile=profile, basis="Three gardens.", replaces=1)
    gardens.refresh_from_db()
    with pytest.raises(ListRefused, match="old: No name can begin with the prefix"):
        import_list('{"prefix": "elm", "title": "Elm"}')


def test_each_digest_stands_for_the_versions_before_it(import_list: Import) -> None:
    import_list()
    import_list('{"prefix": "oak", "title": "The Oak Park"}\n{"prefix": "elm", "title": "Elm"}')
    import_list('{"prefix": "oak", "title": "The Park", "status": "retired"}')
    rows = [*SubNamespace.objects.all(), *ReplacedSubNamespace.objects.all()]
    expected = ""
    for version in ListVersion.objects.all():
        contents = sorted(
            (each.content for each in rows if each.version == version.version), key=itemgetter("prefix")
        )
        lines = [expected] * bool(expected) + [canonical_json(each) for each in contents]
        expected = hashlib.sha256("".join(f"{each}\n" for each in lines).encode()).hexdigest()
        assert version.digest == expected
    assert (version.version, version.total) == (3, 3)
