"""`manage.py import_iana`: output, exit status, and rejection of malformed files."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from registry.publication.iana import file_reader
from registry.publication.iana.file_reader import read_versions
from registry.publication.iana.importing.importer import import_versions
from registry.publication.iana.records import NothingToRead
from registry.registration_template import format_template
from tests.data import IANA_NEWEST
from tests.publication.iana.samples import a_record, an_xml
from tests.support.factories import a_namespace, a_profile, a_template

pytestmark = pytest.mark.django_db


def run(*arguments: object, **options: object) -> str:
    out = StringIO()
    call_command("import_iana", *map(str, arguments), stdout=out, stderr=out, **options)
    return out.getvalue()


def in_a_file(folder: Path, content: bytes, name: str = "urn-namespaces.xml") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_it_reports_counts_and_no_changes_on_a_second_run() -> None:
    assert "97 formal and 8 informal namespaces; 105 added" in run(IANA_NEWEST)
    assert "no change" in run(IANA_NEWEST)


def test_a_dry_run_is_marked_and_changes_nothing(tmp_path: Path) -> None:
    said = run(in_a_file(tmp_path, an_xml(formal=a_record("example-a"))), "--dry-run")
    assert "1 added" in said
    assert "Nothing was changed" in said
    assert not Namespace.objects.exists()
    assert not Event.objects.exists()


def test_json_contains_everything(tmp_path: Path) -> None:
    answer = json.loads(run(in_a_file(tmp_path, an_xml(formal=a_record("example-a"))), "--json"))
    (file,) = answer["files"]
    assert (answer["changed"], answer["dry_run"], file["formal"], file["counts"]) == (
        True,
        False,
        1,
        {"added": 1},
    )
    assert file["findings"][0]["changes"]["references"] == ["", "rfc:rfc8141"]
    assert len(file["sha256"]) == 64


def test_json_of_several_files_is_one_object_with_each_finding(tmp_path: Path) -> None:
    for day, names in (("01", ""), ("02", "ab"), ("03", "abc")):
        records = "".join(a_record(f"example-{name}") for name in names)
        content = an_xml(updated=f"2020-01-{day}", formal=records)
        in_a_file(tmp_path, content, f"{day}.urn-namespaces.xml")
    answer = json.loads(run(tmp_path, "--json", "--dry-run"))
    assert set(answer) == {"changed", "dry_run", "files", "templates"}
    assert [[each["nid"] for each in file["findings"]] for file in answer["files"]] == [
        [],
        ["example-a", "example-b"],
        ["example-c"],
    ]
    assert answer["files"][1]["counts"] == {"added": 2}


def test_templates_that_contradict_a_profile_are_listed_and_imported(tmp_path: Path) -> None:
    path = in_a_file(tmp_path, an_xml(formal=a_record("example-trees")))
    run(path)
    trees = Namespace.objects.get(nid="example-trees")
    set_profile(trees, by=None, profile=a_profile(), basis="The files.", replaces=0)
    folder = tmp_path / "templates"
    folder.mkdir()
    template = a_template(syntax="As in urn:example-trees:twelve:x.")
    (folder / "example-trees.txt").write_text(format_template(template), encoding="utf-8")
    said = run(path, "--templates", folder)  # without an exit status, which would be an exception
    line = "  example-trees.txt contradicts the profile of “example-trees”: The registration contains"
    assert f"{line} urn:example-trees:twelve:x, but: " in said
    assert "1 templates: 1 imported, 1 contradicting a profile." in said
    assert trees.revisions.count() == 1
    answer = json.loads(run(path, "--templates", folder, "--json"))
    [result] = answer["templates"]
    assert (answer["changed"], len(result["contradictions"])) == (False, 1)


def test_a_directory_is_read_oldest_first(tmp_path: Path) -> None:
    in_a_file(
        tmp_path,
        an_xml(updated="2021-01-01", formal=a_record("example-a", rfc="rfc2")),
        "a.urn-namespaces.xml",
    )
    in_a_file(
        tmp_path,
        an_xml(updated="2020-01-01", formal=a_record("example-a", rfc="rfc1")),
        "b.urn-namespaces.xml",
    )
    in_a_file(tmp_path, b"not ours", "notes.txt")
    said = run(tmp_path)
    assert said.index("2020-01-01") < said.index("2021-01-01")
    assert "changed: example-a (references rfc:rfc1 → rfc:rfc2)" in said


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        (
            "urn-namespaces.xml",
            an_xml(formal=a_record("example-a"))[:-30],
            "urn-namespaces.xml, line 10, column 1",
        ),
        ("urn-namespaces.xml", b"<registry/>", "urn-namespaces.xml, line 1, column 1"),
        ("urn-namespaces.xml", b"", "urn-namespaces.xml, line 1, column 1"),
        ("urn-namespaces-1.csv", b"a,b,c\r\n", "urn-namespaces-1.csv, line 1"),
        ("urn-namespaces-1.csv", b"URN Namespace,Template,Reference\r\nx", "urn-namespaces-1.csv, line 2"),
    ],
)
def test_a_malformed_file_changes_nothing_and_is_reported_with_the_position(
    tmp_path: Path, name: str, content: bytes, place: str
) -> None:
    folder = tmp_path / "versions"
    folder.mkdir()
    in_a_file(folder, an_xml(formal=a_record("example-b")), "2019.urn-namespaces.xml")
    in_a_file(folder, content, name)
    with pytest.raises(CommandError) as refusal:
        run(folder)
    assert refusal.value.returncode == 1
    assert place in str(refusal.value)
    assert str(refusal.value).endswith("Nothing was changed.")
    assert "\n" not in str(refusal.value)
    assert not Namespace.objects.exists()
    assert not Event.objects.exists()


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "urn-namespaces.xml"
    with path.open("wb") as stream:
        stream.truncate(1024**3)  # a gigabyte of nothing, which takes no place on the disk
    with pytest.raises(CommandError, match="larger than 512 MB") as refusal:
        run(path)
    assert refusal.value.returncode == 1


def test_the_bound_can_be_lowered_and_raised(tmp_path: Path) -> None:
    note = f"<note>{'a' * 1024**2}</note>"
    path = in_a_file(tmp_path, an_xml(formal=a_record("example-a"), head=note))
    with pytest.raises(CommandError, match=r"larger than 1 MB.*--max-size"):
        run(path, "--max-size", 1)
    assert not Namespace.objects.exists()
    assert "1 added" in run(path, "--max-size", 2)


def test_a_file_of_exactly_the_bound_is_read(tmp_path: Path) -> None:
    content = an_xml(formal=a_record("example-a"))
    path = in_a_file(tmp_path, content)
    assert len(read_versions(path, max_bytes=len(content))) == 1
    with pytest.raises(file_reader.MalformedFile, match="larger"):
        read_versions(path, max_bytes=len(content) - 1)


@pytest.mark.parametrize("size", ["0", "-1", "１", "many", "1\n"])
def test_a_bound_is_a_number(tmp_path: Path, size: str) -> None:
    with pytest.raises(CommandError, match="max-size"):
        run(tmp_path, "--max-size", size)


def test_what_is_not_there_is_misuse(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.xml", tmp_path):
        with pytest.raises(CommandError) as refusal:
            run(path)
        assert refusal.value.returncode == 2


def test_a_directory_without_a_file_of_the_registry_is_named(tmp_path: Path) -> None:
    with pytest.raises(NothingToRead, match="urn-namespaces"):
        read_versions(tmp_path)


def test_a_conflict_is_reported_and_the_rest_is_imported(
    tmp_path: Path, registrant: User, expert: User, administrator: User
) -> None:
    ours = a_namespace(by=registrant, expert=expert, administrator=administrator)
    path = in_a_file(tmp_path, an_xml(formal=a_record(ours.nid) + a_record("example-b")))
    out = StringIO()
    with pytest.raises(SystemExit) as leaving:
        call_command("import_iana", str(path), stdout=out, stderr=out)
    assert leaving.value.code == 1
    assert f"conflict: {ours.nid}" in out.getvalue()
    assert Namespace.objects.filter(nid="example-b").exists()


def test_import_progress_is_reported(tmp_path: Path) -> None:
    for day in ("01", "02", "03"):
        content = an_xml(updated=f"2020-01-{day}", formal=a_record("example-a"))
        in_a_file(tmp_path, content, f"{day}.urn-namespaces.xml")
    read: list[tuple[int, int]] = []
    written: list[tuple[int, int]] = []
    versions = read_versions(tmp_path, on_read=lambda *count: read.append(count))
    import_versions(versions, on_import=lambda *count: written.append(count))
    assert read == written == [(1, 3), (2, 3), (3, 3)]


def test_progress_is_shown_on_a_terminal_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = in_a_file(tmp_path, an_xml(formal=a_record("example-a")))
    terminal = StringIO()
    monkeypatch.setattr("sys.stderr", terminal)
    run(path)
    assert terminal.getvalue() == ""
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    run(path)
    assert "Read 1 of 1 files\n" in terminal.getvalue()
    assert "Imported 1 of 1 files\n" in terminal.getvalue()


def test_a_date_before_a_csvs_name_is_its_date(tmp_path: Path) -> None:
    content = b"URN Namespace,Template,Reference\r\nisbn,,[RFC3187]\r\n"
    for name, updated in (
        ("2021-07-01.urn-namespaces-1.csv", "2021-07-01"),
        ("20210701T2005_3bba83f41.urn-namespaces-1.csv", "2021-07-01"),
        ("2021-0701.urn-namespaces-1.csv", ""),
        ("202107011.urn-namespaces-1.csv", ""),
        ("2021-02-30.urn-namespaces-1.csv", ""),
        ("urn-namespaces-1.csv", ""),
    ):
        (version,) = read_versions(in_a_file(tmp_path, content, name))
        assert version.file.updated == updated
