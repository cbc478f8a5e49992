"""`manage.py restore_check`, and a restore to a named event: base backup, archived WAL, recovery target, proof."""

import json
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from registry.audit_log.heads import publish_head
from registry.audit_log.log import append
from registry.audit_log.models import LogPosition
from registry.audit_log.restore import missing_objects, note_objects
from registry.core.models import ServedDatabase
from registry.core.processes.served_database import reason_to_wait, serve
from tests.support.databases import in_sql
from tests.support.replication import Server, a_backup, a_folder_for_servers, a_primary, django_on
from tests.support.waiting import wait_until

HEAD = "head.txt"


def write_events(count: int) -> int:
    for _ in range(count):
        with transaction.atomic():
            last = append("example", by=None).number
    return last


def keep_head(file: Path) -> Path:
    head = publish_head()
    assert head is not None
    file.write_text(head.note)
    return file


def restore_check(*arguments: Any) -> tuple[int, dict[str, Any]]:
    output = StringIO()
    try:
        call_command("restore_check", *map(str, arguments), "--json", stdout=output)
    except SystemExit as ended:
        return int(ended.code or 0), json.loads(output.getvalue())
    return 0, json.loads(output.getvalue())


@pytest.mark.django_db
def test_a_database_that_contains_the_head_is_proven(tmp_path: Path) -> None:
    write_events(2)
    head = keep_head(tmp_path / HEAD)
    write_events(1)
    assert restore_check("--head", head) == (
        0,
        {
            "proven": True,
            "events": 3,
            "events_of_head": 2,
            "faults": [],
            "in_recovery": False,
            "unsent_mails": 0,
        },
    )


@pytest.mark.django_db
def test_what_a_restore_left_out_is_named(tmp_path: Path) -> None:
    write_events(1)
    head = keep_head(tmp_path / HEAD)
    in_sql("ALTER TABLE audit_log_event DISABLE TRIGGER USER")
    in_sql("ALTER TABLE audit_log_chainhead ENABLE REPLICA TRIGGER chain_head_only_advances")
    in_sql("DELETE FROM django_migrations WHERE app = 'statistics' OR app = 'webhooks'")
    in_sql("DROP TRIGGER nid_is_immutable ON namespaces_namespace")
    in_sql("ALTER TABLE audit_log_event DROP CONSTRAINT audit_log_event_pkey CASCADE")
    note_objects()  # as `migrate` does, with nothing to apply
    status, report = restore_check("--head", head)
    assert status == 1
    assert "The trigger nid_is_immutable of namespaces_namespace is missing." in report["faults"]
    assert "The constraint audit_log_event_pkey of audit_log_event is missing." in report["faults"]
    for table in ("audit_log_event", "audit_log_chainhead"):
        assert any("trigger" in fault and f"{table} is disabled" in fault for fault in report["faults"])
    assert "Migration webhooks.0001_initial was not applied." in report["faults"]


@pytest.mark.django_db
def test_a_copy_without_the_list_of_its_objects_is_not_proven() -> None:
    in_sql("COMMENT ON TABLE django_migrations IS NULL")
    assert "comment on the table django_migrations" in next(missing_objects())
    note_objects()
    assert [*missing_objects()] == []


@pytest.mark.django_db
def test_a_head_with_a_wrong_signature_proves_nothing(tmp_path: Path) -> None:
    write_events(1)
    head = keep_head(tmp_path / HEAD)
    head.write_text(head.read_text().replace("\n1\n", "\n2\n"))
    with pytest.raises(CommandError, match="proves nothing") as refused:
        call_command("restore_check", "--head", str(head))
    assert refused.value.returncode == 2


@pytest.mark.django_db
def test_without_times_of_commits_there_is_no_target() -> None:
    write_events(1)
    with pytest.raises(CommandError, match="track_commit_timestamp = on"):
        call_command("restore_check", "--target", "1")


@pytest.fixture
def archiving(the_test_database: None, django_db_blocker: Any) -> Iterator[tuple[Server, Path, Path]]:
    """A primary that archives its write-ahead log, with Django on it, its archive, and the folder of both."""
    with a_folder_for_servers() as folder, django_db_blocker.unblock():
        archive, home = folder / "archive", folder / "a"
        home.mkdir()
        archive.mkdir()
        archive.chmod(0o777)
        settings = {
            "archive_mode": "on",
            "archive_command": f"'cp %p {archive}/%f'",
            "track_commit_timestamp": "on",
        }
        with a_primary(home, connection.settings_dict["NAME"], **settings) as server, django_on(server):
            yield server, archive, folder


def target_of(number: int) -> str:
    output = StringIO()
    call_command("restore_check", "--target", str(number), stdout=output)
    name, _, time = output.getvalue().strip().partition(" = ")
    assert name == "recovery_target_time"
    return time.strip("'")


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.slow
def test_a_database_is_restored_to_a_named_event(
    archiving: tuple[Server, Path, Path], tmp_path: Path
) -> None:
    primary, archive, folder = archiving
    serve()
    ServedDatabase.objects.update(seen_at=timezone.now() - timedelta(hours=1))  # the restore takes its time
    assert reason_to_wait() == ""
    backup = a_backup(folder / "b", primary)
    named = write_events(3)
    early = keep_head(tmp_path / HEAD)
    with transaction.atomic(), transaction.atomic():  # the inner one is a savepoint
        append("example", by=None)
    late = write_events(2)
    too_late = keep_head(tmp_path / "late.txt")
    target, last = target_of(named + 1), primary.execute("SELECT pg_walfile_name(pg_switch_wal())")
    wait_until(lambda: (primary.execute("SELECT last_archived_wal FROM pg_stat_archiver") or "") >= last)
    primary.crash()
    with backup.running(
        fsync="off",
        max_connections="60",
        restore_command=f"'cp {archive}/%f %p'",
        recovery_target_time=f"'{target}'",
    ):
        wait_until(lambda: backup.execute("SELECT pg_get_wal_replay_pause_state()") == "paused")
        with django_on(backup):
            assert LogPosition.current().number == named + 1
            status, report = restore_check("--head", early)
            assert (status, report["events"], report["in_recovery"]) == (0, named + 1, True)
            status, report = restore_check("--head", too_late)
            assert (status, report["events_of_head"]) == (1, late)
            assert f"Event {late} is missing" in report["faults"][0]
            backup.execute("SELECT pg_wal_replay_resume()")
            wait_until(lambda: not backup.execute("SELECT pg_is_in_recovery()"))
            connection.close()
            assert write_events(1) == named + 2
            assert restore_check("--head", early)[0] == 0
            assert reason_to_wait().startswith(
                "The server is on timeline 2, and workers last served timeline 1,"
            )
