"""Everything out and back in: an escrow of an escrow's restoration is the same to the byte."""

import hashlib
import json
import os
import signal
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection
from django.test import Client

from registry.accounts.models import User
from registry.mail.models import Message
from registry.namespaces.models import InformalCounter, Namespace
from registry.publication import demonstration
from registry.publication.escrow import MANIFEST, write_escrow
from registry.publication.restoring import (
    DamagedEscrow,
    NoEscrow,
    NotEmpty,
    OtherTables,
    RefusedByDatabase,
    find_escrow,
    restore,
)
from registry.publication.switching import AnotherRun, NotOurs, current, held
from registry.publication.tables import COLUMNS_THAT_STAY, STAYS, every_model, leaves, tables
from registry.record.models import BrokenRecord, Event, Head
from registry.registrations import drafts
from registry.registrations.models import Registration
from tests.databases import a_copy_of_the_test_database, an_empty_database, in_sql
from tests.factories import a_person
from tests.processes import ended, escrow_and_die, start

Change = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def a_full_escrow(
    the_test_database: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Of the demonstration: cases in every state, people of every role, IANA's registry."""
    directory = tmp_path_factory.mktemp("escrow") / "full"
    with django_db_blocker.unblock(), a_copy_of_the_test_database():
        demonstration.set_up()
        write_escrow(directory)
    return directory


@pytest.fixture
def an_escrow(a_full_escrow: Path, tmp_path: Path) -> Path:
    """A copy to spoil: a folder with the files, as somebody has brought it from elsewhere."""
    folder = tmp_path / "brought"
    folder.mkdir()
    for file in (a_full_escrow / "current").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def files(directory: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (directory / "current").iterdir()}


def rewrite(folder: Path, label: str, change: Change, *, with_digest: bool = True) -> None:
    """Change the first row of a table, and the manifest with it."""
    manifest = json.loads((folder / MANIFEST).read_text())
    entry = manifest["tables"][label]
    path = folder / entry["file"]
    first, *rest = path.read_text().splitlines(keepends=True)
    row = json.loads(first)
    change(row)
    path.write_text("".join([json.dumps(row) + "\n", *rest]))
    if with_digest:
        entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / MANIFEST).write_text(json.dumps(manifest))


def in_manifest(folder: Path, change: Change) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    change(manifest)
    (folder / MANIFEST).write_text(json.dumps(manifest))


# What leaves


def test_every_model_leaves_or_stays_for_a_reason() -> None:
    """Other packages' tables have to be named; the registry's own leave by themselves."""
    undecided = [
        model._meta.label for model in every_model() if not leaves(model) and model._meta.label not in STAYS
    ]
    assert undecided == []
    labels = {model._meta.label for model in every_model()}
    assert set(STAYS) <= labels, "a model that is gone is still on the list"
    assert all(STAYS.values())


@pytest.mark.django_db
def test_no_table_without_a_model_is_forgotten() -> None:
    known = {model._meta.db_table for model in every_model()} | {"django_migrations"}
    assert set(connection.introspection.table_names()) - known == set()


SECRETS = ("password", "secret", "token", "session", "key")


def test_no_column_that_leaves_sounds_like_a_secret() -> None:
    found = [
        f"{table.label}.{column}"
        for table in tables()
        for column in table.columns
        if any(word in column for word in SECRETS)
    ]
    assert found == []


def test_a_column_that_stays_is_there() -> None:
    for label, columns in COLUMNS_THAT_STAY.items():
        assert set(columns) <= {field.column for field in apps.get_model(label)._meta.local_concrete_fields}


def test_those_that_are_referred_to_come_first() -> None:
    order = [table.label for table in tables()]
    for first, second in (
        ("accounts.User", "accounts.Role"),
        ("registrations.Submission", "registrations.Review"),
    ):
        assert order.index(first) < order.index(second)


def test_no_password_and_no_mail_is_in_it(a_full_escrow: Path) -> None:
    assert not any(
        b"md5$" in content or b'"password"' in content for content in files(a_full_escrow).values()
    )
    assert not any("message" in name for name in files(a_full_escrow))


# There and back


def test_an_escrow_restored_and_written_again_is_the_same(
    a_full_escrow: Path, real_database: None, tmp_path: Path
) -> None:
    restore(a_full_escrow)
    write_escrow(tmp_path / "again")
    assert files(tmp_path / "again") == files(a_full_escrow)


def test_what_triggers_make_is_made_anew_and_equal(real_database: None, tmp_path: Path) -> None:
    demonstration.set_up()
    before = what_follows()
    write_escrow(tmp_path / "full")
    with an_empty_database():
        restore(tmp_path / "full")
        assert what_follows() == before
    assert len(before) == Namespace.objects.count() > 100


