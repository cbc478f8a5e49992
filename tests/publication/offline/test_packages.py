"""`manage.py build_data_package`: what the packages contain, that they can be made again, and what is too much."""

import csv
import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from registry.accounts.models import User
from registry.audit_log.heads import publish_head
from registry.audit_log.models import SignedHead
from registry.namespaces.models import Namespace
from registry.publication.offline import archives, contents
from registry.publication.offline.archives import MAX_OCTETS, packages
from registry.publication.offline.contents import (
    NothingToPackage,
    TooMuchToPackage,
    UnknownPart,
    read_contents,
)
from registry.subnamespaces.models import SubNamespace
from tests.publication.offline.conftest import Built
from tests.publication.snapshot.registries import imported
from tests.support.factories import a_namespace
from urnsyntax.profiles.subnamespaces.importing import MEMBERS

DATA = "urn_registry_data"


def in_wheel(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def in_npm_archive(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as archive:
        return {each.name: archive.extractfile(each).read() for each in archive}  # type: ignore[union-attr]


def part_of(path: Path, name: str) -> Any:
    return json.loads(in_wheel(path)[f"{DATA}/{name}.json"])


def test_both_packages_have_at_most_400_000_octets(built: Built) -> None:
    """The demonstration has IANA's registry with all profiles and lists."""
    sizes = {path.name: path.stat().st_size for path in built.folder.iterdir()}
    assert sizes == built.said["files"]
    assert len(sizes) == 2
    assert max(sizes.values()) <= MAX_OCTETS == 400_000
    assert built.said["left_out"] == {}
    assert built.said["parts"]["namespaces"] > 105


def test_both_packages_have_the_same_data(built: Built) -> None:
    wheel, npm_archive = in_wheel(built.wheel), in_npm_archive(built.npm_archive)
    exports = json.loads(npm_archive["package/package.json"])["exports"]
    assert list(exports) == ["types", "default"], "the first condition that fits counts"
    parts = [Path(name).stem for name in wheel if name.endswith(".json")]
    assert sorted(parts) == ["about", "namespaces", "profiles", "proofs", "subnamespaces", "unregistered"]
    for part in parts:
        assert npm_archive[f"package/{part}.js"] == b"export default " + wheel[f"{DATA}/{part}.json"] + b";\n"


def test_the_record_of_the_wheel_lists_each_file_with_its_digest(built: Built) -> None:
    files = in_wheel(built.wheel)
    [record] = [name for name in files if name.endswith("/RECORD")]
    rows = {path: (digest, size) for path, digest, size in csv.reader(io.StringIO(files[record].decode()))}
    assert rows.pop(record) == ("", "")
    assert rows == {
        path: (f"sha256={archives._digest(content)}", str(len(content)))
        for path, content in files.items()
        if path != record
    }


def test_every_namespace_has_a_proof_and_no_contact(built: Built) -> None:
    namespaces = part_of(built.wheel, "namespaces")
    assert part_of(built.wheel, "proofs").keys() == namespaces.keys()
    assert "@" not in json.dumps(namespaces)
    assert "contact" not in {name for each in namespaces.values() for name in each}
    listed = [row for rows in part_of(built.wheel, "subnamespaces").values() for row in rows]
    assert listed
    assert all(row.keys() <= set(MEMBERS) for row in listed)


def test_the_same_registry_makes_the_same_packages(
    administrator: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported("trees", "gardens")
    publish_head()
    for name in ("first", "second"):
        call_command("build_data_package", str(tmp_path / name), "--date", "2026-02-03")
        assert ": namespaces: 2, profiles: 0, lists of sub-namespaces: 0, rep" in capsys.readouterr().out
    made = [
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("first", "second")
    ]
    assert made[0] == made[1]
    assert set(made[0]) == {f"{DATA}-2026.2.3-py3-none-any.whl", "urn-registry-data-2026.2.3.tgz"}


def test_without_a_head_there_is_no_proof(registrant: User, expert: User, administrator: User) -> None:
    imported("trees")
    before = read_contents()
    assert (before["about"]["head"], before["proofs"]) == ("", {})
    a_namespace(
        by=registrant, expert=expert, administrator=administrator
    )  # the registration publishes a head
    size = SignedHead.objects.get().size
    imported("gardens", "trees", updated="2021-01-01")
    after = read_contents()
    assert set(after["proofs"]) == {"trees", "example-trees"}
    assert set(after["namespaces"]) == {"trees", "gardens", "example-trees"}
    assert after["about"]["event"] > size
    assert after["namespaces"]["example-trees"]["version"]["version"] == 1


def test_a_long_list_is_left_out_and_named(
    monkeypatch: pytest.MonkeyPatch, demonstration_database: None
) -> None:
    monkeypatch.setattr(contents, "LONGEST_LIST", 300)
    count = SubNamespace.objects.filter(namespace__nid="nbn").count()
    read = read_contents(leave_out=["lex"])
    assert read["about"]["left_out"].keys() == {"ietf", "nbn", "lex"}
    assert read["about"]["left_out"]["nbn"] == count > 300
    assert read["subnamespaces"].keys() & {"ietf", "nbn", "lex"} == set()
    assert "oasis" in read["subnamespaces"]
    monkeypatch.setattr(contents, "MAX_ENTRIES", 100)
    with pytest.raises(
        TooMuchToPackage, match=r"a package at most 100\. Leave out long ones, with --leave-out: "
    ):
        read_contents()
    with pytest.raises(UnknownPart, match="“isbn” has no list of sub-namespaces"):
        read_contents(leave_out=["isbn"])


def test_a_package_that_is_too_large_names_what_to_leave_out(
    monkeypatch: pytest.MonkeyPatch, demonstration_database: None
) -> None:
    publish_head()
    read = read_contents()
    monkeypatch.setattr(archives, "MAX_OCTETS", 120_000)
    with pytest.raises(
        TooMuchToPackage, match=r"at most 120,000.*--leave-out: proofs \([0-9,]+ octets\), ietf"
    ):
        packages(read, "2026.11.30")
    smaller = read_contents(leave_out=["ietf", "proofs"])
    assert smaller["about"]["left_out"] == {
        "ietf": len(read["subnamespaces"]["ietf"]),
        "proofs": len(read["proofs"]),
    }
    assert all(len(octets) <= 120_000 for octets in packages(smaller, "2026.11.30").values())


def test_nothing_and_too_much_are_refused(db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(NothingToPackage):
        read_contents()
    imported("trees", "gardens")
    monkeypatch.setattr(contents, "MAX_NAMESPACES", 1)
    with pytest.raises(CommandError, match="The registry has 2 namespaces"):
        call_command("build_data_package", str(tmp_path / "packages"))
    assert not (tmp_path / "packages").exists()
    assert Namespace.objects.count() == 2


def test_the_address_of_the_demonstration_is_refused(
    db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    imported("trees")
    monkeypatch.delenv("PUBLIC_ORIGIN")
    with pytest.raises(CommandError, match=r"^PUBLIC_ORIGIN is not set, so http://localhost") as refused:
        call_command("build_data_package", str(tmp_path / "packages"))
    assert refused.value.returncode == 2
    assert not (tmp_path / "packages").exists()


def test_a_folder_that_is_a_file_is_refused(db: None, tmp_path: Path) -> None:
    imported("trees")
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match=r"file is a file\. Name a folder") as refused:
        call_command("build_data_package", str(tmp_path / "file"))
    assert refused.value.returncode == 2


def test_the_archives_have_no_times_of_the_run(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        assert {each.date_time for each in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert built.npm_archive.read_bytes()[4:8] == bytes(4)  # the time in the header of gzip (RFC 1952)
    assert gzip.decompress(built.npm_archive.read_bytes())
