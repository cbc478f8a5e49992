"""Verification of published files, and the publish command."""

import json
import os
import shutil
from collections.abc import Iterator
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from registry.publication.snapshot.manifest import MalformedManifest, Manifest, part_of, verify
from registry.publication.snapshot.publisher import PublishOptions, publish
from tests.publication.snapshot.registries import files, imported, read
from tests.support.databases import a_filled_database, rolled_back_in


@pytest.fixture(scope="module")
def published(
    the_test_database: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Path]]:
    """Two namespaces, published once: the name of their database, and the folder."""
    folder = tmp_path_factory.mktemp("published") / "public"

    def fill() -> None:
        imported("example-a", "example-b")
        publish(folder)

    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database, folder


@pytest.fixture
def a_snapshot(published: tuple[str, Path], django_db_blocker: Any, tmp_path: Path) -> Iterator[Path]:
    """The published files, of which a test replaces some, with their database."""
    database, folder = published
    copy = shutil.copytree(folder, tmp_path / "public", symlinks=True, copy_function=os.link)
    with django_db_blocker.unblock(), rolled_back_in(database):
        yield copy


def spoil(directory: Path, name: str, content: bytes) -> None:
    """Replace a file without changing the hard-linked files of the other trees."""
    path = directory / "current" / name
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("namespaces/example-a/index.html", b"", "changed"),
        ("namespaces/example-a/index.html", b"something else\n", "changed"),
        ("namespaces/example-c/index.html", b"new", "surplus"),
        (".hidden", b"", "surplus"),
        ("manifest/zz.sha256", b"", "surplus"),
        ("manifest/00.sha256", b"\n", "manifest"),
        ("manifest.json", b"{}\n", "manifest"),
        ("manifest.json", b"", "manifest"),
    ],
)
def test_what_was_changed_is_found(a_snapshot: Path, name: str, content: bytes, kind: str) -> None:
    spoil(a_snapshot, name, content)
    found = verify(a_snapshot)
    assert (kind, name) in [(fault.kind, fault.path) for fault in found.faults]


def test_what_is_missing_is_found_also_beside_what_is_too_many(a_snapshot: Path) -> None:
    (a_snapshot / "current" / "namespaces" / "example-a" / "index.html").unlink()
    spoil(a_snapshot, "index.htm", b"")
    assert [(fault.kind, fault.path) for fault in verify(a_snapshot).faults] == [
        ("missing", "namespaces/example-a/index.html"),
        ("surplus", "index.htm"),
    ]


@pytest.mark.exhaustive
def test_a_part_of_the_manifest_that_is_missing_is_found(a_snapshot: Path) -> None:
    (a_snapshot / "current" / "manifest" / "00.sha256").unlink()
    assert ("missing", "manifest/00.sha256") in [
        (fault.kind, fault.path) for fault in verify(a_snapshot).faults
    ]


def test_a_head_of_another_log_is_detected(published: tuple[str, Path], real_database: None) -> None:
    assert [fault.kind for fault in verify(published[1]).faults] == ["audit log"]


def test_a_copy_of_the_tree_is_verified_too(a_snapshot: Path) -> None:
    assert verify(a_snapshot / "one").faults == []
    assert verify(a_snapshot / "current").files > 10


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.update(root="0" * 64),
        lambda content: content["head"].update(number=7),
        lambda content: content.pop("root"),
        lambda content: content.pop("parts"),
        lambda content: content["parts"]["00"].update(files=7),
        lambda content: content.update(more=1),
        lambda content: content["parts"].update({"../x": {"sha256": "", "files": 0}}),
        lambda content: content.update(head=[]),
    ],
)
def test_a_manifest_that_was_changed_is_refused(a_snapshot: Path, change: Any) -> None:
    content = json.loads(read(a_snapshot, "manifest.json"))
    change(content)
    with pytest.raises(MalformedManifest):
        Manifest.from_bytes(json.dumps(content).encode())


@pytest.mark.exhaustive
def test_a_whole_run_repairs_both_trees(a_snapshot: Path) -> None:
    for name in ("namespaces/example-a/index.html", "surplus.html", "manifest/00.sha256", "manifest.json"):
        spoil(a_snapshot, name, b"something else\n")
    publish(a_snapshot, PublishOptions(is_whole=True))
    for updated in ("2021-01-01", "2022-01-01"):
        assert verify(a_snapshot).faults == []
        imported("example-a", "example-b", updated=updated)
        publish(a_snapshot)


# The command


def run(*arguments: object) -> str:
    out = StringIO()
    call_command("publish", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def test_the_command_reports_its_results(db: None, tmp_path: Path) -> None:
    imported("example-a")
    assert run(tmp_path).startswith("Published as of event 2: ")
    assert run(tmp_path) == "Nothing has changed since event 2.\n"
    assert "The snapshot is valid." in run("--verify", tmp_path)
    answer = json.loads(run("--whole", "--json", tmp_path))
    assert (answer["whole"], answer["written"], answer["removed"]) == (True, 0, 0)
    assert json.loads(run("--verify", "--json", tmp_path))["whole"]


def test_its_exit_codes_mean_something(tmp_path: Path, a_snapshot: Path) -> None:
    spoil(a_snapshot, "index.html", b"")
    out = StringIO()
    with pytest.raises(SystemExit) as leaving:
        call_command("publish", "--verify", "--json", str(a_snapshot), stdout=out)
    assert leaving.value.code == 1
    assert json.loads(out.getvalue())["first_faults"][0]["path"] == "index.html"
    (tmp_path / "file").write_text("")
    for arguments in (
        ["--verify", tmp_path / "nowhere"],
        [tmp_path / "file"],
        [tmp_path],
        ["--verify", "--whole", "x"],
    ):
        with pytest.raises(CommandError) as refusal:
            run(*arguments)
        assert refusal.value.returncode == 2, arguments


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["manifest.json", "manifest/00.sha256"])
@pytest.mark.parametrize("content", [b"{}\n", None])
def test_a_damaged_manifest_is_reported_with_advice(
    a_snapshot: Path, name: str, content: bytes | None
) -> None:
    for tree in ("one", "two"):
        (a_snapshot / tree / name).unlink()
        if content is not None:
            (a_snapshot / tree / name).write_bytes(content)
    before = files(a_snapshot / "current")
    # A change in the part of the manifest that is damaged.
    nid = next(nid for nid in map("example-{}".format, count()) if part_of(page_of(nid)) == "00")
    imported("example-a", "example-b", nid, updated="2021-01-01")
    with pytest.raises(
        CommandError, match=f"To write everything again, run `manage.py publish --whole {a_snapshot}`"
    ) as refusal:
        run(a_snapshot)
    assert refusal.value.returncode == 1
    assert name in str(refusal.value)
    assert files(a_snapshot / "current") == before


def page_of(nid: str) -> str:
    return f"namespaces/{nid}/index.html"


@pytest.mark.parametrize("number", ["", "0", "-1", "1\n", "²", "two", "1.0"])
def test_a_number_of_processes_is_a_number(tmp_path: Path, number: str) -> None:
    with pytest.raises(CommandError, match="is not a number of processes"):
        run(f"--jobs={number}", tmp_path)
