"""Web servers for tests: the registry as deployed, on the database of the test, and a file server."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from django.conf import settings

from registry.devserver.processes import HOST, SERVER_COMMAND, responds
from tests.support.databases import environment_of_a_process

# Below the ports that Linux gives to clients, and to servers that ask for any.
PORTS = range(20_000, 32_000)
_reserved: list[socket.socket] = []


def a_free_port() -> int:
    """Return a port that nothing uses, and that no other test gets until this process ends.

    Another server could silently share it (SO_REUSEPORT). So a socket of another protocol keeps its number, as
    `registry.devserver.processes.reserved` does. Tests in other processes start with the same seed of `random`.
    """
    while True:
        port = secrets.choice(PORTS)
        keeper = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            keeper.bind((HOST, port))
            with socket.socket() as probe:
                probe.bind((HOST, port))
        except OSError:
            keeper.close()
        else:
            _reserved.append(keeper)
            return port


@contextmanager
def serving(
    port: int,
    *,
    workers: int = 1,
    threads: int | None = 2,
    log: Path | None = None,
    errors: Path | None = None,
    options: Sequence[str] = (),
    **environment: str,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run the server during the block, from its first response on. Its output goes to `log` and `errors`.

    `threads` are those of the server in each worker; with None it chooses, as in a deployment. The last one of equal `options` is
    valid.
    """
    command = [sys.executable, "-m", *SERVER_COMMAND, "--host", "127.0.0.1", "--port", str(port)]
    command += ["--workers", str(workers)]
    command += ["--blocking-threads", str(threads)] if threads else []
    command += options
    with (
        (log or Path(os.devnull)).open("wb") as output,
        (errors or Path(os.devnull)).open("wb") as error_output,
    ):
        server = subprocess.Popen(
            [*command, "registry.wsgi:application"],
            env=environment_of_a_process() | {"SECRET_KEY": settings.SECRET_KEY} | environment,
            stdout=output,
            stderr=error_output,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + 60
        while not responds(port):
            assert server.poll() is None, "the server ended unexpectedly"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)
        yield server
    finally:
        with suppress(ProcessLookupError):  # where a test has ended it
            os.killpg(server.pid, signal.SIGKILL)
        server.wait(60)


@contextmanager
def serving_files(folder: Path) -> Iterator[str]:
    """Serve the folder on a loopback port, with index.html and index.json as index files."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(folder)))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(60)
        server.server_close()


class _Files(SimpleHTTPRequestHandler):
    def send_head(self) -> Any:
        here = Path(self.translate_path(self.path))
        if self.path.endswith("/") and not (here / "index.html").exists():
            self.path += "index.json"
        return super().send_head()

    def log_message(self, *_arguments: Any) -> None:
        """Discard the log."""
