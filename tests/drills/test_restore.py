"""A cluster of Patroni is restored to a named event with pgBackRest, by the commands of `docs/operations.md`."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from registry.audit_log.models import LogPosition
from registry.devserver.embedded_postgres import ROLE
from tests.audit_log.restore.test_restore_check import HEAD, keep_head, restore_check, target_of, write_events
from tests.drills.cluster import PATIENCE, Cluster, Node, a_cluster
from tests.support.guides import steps_of
from tests.support.missing import program
from tests.support.replication import a_folder_for_servers, django_at, programs_of_debian
from tests.support.waiting import wait_until

STEPS = [step.text for step in steps_of("operations.md")]
NOW = "SELECT extract(epoch FROM clock_timestamp())"
HEADS = "SELECT number, digest FROM audit_log_chainhead"


def run(beginning: str, end: str, node: Node, target: str = "") -> None:
    """Run the command of the guide with this beginning and end, on a server."""
    (command,) = [each for each in STEPS if each.startswith(beginning) and each.endswith(end)]
    command = re.sub("/usr/lib/postgresql/[0-9]+/bin", str(node.programs), command)
    command = re.sub("/var/lib/postgresql/[0-9]+/registry", str(node.data), command)
    command = re.sub("--target='.*?'", f"--target='{target}'", command)
    node.run(node.configured(command.replace("192.0.2.1", node.host.address)))


def addresses(*nodes: Node) -> list[tuple[str, int]]:
    return [(node.host.address, node.host.postgres) for node in nodes]


@pytest.mark.drill
@pytest.mark.timeout(7200)
def test_a_cluster_is_restored_to_a_named_event(
    the_test_database: None, django_db_blocker: Any, tmp_path: Path
) -> None:
    program("pgbackrest")
    with (
        a_folder_for_servers() as folder,
        django_db_blocker.unblock(),
        a_cluster(folder, programs_of_debian(), archives=True) as cluster,
    ):
        first = cluster.make_database()
        with django_at(addresses(*cluster.nodes), target_session_attrs="read-write"):
            call_command("migrate", verbosity=0)
            back_up(first)
            cluster.switch_over()  # two servers write the archive, on two timelines
            cluster.wait_until_whole()
            assert cluster.primary() is not first
            connection.close()
            named = write_events(3)
            early = keep_head(tmp_path / HEAD)
            mistake = write_events(2)
            too_late = keep_head(tmp_path / "late.txt")
            target = target_of(named)
        for node in [*cluster.standbys(), cluster.primary()]:
            node.stop()
        run("pgbackrest", " restore", first, target)
        prove(first, named, early, too_late)
        begin_again(cluster, first)
        back_up_again(first)
        with django_at(addresses(*cluster.nodes), target_session_attrs="read-write"):
            assert write_events(1) == named + 1 < mistake
            assert restore_check("--head", early)[0] == 0
        wait_until(lambda: {node.execute(HEADS, ROLE)[0] for node in cluster.nodes} == {named + 1}, PATIENCE)
        assert len({node.execute(HEADS, ROLE) for node in cluster.nodes}) == 1


def back_up(primary: Node) -> None:
    run("pgbackrest", " stanza-create", primary)
    back_up_again(primary)


def back_up_again(primary: Node) -> None:
    run("pgbackrest", " backup", primary)
    # pgBackRest counts whole seconds, and takes the last backup before the target.
    (ended,) = primary.execute(NOW)
    wait_until(lambda: primary.execute(NOW)[0] > ended + 2)


def prove(first: Node, named: int, early: Path, too_late: Path) -> None:
    """Read the restored server, which no other program uses, and make it a primary."""
    run("/usr/lib/postgresql/", " start", first)
    paused = "SELECT pg_get_wal_replay_pause_state()"
    wait_until(lambda: first.execute(paused) == ("paused",), PATIENCE)
    with django_at(addresses(first)):
        assert LogPosition.current().number == named
        assert restore_check("--head", early)[0] == 0
        assert restore_check("--head", too_late)[0] == 1
    assert "SELECT pg_wal_replay_resume()" in STEPS
    first.execute("SELECT pg_wal_replay_resume()")
    wait_until(first.is_primary, PATIENCE)
    run("/usr/lib/postgresql/", " stop", first)
    assert not (first.data / "recovery.signal").exists()


def begin_again(cluster: Cluster, first: Node) -> None:
    """Make a cluster of the restored server, and copy it to the others."""
    assert "patronictl remove registry" in STEPS
    cluster.patronictl("remove", "registry", typed="registry\nYes I am aware\n")
    first.start()
    wait_until(first.is_primary, PATIENCE)
    for node in cluster.nodes:
        if node is not first:
            shutil.rmtree(node.data)
            node.start()
    cluster.wait_until_whole()
    assert cluster.primary() is first
    assert re.search(rf"{first.host.name} .* Leader ", cluster.patronictl("list"))
