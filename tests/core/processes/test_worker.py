"""A worker ends soon after a signal, at any moment. What it does until then: tests/mail/test_worker.py."""

import asyncio
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from django.conf import settings
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob
from procrastinate.worker import Worker

from registry.core.processes import worker
from registry.mail import outbox
from tests.support.databases import environment_of_a_process
from tests.support.missing import missing, program
from tests.support.processes import ended, start, work_on_a_mail_that_is_never_sent, work_until
from tests.support.programs import running
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.usefixtures("real_database")]
# A worker has started, and waits for jobs, after about 210 steps.
STEPS = range(2, 230)
COMMAND = [sys.executable, "manage.py", "worker"]


@pytest.mark.sampled(45)
@pytest.mark.parametrize(
    "step", [pytest.param(step, marks=[] if step % 10 == 2 else [pytest.mark.soak]) for step in STEPS]
)
def test_a_worker_that_is_stopped_at_a_step_of_its_start_ends(step: int) -> None:
    process = start(work_until, step)
    process.join(2)
    if process.exitcode is None:  # it started with fewer steps
        process.terminate()
    assert ended(process, seconds=worker.END_TIMEOUT * 2) == 0


@pytest.mark.sampled(30, 13)
@pytest.mark.parametrize(
    "moment",
    [pytest.param(moment, marks=[] if moment % 5 == 3 else [pytest.mark.soak]) for moment in range(30)],
)
def test_a_process_that_is_stopped_at_a_moment_of_its_start_ends(moment: int) -> None:
    """Before it handles signals, the signal ends it."""
    with running(COMMAND, cwd=settings.BASE_DIR, env=environment_of_a_process()) as process:
        time.sleep(moment / 10)
    assert process.returncode in {0, -signal.SIGTERM}


def test_a_cancellation_that_is_lost_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """`asyncio.wait_for` of Python 3.11 loses one that comes when what it waits for is done."""
    monkeypatch.setattr(worker, "PAUSE", 0.01)
    lost = []

    async def lose_a_cancellation() -> None:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            lost.append(True)
        await asyncio.sleep(3600)

    async def end() -> None:
        run = asyncio.create_task(lose_a_cancellation())
        await asyncio.sleep(0)  # it waits
        await asyncio.wait_for(worker._end(run, worker.Workers([Worker(app)]), ()), 60)
        assert (lost, run.cancelled()) == ([True], True)

    asyncio.run(end())


def test_a_worker_whose_job_does_not_end_says_so_and_ends(tmp_path: Path) -> None:
    log = tmp_path / "log"
    outbox.post_rendered("note", to="reader@example.org", subject="s", body="b")
    process = start(work_on_a_mail_that_is_never_sent, str(log))
    jobs = ProcrastinateJob.objects.filter(task_name="registry.mail.deliver", status="doing")
    wait_until(jobs.exists)
    process.terminate()
    assert ended(process) == 1
    said = log.read_text()
    # At some minutes, with periodic jobs.
    assert re.search(
        rf"The worker waits for .*registry\.mail\.deliver\[{jobs.get().pk}\].* ends within 2 s\.", said
    )
    assert "in wait_for_an_hour" in said  # where the thread of the job is


def test_a_command_that_is_the_first_process_of_a_container_ends_on_a_signal(tmp_path: Path) -> None:
    """The kernel ignores signals to the first process for which it has no handler."""
    unshare = [program("unshare", "util-linux"), "--pid", "--fork", "--kill-child"]
    if subprocess.run([*unshare, "true"], timeout=60, check=False).returncode:
        missing("Only root starts a process with numbers of its own.")
    begun = tmp_path / "begun"
    wait = f"import pathlib, time; pathlib.Path({str(begun)!r}).touch(); time.sleep(600)"
    command = [*unshare, sys.executable, "manage.py", "shell", "--command", wait]
    with running(
        command, end=signal.SIGKILL, cwd=settings.BASE_DIR, env=environment_of_a_process()
    ) as process:
        wait_until(begun.exists)
        (first,) = psutil.Process(process.pid).children()
        first.terminate()
        assert process.wait(60) == 128 + signal.SIGTERM
