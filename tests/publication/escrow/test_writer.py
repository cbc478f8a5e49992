"""Writing an escrow: the exported tables, the directory, and the command."""

import json
import os
import signal
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection

from registry.accounts.models import PendingGrant, User
from registry.publication.atomic_files import DirectoryBusy, NotOurDirectory, current_folder, lock_directory
from registry.publication.escrow.restorer import find_escrow
from registry.publication.escrow.tables import (
    EXCLUDED_COLUMNS,
    EXCLUDED_ROWS,
    EXCLUDED_TABLES,
    all_models,
    exported_tables,
    is_exported,
)
from registry.publication.escrow.writer import write_escrow
from tests.publication.escrow.escrow_files import files
from tests.support.databases import a_fresh_database
from tests.support.factories import a_person
from tests.support.processes import ended, escrow_and_die, start

# What leaves


def test_every_model_leaves_or_stays_for_a_reason() -> None:
    """Tables of other packages must be listed; the registry's own are exported by default."""
    undecided = [
        model._meta.label
        for model in all_models()
        if not is_exported(model) and model._meta.label not in EXCLUDED_TABLES
    ]
    assert undecided == []
    labels = {model._meta.label for model in all_models()}
    assert set(EXCLUDED_TABLES) <= labels, "a model that is gone is still on the list"
    assert all(EXCLUDED_TABLES.values())


@pytest.mark.django_db
def test_no_table_without_a_model_is_forgotten() -> None:
    # The cache counts attempts to sign in, which do not outlast an hour.
    known = {model._meta.db_table for model in all_models()} | {"django_migrations", "core_cache"}
    assert set(connection.introspection.table_names()) - known == set()


SECRETS = ("password", "secret", "token", "session", "key")
NOT_SECRET = {
    "subnamespaces.SubNamespace.key",  # normalized prefixes
    "registers.EntryRequest.key",
    "audit_log.Cosignature.key",  # verifier keys of witnesses
}


def test_no_column_that_leaves_sounds_like_a_secret() -> None:
    found = [
        f"{table.label}.{column}"
        for table in exported_tables()
        for column in table.columns
        if any(word in column for word in SECRETS)
    ]
    assert set(found) == NOT_SECRET


def test_a_column_that_stays_is_there() -> None:
    for label, columns in EXCLUDED_COLUMNS.items():
        assert set(columns) <= {field.column for field in apps.get_model(label)._meta.local_concrete_fields}


def test_no_column_that_leaves_refers_to_a_table_that_stays() -> None:
    """A restored row would refer to a row that is not there."""
    found = [
        f"{table.label}.{field.column}"
        for table in exported_tables()
        for field in apps.get_model(table.label)._meta.local_concrete_fields
        if field.column in table.columns and field.related_model and not is_exported(field.related_model)
    ]
    assert found == []


def test_every_pending_grant_of_a_token_stays() -> None:
    grants = {model._meta.label for model in all_models() if issubclass(model, PendingGrant)}
    assert set(EXCLUDED_ROWS) == grants


def test_those_that_are_referred_to_come_first() -> None:
    order = [table.label for table in exported_tables()]
    for first, second in (
        ("accounts.User", "accounts.Role"),
        ("cases.Round", "cases.Review"),
    ):
        assert order.index(first) < order.index(second)


def test_no_password_and_no_mail_is_in_it(a_full_escrow: Path) -> None:
    assert not any(
        b"md5$" in content or b'"password"' in content for content in files(a_full_escrow).values()
    )
    assert not any("message" in name for name in files(a_full_escrow))


def test_the_sample_has_rows(a_full_escrow: Path) -> None:
    rows = {label: entry["rows"] for label, entry in find_escrow(a_full_escrow).manifest["tables"].items()}
    for name in ("ActionPoint", "Reply", "Comment", "Subscription"):
        assert rows[f"cases.{name}"] > 0
    assert rows["accounts.Body_representatives"] > 0
    assert rows["publication.IanaRecord"] > 100


# The directory


def test_a_killed_run_leaves_the_old_escrow_whole_and_the_next_run_clears_up(
    real_database: None, tmp_path: Path
) -> None:
    write_escrow(tmp_path / "kept")
    before, name = files(tmp_path / "kept"), current_folder(tmp_path / "kept")
    a_person(email="later@example.org")
    for step in (
        "registry.publication.escrow.writer.set_current",
        "registry.publication.escrow.writer.last_key",
    ):
        process = start(escrow_and_die, step, str(tmp_path / "kept"))
        assert ended(process) == -signal.SIGKILL
        assert (current_folder(tmp_path / "kept"), files(tmp_path / "kept")) == (name, before)
    write_escrow(tmp_path / "kept")
    assert files(tmp_path / "kept") != before
    assert len(list((tmp_path / "kept").glob("escrow-*"))) == 2


def test_the_last_two_are_kept(real_database: None, tmp_path: Path) -> None:
    folders = [write_escrow(tmp_path / "kept").folder for _ in range(3)]
    assert [folder.exists() for folder in folders] == [False, True, True]
    assert current_folder(tmp_path / "kept") == folders[-1].name


def test_two_runs_do_not_write_into_one_directory(real_database: None, tmp_path: Path) -> None:
    write_escrow(tmp_path / "kept")
    with lock_directory(tmp_path / "kept", marker=".escrows"), pytest.raises(DirectoryBusy):
        write_escrow(tmp_path / "kept")


def test_a_directory_with_other_files_is_not_used(real_database: None, tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("Dear expert")
    with pytest.raises(NotOurDirectory, match=r"letters\.txt"):
        write_escrow(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["letters.txt"]


def test_escrow_files_are_readable_by_their_owner_only(real_database: None, tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        folder = write_escrow(tmp_path / "kept").folder
    finally:
        os.umask(mask)
    assert {each.stat().st_mode & 0o777 for each in (folder.parent, folder)} == {0o700}
    assert {each.stat().st_mode & 0o777 for each in folder.iterdir()} == {0o600}


# The command


def run(*arguments: object) -> str:
    out = StringIO()
    call_command("escrow", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def test_the_command_writes_verifies_and_restores(real_database: None, tmp_path: Path) -> None:
    a_person(email="somebody@example.org")
    assert run(tmp_path / "kept").startswith("Written: ")
    assert run("--verify", tmp_path / "kept").startswith("Verified: ")
    answer = json.loads(run("--verify", "--json", tmp_path / "kept"))
    assert answer["tables"]["accounts.User"] == 1
    with a_fresh_database():
        assert run("--restore", tmp_path / "kept").startswith("Restored: ")
        assert User.objects.count() == 1


def test_its_exit_codes_mean_something(real_database: None, tmp_path: Path, an_escrow: Path) -> None:
    (an_escrow / "accounts.user.jsonl").write_text("")
    (tmp_path / "file").write_text("")
    for arguments, code in (
        (["--verify", an_escrow], 1),
        (["--restore", an_escrow], 1),
        (["--verify", tmp_path / "nowhere"], 2),
        ([tmp_path / "file"], 2),
        ([tmp_path], 2),
    ):
        with pytest.raises(CommandError) as refusal:
            run(*arguments)
        assert refusal.value.returncode == code, arguments
