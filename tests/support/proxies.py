"""nginx and Caddy as `docs/deployment/` configures them, in front of servers of a test."""

import getpass
import os
import re
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from django.conf import settings

from tests.support.https_servers import Authority
from tests.support.missing import program
from tests.support.servers import a_free_port
from tests.support.waiting import wait_until

MAIN = """
daemon off;
user {user};
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/registry.conf;
}}
"""


def write_configuration(folder: Path, listen: int, *ports: int, down: int = 0) -> Path:
    """Write the file of the documentation with ports of loopback and a certificate, and what includes it.

    No requests are sent to the server at the port `down`.
    """
    text = (Path(settings.BASE_DIR) / "docs" / "deployment" / "nginx.conf").read_text("utf-8")
    certificate = Authority(folder).certificate("registry.example.org")
    servers = "\n".join(f"    server 127.0.0.1:{port}{' down' if port == down else ''};" for port in ports)
    for pattern, replacement in (
        (r"    server 127\.0\.0\.1:8000;", servers),
        (r"listen 443 ssl;", f"listen 127.0.0.1:{listen} ssl;"),
        (r" *listen \[::\]:(80|443 ssl);\n", ""),
        (r"listen 80;", f"listen 127.0.0.1:{a_free_port()};"),
        (r"/etc/ssl/registry\.example\.org/(fullchain|privkey)\.pem", str(certificate)),
    ):
        text, count = re.subn(pattern, replacement, text)
        assert count, pattern
    (folder / "registry.conf").write_text(text)
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=getpass.getuser()))
    return folder / "nginx.conf"


class Proxy:
    """A running nginx in front of the servers at these ports."""

    def __init__(self, folder: Path, *ports: int) -> None:
        self.folder, self.ports, self.port = folder, ports, a_free_port()
        path = program("nginx", "nginx-light")
        command = [path, "-p", str(folder), "-c", str(write_configuration(folder, self.port, *ports))]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def take_out(self, port: int) -> None:
        """Send no further requests to a server, and wait until those that were sent are answered. 0 takes none out."""
        before = self._workers()
        write_configuration(self.folder, self.port, *self.ports, down=port)
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self._workers() and not self._workers() & before, 120)

    def _workers(self) -> set[int]:
        return {each.pid for each in psutil.Process(self.process.pid).children()}


@contextmanager
def nginx(folder: Path, *ports: int) -> Iterator[Proxy]:
    """Run nginx during the block."""
    proxy = Proxy(folder, *ports)
    try:
        wait_until(lambda: proxy.process.poll() is not None or _is_listening(proxy.port))
        assert proxy.process.poll() is None, "nginx ended unexpectedly"
        yield proxy
    finally:
        proxy.process.terminate()
        proxy.process.wait(60)


CADDY_MAIN = """
{{
    admin off
    http_port {http}
    https_port {https}
    default_bind 127.0.0.1
    local_certs
    skip_install_trust
    storage file_system {folder}
    servers {{
        protocols h1 h2
    }}
}}
"""


def caddyfile(version: str) -> str:
    """The file of the documentation, without a directive that the releases of Debian 12 and 13 do not have."""
    text = (Path(settings.BASE_DIR) / "docs" / "deployment" / "Caddyfile").read_text("utf-8")
    return text.replace("request_buffers 3MiB", "") if re.match(r"v?2\.[0-6]\.", version) else text


@contextmanager
def caddy(folder: Path, port: int, *, without: str = "") -> Iterator[int]:
    """Run Caddy in front of the server at this port during the block, and give its port.

    Lines of the file of the documentation that contain `without` are left out.
    """
    path, https = program("caddy"), a_free_port()
    version = subprocess.run([path, "version"], capture_output=True, text=True, check=True, timeout=60).stdout
    lines = caddyfile(version).splitlines(keepends=True)
    main = CADDY_MAIN.format(folder=folder, http=a_free_port(), https=https)
    file = folder / "Caddyfile"
    file.write_text(main + "".join(line for line in lines if not without or without not in line))
    process = subprocess.Popen(
        [path, "run", "--adapter", "caddyfile", "--config", str(file)],
        env=os.environ | {"HOME": str(folder), "REGISTRY_UPSTREAM": f"127.0.0.1:{port}"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: process.poll() is not None or _has_a_certificate(https))
        assert process.poll() is None, "Caddy ended unexpectedly"
        yield https
    finally:
        process.terminate()
        process.wait(60)


def _is_listening(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def _has_a_certificate(port: int) -> bool:
    """Whether a handshake succeeds: Caddy listens before it has made its certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as plain:
            context.wrap_socket(plain, server_hostname="registry.example.org").close()
    except OSError:
        return False
    return True