def what_follows() -> list[tuple[Any, ...]]:
    """What the database keeps beside each namespace by itself: the words of a search, the API's answer."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT n.nid, n.words, a.body, a.digest, a.last_modified "
            "FROM namespaces_namespace n JOIN namespaces_answer a ON a.namespace_id = n.id ORDER BY n.nid"
        )
        return cursor.fetchall()


def test_the_sample_has_rows(a_full_escrow: Path) -> None:
    rows = {label: entry["rows"] for label, entry in find_escrow(a_full_escrow)[1]["tables"].items()}
    for name in ("ActionPoint", "Answer", "Comment", "Watch"):
        assert rows[f"registrations.{name}"] > 0
    assert rows["accounts.Body_representatives"] > 0
    assert rows["publication.IanaRecord"] > 100


def test_strange_texts_come_back(real_database: None, tmp_path: Path) -> None:
    strange = 'quote " back\\slash \\. \n\r\t comma, ünïcode   😀 \\u0041 \x01\x02\x7f'
    a_person(email="strange@example.org", name=strange)
    write_escrow(tmp_path / "one")
    with an_empty_database():
        restore(tmp_path / "one")
        assert User.objects.get(email="strange@example.org").name == strange
        write_escrow(tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_the_registry_goes_on_after_a_restore(a_full_escrow: Path, real_database: None) -> None:
    restore(a_full_escrow)
    known = Registration.objects.order_by("-pk").values_list("pk", flat=True)[0]
    registrant = User.objects.get(email="registrant@example.org")
    begun = drafts.begin(
        by=registrant, kind="formal", body=None, content=Registration.objects.first().content
    )
    assert begun.pk > known
    assert Head.objects.get().number == Event.objects.count() > 100
    assert InformalCounter.objects.count() == 1
    with pytest.raises(IntegrityError, match="written once"):
        in_sql("UPDATE record_event SET reason = 'another'")


def test_nobody_signs_in_with_the_old_password_and_a_new_one_is_set_by_mail(
    a_full_escrow: Path, real_database: None
) -> None:
    restore(a_full_escrow)
    registrant = User.objects.get(email="registrant@example.org")
    assert not registrant.has_usable_password()
    client = Client()
    answer = client.post("/accounts/login/", {"login": registrant.email, "password": demonstration.PASSWORD})
    assert answer.status_code == 200
    client.post("/accounts/password/reset/", {"email": registrant.email})
    assert "/accounts/password/reset/key/" in Message.objects.get(to=registrant.email).body


# What is refused


@pytest.mark.usefixtures("real_database")
class TestARestoreThatIsRefused:
    """Each leaves the database as it was: empty."""

    @pytest.fixture(autouse=True)
    def nothing_is_changed(self, real_database: None) -> Any:
        yield
        assert not Event.objects.exists()
        assert not Namespace.objects.exists()

    def test_a_byte_is_another(self, an_escrow: Path) -> None:
        rewrite(an_escrow, "accounts.User", lambda row: row.update(name="Somebody else"), with_digest=False)
        with pytest.raises(DamagedEscrow, match=r"accounts\.user\.jsonl is not as it was written"):
            restore(an_escrow)

    def test_a_file_is_missing(self, an_escrow: Path) -> None:
        (an_escrow / "record.event.jsonl").unlink()
        with pytest.raises(DamagedEscrow, match=r"is missing: the rows of record\.Event"):
            restore(an_escrow)

    def test_a_line_is_too_many(self, an_escrow: Path) -> None:
        with (an_escrow / "record.event.jsonl").open("a") as file:
            file.write("\n")
        with pytest.raises(DamagedEscrow, match="not as it was written"):
            restore(an_escrow)

    def test_an_event_says_something_else_and_the_digests_of_the_files_agree(self, an_escrow: Path) -> None:
        rewrite(an_escrow, "record.Event", lambda row: row.update(reason="another"))
        with pytest.raises(BrokenRecord, match="Event 1 was changed"):
            restore(an_escrow)

    def test_the_record_ends_elsewhere(self, an_escrow: Path) -> None:
        in_manifest(an_escrow, lambda manifest: manifest["head"].update(number=1))
        with pytest.raises(DamagedEscrow, match="the manifest says 1"):
            restore(an_escrow)

    def test_a_row_breaks_a_constraint(self, an_escrow: Path) -> None:
        rewrite(an_escrow, "namespaces.Namespace", lambda row: row.update(nid="UPPER"))
        with pytest.raises(RefusedByDatabase, match="nid_is_well_formed"):
            restore(an_escrow)

    @pytest.mark.parametrize("line", [b'{"id": "\xff"}\n', b'{"id": "\x00"}\n', b"{\n", b"[]\n", b"\\.\n"])
    def test_a_line_is_no_row(self, an_escrow: Path, line: bytes) -> None:
        path = an_escrow / "accounts.role.jsonl"
        path.write_bytes(line)
        said = {"sha256": hashlib.sha256(line).hexdigest(), "rows": 1}
        in_manifest(an_escrow, lambda manifest: manifest["tables"]["accounts.Role"].update(said))
        with pytest.raises(RefusedByDatabase, match=r"accounts\.role\.jsonl: "):
            restore(an_escrow)

    def test_a_row_refers_to_what_is_not_there(self, an_escrow: Path) -> None:
        rewrite(an_escrow, "accounts.Role", lambda row: row.update(user_id=4711))
        with pytest.raises(RefusedByDatabase, match="violates foreign key"):
            restore(an_escrow)

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            (lambda manifest: manifest.update(format=2), OtherTables),
            (lambda manifest: manifest.pop("format"), OtherTables),
            (lambda manifest: manifest.pop("head"), DamagedEscrow),
            (lambda manifest: manifest.update(tables=[]), DamagedEscrow),
            (lambda manifest: manifest["tables"]["record.Head"].pop("sha256"), DamagedEscrow),
            (lambda manifest: manifest["tables"].pop("record.Head"), OtherTables),
            (lambda manifest: manifest["migrations"]["record"].append("0003_later"), OtherTables),
            (lambda manifest: manifest["migrations"]["record"].pop(), OtherTables),
            (lambda manifest: manifest["tables"]["record.Head"].update(file="../nowhere"), DamagedEscrow),
            (
                lambda manifest: manifest["tables"]["record.Head"].update(file="../../etc/passwd"),
                DamagedEscrow,
            ),
            (lambda manifest: manifest["tables"]["record.Head"].update(file=""), DamagedEscrow),
            (lambda manifest: manifest["tables"]["record.Head"].update(file=7), DamagedEscrow),
            (lambda manifest: manifest["tables"]["record.Head"].update(rows="1"), DamagedEscrow),
            (lambda manifest: manifest["tables"]["record.Event"].update(last_key="1"), DamagedEscrow),
            (lambda manifest: manifest["tables"]["record.Head"].update(sha256=None), DamagedEscrow),
        ],
    )
    def test_a_manifest_says_something_else(
        self, an_escrow: Path, change: Change, reason: type[Exception]
    ) -> None:
        in_manifest(an_escrow, change)
        with pytest.raises(reason):
            restore(an_escrow)

    @pytest.mark.parametrize("text", ["", "{", "[]", "null", "\n", "\xff"])
    def test_a_manifest_is_none(self, an_escrow: Path, text: str) -> None:
        (an_escrow / MANIFEST).write_bytes(text.encode("latin-1"))
        with pytest.raises((DamagedEscrow, OtherTables)):
            restore(an_escrow)

    def test_there_is_none(self, tmp_path: Path) -> None:
        for directory in (tmp_path, tmp_path / "nowhere"):
            with pytest.raises(NoEscrow):
                restore(directory)


def test_a_database_that_is_not_empty_is_left_alone(a_full_escrow: Path, real_database: None) -> None:
    a_person(email="somebody@example.org")
    with pytest.raises(NotEmpty, match="rows of users"):
        restore(a_full_escrow)
    assert User.objects.count() == 1


def test_a_database_that_has_given_a_number_is_not_empty(a_full_escrow: Path, real_database: None) -> None:
    InformalCounter.objects.update(last=1)
    with pytest.raises(NotEmpty):
        restore(a_full_escrow)


# The directory


def test_a_killed_run_leaves_the_old_escrow_whole_and_the_next_run_clears_up(
    real_database: None, tmp_path: Path
) -> None:
    write_escrow(tmp_path / "kept")
    before, name = files(tmp_path / "kept"), current(tmp_path / "kept")
    a_person(email="later@example.org")
    for step in ("registry.publication.escrow.switch", "registry.publication.escrow.last_key"):
        process = start(escrow_and_die, step, str(tmp_path / "kept"))
        assert ended(process) == -signal.SIGKILL
        assert (current(tmp_path / "kept"), files(tmp_path / "kept")) == (name, before)
    write_escrow(tmp_path / "kept")
    assert files(tmp_path / "kept") != before
    assert len(list((tmp_path / "kept").glob("escrow-*"))) == 2


def test_the_last_two_are_kept(real_database: None, tmp_path: Path) -> None:
    folders = [write_escrow(tmp_path / "kept").folder for _ in range(3)]
    assert [folder.exists() for folder in folders] == [False, True, True]
    assert current(tmp_path / "kept") == folders[-1].name


def test_two_runs_do_not_write_into_one_directory(real_database: None, tmp_path: Path) -> None:
    write_escrow(tmp_path / "kept")
    with held(tmp_path / "kept", marker=".escrows"), pytest.raises(AnotherRun):
        write_escrow(tmp_path / "kept")


def test_a_directory_with_other_things_is_left_alone(real_database: None, tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("Dear expert")
    with pytest.raises(NotOurs, match=r"letters\.txt"):
        write_escrow(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["letters.txt"]


def test_others_do_not_look_in_nor_into_a_copy(real_database: None, tmp_path: Path) -> None:
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
    assert run("--verify", tmp_path / "kept").startswith("Whole: ")
    answer = json.loads(run("--verify", "--json", tmp_path / "kept"))
    assert answer["tables"]["accounts.User"] == 1
    with an_empty_database():
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
