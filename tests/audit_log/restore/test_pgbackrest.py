"""A restore to a named event with pgBackRest, by the commands of `docs/operations.md`."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

from registry.audit_log.models import LogPosition
from registry.devserver.embedded_postgres import PORT
from tests.audit_log.restore.test_restore_check import HEAD, keep_head, restore_check, target_of, write_events
from tests.support.guides import pgbackrest_configuration
from tests.support.missing import program
from tests.support.replication import FAST, Server, a_folder_for_servers, django_on, programs_of_debian
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.exhaustive, pytest.mark.processes, pytest.mark.slow]

GUIDE = Path(settings.BASE_DIR, "docs", "operations.md").read_text("utf-8")
ARCHIVED = "SELECT last_archived_wal FROM pg_stat_archiver"


@pytest.fixture
def server(the_test_database: None, django_db_blocker: Any) -> Iterator[Server]:
    """PostgreSQL of Debian with the settings of the guide, and Django on it."""
    program("pgbackrest")
    programs = programs_of_debian()
    with a_folder_for_servers() as folder, django_db_blocker.unblock():
        server = Server(folder, programs=programs)
        archive_command = (
            f"'{setting('archive_command').replace(' ', f' --config={folder}/pgbackrest.conf ', 1)}'"
        )
        archiving = {"archive_mode": "on", "track_commit_timestamp": "on", "archive_command": archive_command}
        with server.running(**FAST | archiving):
            (folder / "backup").mkdir()
            shutil.chown(folder / "backup", server.cluster.stat().st_uid, server.cluster.stat().st_gid)
            backup, cluster = folder / "backup", server.cluster
            (folder / "pgbackrest.conf").write_text(
                pgbackrest_configuration(
                    backup / "repository", logs=backup, data=cluster, socket=cluster, port=PORT
                )
            )
            with django_on(server):
                call_command("migrate", verbosity=0)
                yield server


def setting(name: str) -> str:
    """The value of a setting in the guide."""
    return re.findall(f"^{name} = '(.*)'$", GUIDE, re.MULTILINE)[0]


def pgbackrest(server: Server, *arguments: str) -> None:
    server.as_account(
        "pgbackrest", f"--config={server.checkout}/pgbackrest.conf", "--stanza=registry", *arguments
    )


def test_a_database_is_restored_to_a_named_event_with_pgbackrest(server: Server, tmp_path: Path) -> None:
    for command in re.findall(
        r"^pgbackrest --stanza=registry (stanza-create|.*backup)$", GUIDE, re.MULTILINE
    ):
        pgbackrest(server, *shlex.split(command))
    # pgBackRest counts whole seconds, and takes the last backup before the target.
    ended = server.execute("SELECT ceil(extract(epoch FROM clock_timestamp()))")
    wait_until(lambda: server.execute("SELECT extract(epoch FROM clock_timestamp())") > ended + 1)
    named_event = write_events(3)
    early = keep_head(tmp_path / HEAD)
    mistake = write_events(2)
    too_late = keep_head(tmp_path / "late.txt")
    target, last = target_of(named_event), server.execute("SELECT pg_walfile_name(pg_switch_wal())")
    wait_until(lambda: (server.execute(ARCHIVED) or "") >= last)
    server.crash()
    (restore,) = re.findall(r"^ *pgbackrest --stanza=registry (.* restore)$", GUIDE, re.MULTILINE)
    pgbackrest(server, *shlex.split(re.sub("--target='.*?'", f"--target='{target}'", restore)))
    server.start_again(**FAST, archive_mode="off")
    wait_until(lambda: server.execute("SELECT pg_get_wal_replay_pause_state()") == "paused")
    with django_on(server):
        assert LogPosition.current().number == named_event < mistake
        assert restore_check("--head", early)[0] == 0
        assert restore_check("--head", too_late)[0] == 1
        server.execute("SELECT pg_wal_replay_resume()")
        wait_until(lambda: not server.execute("SELECT pg_is_in_recovery()"))
