"""Worker processes that render pages: same output, one database snapshot, and detection of dead workers."""

import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from registry.core.database.connections import database_snapshot, export_database_snapshot
from registry.namespaces.models import Namespace
from registry.publication.atomic_files import current_folder
from registry.publication.snapshot import process_pool, publisher
from registry.publication.snapshot.pages import ToRender
from registry.publication.snapshot.publisher import PublishOptions, publish
from registry.publication.snapshot.rendering import NotPublishable, render_in_snapshot
from tests.publication.snapshot.registries import files, imported, people
from tests.support.factories import a_namespace, describe
from tests.support.processes import be_killed, be_stuck, ended, render_for_ever, start

pytestmark = pytest.mark.usefixtures("real_database")


def test_the_cores_are_counted_on_every_system(monkeypatch: pytest.MonkeyPatch) -> None:
    assert process_pool.available_cores() >= 1
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)  # there is none on macOS
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert process_pool.available_cores() == 3


@pytest.mark.exhaustive
def test_several_processes_render_what_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported(*map("example-{}".format, range(7)))
    a_namespace(**people())
    describe("example-3", title="Two trees")
    monkeypatch.setattr(publisher, "MIN_NAMESPACES_FOR_PROCESSES", 1)
    monkeypatch.setattr(publisher, "NAMESPACES_AT_ONCE", 2)
    publish(tmp_path / "one")
    done = publish(tmp_path / "two", PublishOptions(jobs=2))
    assert done.namespaces == Namespace.objects.count()
    assert files(tmp_path / "one" / "current") == files(tmp_path / "two" / "current")


def test_what_several_processes_render_is_of_one_moment() -> None:
    """Workers do not see namespaces that were registered after the snapshot."""
    imported("example-a")
    with database_snapshot():
        moment = export_database_snapshot()
        with ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(_import_and_leave, "example-a", "example-b").result(240)
        batches = [
            [ToRender(nid, [], has_profile=False, has_levels=False)] for nid in ("example-a", "example-b")
        ]
        answers = process_pool.map_in_processes(partial(render_in_snapshot, moment), batches, 2)
        assert next(answers).namespaces == 1
        with pytest.raises(NotPublishable, match="The status of /namespaces/example-b/ is 404"):
            next(answers)


def _import_and_leave(*nids: str) -> None:
    imported(*nids, updated="2020-02-01")
    connection.close()


def ignores(number: signal.Signals, process: int) -> bool:
    """Whether a process ignores a signal (proc_pid_status(5))."""
    (masks,) = re.findall("SigIgn:\\s*([0-9a-f]+)", Path(f"/proc/{process}/status").read_text())
    return bool(int(masks, 16) >> number - 1 & 1)


@pytest.mark.exhaustive
def test_processes_end_with_the_one_that_began_them(tmp_path: Path) -> None:
    """Killed, it can't tell them."""
    os.mkfifo(tmp_path / "pipe")
    process = start(render_for_ever, str(tmp_path / "pipe"))
    with (tmp_path / "pipe").open("rb") as pipe:
        children = {pipe.readline() for _ in range(2)}
        assert len(children) == 2
        assert all(ignores(signal.SIGINT, int(each)) for each in children)  # Ctrl-C is for the parent
        process.kill()
        assert ended(process) == -signal.SIGKILL
        assert pipe.read() == b""  # no process is left that could write


@pytest.mark.exhaustive
def test_a_dead_worker_is_detected_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported("example-a")
    monkeypatch.setattr(publisher, "MIN_NAMESPACES_FOR_PROCESSES", 1)
    with monkeypatch.context() as dying:
        dying.setattr(publisher, "render_in_snapshot", die_instead)
        with pytest.raises(CommandError, match="A worker process died") as refusal:
            call_command("publish", "--jobs=2", str(tmp_path))
    assert refusal.value.returncode == 1
    assert "--jobs 1" in str(refusal.value)
    assert current_folder(tmp_path) == ""
    call_command("publish", "--jobs=1", str(tmp_path), stdout=StringIO())
    assert current_folder(tmp_path) == "one"


def die_instead(_moment: str, _batch: object) -> None:
    be_killed(0)


def test_remaining_tasks_are_cancelled_when_a_worker_dies() -> None:
    with pytest.raises(process_pool.WorkerDied):
        list(process_pool.map_in_processes(be_killed, range(1000), 2))


@pytest.mark.exhaustive
def test_a_process_that_is_stuck_ends_itself() -> None:
    with pytest.raises(process_pool.WorkerDied):
        list(process_pool.map_in_processes(be_stuck, range(2), 2, timeout=1))
