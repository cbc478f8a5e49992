"""The web server as in a deployment: a worker that dies is replaced, none outlives the server, and all can be renewed."""

import http.client
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import psutil
import pytest

from registry.devserver.processes import HOST, SERVER_COMMAND, responds
from tests.support.databases import environment_of_a_process
from tests.support.programs import running
from tests.support.servers import a_free_port, serving
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.usefixtures("real_database")]
PATH = "/api/v1/problems"


def workers_of(server: int) -> set[int]:
    """The process IDs of the workers; multiprocessing has a process of its own beside them."""
    return {each.pid for each in psutil.Process(server).children() if _is_worker(each)}


def _is_worker(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):  # a zombie, too
        return "resource_tracker" not in " ".join(process.cmdline())
    return False


@pytest.mark.exhaustive
def test_a_worker_that_is_killed_is_replaced() -> None:
    port = a_free_port()
    with serving(port, workers=2) as server:
        before = workers_of(server.pid)
        os.kill(before.pop(), signal.SIGKILL)
        wait_until(lambda: len(workers_of(server.pid) - before) == 1)
        wait_until(lambda: responds(port))
        assert server.poll() is None


@pytest.mark.exhaustive
def test_no_worker_outlives_a_server_that_is_killed() -> None:
    port = a_free_port()
    with serving(port, workers=2) as server:
        workers = [psutil.Process(pid) for pid in workers_of(server.pid)]
        server.kill()
        server.wait(60)
        _, alive = psutil.wait_procs(workers, timeout=60)
        assert not alive
        assert not responds(port)


# The default run stops workers at such moments (tests/core/processes/test_worker.py).
@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "moment",
    [pytest.param(moment, marks=[] if moment in {1, 3} else [pytest.mark.soak]) for moment in range(5)],
)
def test_a_server_that_is_stopped_at_a_moment_of_its_start_ends(moment: int) -> None:
    """It kills a worker that misses the signal: here, sooner than a deployment does."""
    command = [sys.executable, "-m", *SERVER_COMMAND, "--host", HOST, "--port", str(a_free_port())]
    command += ["--workers-kill-timeout", "5", "--workers", "2", "registry.wsgi:application"]
    with running(command, env=environment_of_a_process(), stderr=subprocess.DEVNULL) as server:
        time.sleep(moment * 0.8)
        started = psutil.Process(server.pid).children(recursive=True)
    assert server.returncode in {0, -signal.SIGTERM}
    assert not psutil.wait_procs(started, timeout=60)[1]


@pytest.mark.exhaustive
def test_all_workers_are_renewed_without_a_failed_request() -> None:
    # A worker starts slowly beside other tests.
    port, options = a_free_port(), ["--respawn-interval", "30"]
    with serving(port, workers=2, options=options, API_READS_A_MINUTE="1000000") as server:
        before, done, statuses = workers_of(server.pid), threading.Event(), list[int | OSError]()

        def ask() -> None:
            while not done.is_set():
                client = http.client.HTTPConnection(HOST, port, timeout=60)
                try:
                    client.request("GET", PATH, headers={"Connection": "close"})
                    statuses.append(client.getresponse().status)
                except OSError as failure:
                    statuses.append(failure)
                client.close()
                time.sleep(0.02)

        reader = threading.Thread(target=ask, daemon=True)
        reader.start()
        try:
            server.send_signal(signal.SIGHUP)
            wait_until(lambda: len(workers_of(server.pid)) == 2 and not workers_of(server.pid) & before, 180)
            count = len(statuses)
            wait_until(lambda: len(statuses) > count + 20)
        finally:
            done.set()
            reader.join(60)
        assert set(statuses) == {200}
