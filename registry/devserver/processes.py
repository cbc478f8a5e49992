"""Runs all processes of the registry until Ctrl-C; used by `run.py`."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from registry.core.database.connections import AS_APPLICATION
from registry.core.processes.parent import end_with_parent
from registry.environment import ALLOCATORS

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
# HTTP/1 alone, as a proxy speaks it. Of a head that is longer than this many octets (or, as it comes, twice as
# many) nothing is read: to read one of 400 kB takes a second. A worker that died is replaced, not the whole server ended.
SERVER_COMMAND = ["granian", "--interface", "wsgi", "--no-ws", "--http", "1", "--http1-buffer-size", "32768"]
# The interval is the time that a new worker has to start, until the old one is stopped. A worker that is still starting
# when it is stopped can miss the signal; it is killed after the timeout, which is longer than any request.
SERVER_COMMAND += ["--respawn-failed-workers", "--respawn-interval", "10", "--workers-kill-timeout", "30"]
# In seconds: for a process to end by itself, and for a server to respond.
SHUTDOWN_TIMEOUT = 10.0
RESPONSE_TIMEOUT = 60.0


class PortTaken(Exception):
    """The port is in use, or only root can use it."""


class ProcessEnded(Exception):
    """A process of the registry has ended unexpectedly."""


def services(port: int) -> list[list[str]]:
    """Return the commands of the web server and the worker."""
    server = [*SERVER_COMMAND, "--host", HOST, "--port", str(port)]
    size = ["--workers", "1", "--blocking-threads", "4", "--log-level", "warning"]
    return [
        [sys.executable, "-m", *server, *size, "registry.wsgi:application"],
        [sys.executable, "manage.py", "worker"],
    ]


@contextlib.contextmanager
def reserved(port: int) -> Iterator[None]:
    """Reserve a port. Granian would silently share a busy port (SO_REUSEPORT), so it is checked first.

    A UDP socket with the same number reserves the port against other checkouts, until this process ends.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as keeper:
        try:
            keeper.bind((HOST, port))
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((HOST, port))
        except OSError as error:
            raise PortTaken(
                f"Port {port} is not available ({error.strerror}). Choose another: PORT=8080 python3 run.py"
            ) from error
        if _is_taken_in_ipv6(port):
            raise PortTaken(f"Port {port} of ::1 is taken. Choose another: PORT=8080 python3 run.py")
        yield


def _is_taken_in_ipv6(port: int) -> bool:
    """Return whether the port is in use on ::1, which browsers try first for "localhost"."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET6) as probe:
        probe.connect(("::1", port))
        return True
    return False


def serve(port: int, prepare: Callable[[], None]) -> None:
    """Run until KeyboardInterrupt or another exception from a signal handler.

    `prepare` fills the database while the web server starts. The worker starts after it.
    """
    with contextlib.ExitStack() as stack:
        # Each worker writes its metrics to a separate file; /metrics adds them up.
        metrics = stack.enter_context(tempfile.TemporaryDirectory())
        environment = {**os.environ, **ALLOCATORS, **AS_APPLICATION, "PROMETHEUS_MULTIPROC_DIR": metrics}
        server, worker = services(port)
        processes = [stack.enter_context(_started(server, environment))]
        prepare()
        processes.append(stack.enter_context(_started(worker, environment)))
        while not responds(port):
            _check_all_alive(processes)
            time.sleep(0.05)
        print(f"\nThe registry is at http://localhost:{port}/ and Ctrl-C stops it.", flush=True)
        while True:
            _check_all_alive(processes)
            time.sleep(0.2)


@contextlib.contextmanager
def _started(command: list[str], environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command in a new process group, which Ctrl-C does not reach and which is ended as a whole."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        start_new_session=True,
        preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 - there are no threads here
    )
    try:
        yield process
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(SHUTDOWN_TIMEOUT)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # granian's workers outlive a killed main process
        process.wait()


def _check_all_alive(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        if process.poll() is not None:
            command = " ".join(map(str, process.args[1:]))  # type: ignore[index]
            raise ProcessEnded(f"A process ended unexpectedly (exit status {process.returncode}): {command}")


def responds(port: int) -> bool:
    """Whether an HTTP server on this port of this machine responds, with any status.

    That it accepts a connection proves nothing: granian listens, stops, and listens again in its workers, and without
    a server TCP may connect a socket to itself, if the system gives it this port.
    """
    connection = http.client.HTTPConnection(HOST, port, timeout=RESPONSE_TIMEOUT)
    try:
        connection.request("GET", "/health/live")
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    else:
        return True
    finally:
        connection.close()
