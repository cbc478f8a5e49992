"""Servers on one core, and their clients on the others."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from registry.devserver.processes import SERVER_COMMAND, responds
from registry.environment import ALLOCATORS

from .terminal import BenchmarkError

ROOT = Path(__file__).resolve().parent.parent
# Seconds until a server must respond: the first start after an installation is slow.
STARTUP_TIMEOUT = 180.0


def server_and_client_cores() -> tuple[set[int], set[int]]:
    """Return the core for servers and the cores for clients."""
    first, *others = sorted(os.sched_getaffinity(0))
    if not others:
        raise BenchmarkError("This needs two cores: one for the server, one for the load.")
    return {first}, set(others)


@contextlib.contextmanager
def running_server(
    command: list[str],
    port: int,
    environment: Mapping[str, str] | None = None,
    folder: Path = ROOT,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server on the servers' core, from its first response on; kill it afterwards."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            pinned(server_and_client_cores()[0], command),
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=output,
            start_new_session=True,
        )
        try:
            if not _responds(process, port):
                output.seek(0)
                text = output.read().decode(errors="replace")[-2000:].strip() or "No output."
                how = (
                    "has ended"
                    if process.poll() is not None
                    else f"does not answer after {STARTUP_TIMEOUT:.0f} s"
                )
                raise BenchmarkError(f"{' '.join(command)} {how}:\n{text}")
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def pinned(chosen: set[int], command: list[str]) -> list[str]:
    """Return the command, pinned to some cores."""
    return ["taskset", "--cpu-list", ",".join(map(str, sorted(chosen))), *command]


def _responds(process: subprocess.Popen[bytes], port: int) -> bool:
    give_up = time.monotonic() + STARTUP_TIMEOUT
    while process.poll() is None and time.monotonic() < give_up:
        if responds(port):
            return True
        time.sleep(0.1)
    return False


def collect_static_files(database_environment: Mapping[str, str]) -> None:
    """Collect them, as in a deployment; pages need their names."""
    command = [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=database_environment, check=True)


@contextlib.contextmanager
def registry_server(database_environment: Mapping[str, str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run the registry as deployed, with all middleware."""
    with tempfile.TemporaryDirectory() as figures:
        environment = {**database_environment, **ALLOCATORS, "PROMETHEUS_MULTIPROC_DIR": figures}
        with running_server(granian("registry.wsgi:application", port), port, environment) as process:
            yield process


def granian(application: str, port: int, *, threads: int = 2) -> list[str]:
    """Return the command of the registry's server: one process, with threads that wait for the database."""
    where = ["--host", "127.0.0.1", "--port", str(port)]
    size = ["--workers", "1", "--blocking-threads", str(threads), "--log-level", "warning"]
    return [sys.executable, "-m", *SERVER_COMMAND, *where, *size, application]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def peak_memory(process: subprocess.Popen[bytes]) -> int:
    """Return the peak memory of the largest process of a server, in octets."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    found = 0
    for number in [str(process.pid), *children]:
        lines = Path(f"/proc/{number}/status").read_text().splitlines()
        found = max(found, *(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")))
    return found
