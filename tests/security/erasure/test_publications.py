"""Erasure of personal data: exports, snapshots and escrows, and the restoration of older copies."""

import json
from pathlib import Path

import pytest

from registry.accounts.models import User
from registry.audit_log.verification import verify
from registry.publication.escrow.restorer import restore
from registry.publication.escrow.writer import write_escrow
from registry.publication.formats.export_formats import FILES
from registry.publication.snapshot.publisher import publish
from tests.security.erasure.erasing import REASON, erase, run, tables_with_traces, traces_in
from tests.security.erasure.leaver import ADDRESS
from tests.support.databases import a_fresh_database
from tests.support.factories import a_person


def test_exports_contain_nothing_of_the_person(registry: None) -> None:
    def written() -> list[str]:
        return [b"".join(file.write()).decode() for file in FILES.values()]

    assert traces_in(written())
    erase()
    assert not traces_in(written())


@pytest.mark.exhaustive
def test_a_snapshot_contains_nothing_of_the_person(registry: None, tmp_path: Path) -> None:
    def files() -> list[str]:
        return [file.read_bytes().decode(errors="replace") for file in tmp_path.rglob("*") if file.is_file()]

    publish(tmp_path)
    assert traces_in(files())
    erase()
    publish(tmp_path)
    assert not traces_in(files())


@pytest.mark.exhaustive
def test_an_escrow_contains_nothing_of_the_person(registry: None, tmp_path: Path) -> None:
    def written(name: str) -> list[str]:
        folder = write_escrow(tmp_path / name).folder
        return [file.read_text(encoding="utf-8") for file in folder.iterdir()]

    assert traces_in(written("before"))
    erase()
    assert not traces_in(written("after"))


@pytest.mark.exhaustive
def test_an_escrow_of_an_erased_person_is_restored_and_valid(
    committed_registry: None, tmp_path: Path
) -> None:
    erase()
    write_escrow(tmp_path)
    erased = verify().erased
    with a_fresh_database():
        restore(tmp_path)
        assert (verify().faults, verify().erased) == ([], erased)


@pytest.mark.exhaustive
def test_an_older_escrow_is_erased_again_from_the_list(committed_registry: None, tmp_path: Path) -> None:
    listed = tmp_path / "erased"
    write_escrow(tmp_path / "older")
    run(ADDRESS, "--reason", REASON, "--with-texts", "--no-input", "--list", str(listed))
    assert not traces_in([listed.read_text()])
    assert listed.stat().st_mode & 0o777 == 0o600
    with a_fresh_database():
        restore(tmp_path / "older")
        # The accounts have other numbers in another copy, and others have joined.
        a_person(email="leaver@example.com")
        said = json.loads(run("--again", str(listed), "--json"))
        assert [each["address"] for each in said["people"]] == [ADDRESS]
        assert not tables_with_traces() - {"accounts_user", "account_emailaddress"}
        assert User.objects.filter(email="leaver@example.com").exists()
        assert verify().faults == []
        assert json.loads(run("--again", str(listed), "--json")) == {"people": []}
