"""PgBouncer as `docs/deployment/pgbouncer.ini` configures it, in front of the database of a test."""

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.conf import settings as django_settings
from django.db import connection

from tests.support.missing import program
from tests.support.servers import a_free_port
from tests.support.waiting import wait_until

FILE = Path(django_settings.BASE_DIR, "docs", "deployment", "pgbouncer.ini")


def configuration(listen: int, mode: str, size: int) -> str:
    """The file of the documentation, for the server of the tests: a port of loopback, without passwords and TLS."""
    settings = connection.settings_dict
    password = f" password={settings['PASSWORD']}" if settings["PASSWORD"] else ""
    server = f"host={settings['HOST'] or '127.0.0.1'} port={settings['PORT'] or 5432} user={settings['USER']}"
    text = FILE.read_text("utf-8")
    for pattern, replacement in (
        (r"^registry = host=.*$", f"* = {server}{password}"),
        (r"^listen_port = .*$", f"listen_port = {listen}\nunix_socket_dir ="),
        (r"^auth_type = .*\nauth_file = .*$", "auth_type = any"),
        (r"^server_tls_sslmode = .*\nserver_tls_ca_file = .*\n", ""),
        (r"^pool_mode = .*$", f"pool_mode = {mode}"),
        (r"^default_pool_size = .*$", f"default_pool_size = {size}"),
    ):
        text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
        assert count == 1, pattern
    return text


@contextmanager
def pooling(folder: Path, mode: str, size: int) -> Iterator[str]:
    """Run PgBouncer during the block, with `size` connections to the database of this test. Returns its URL."""
    pgbouncer, settings, listen = program("pgbouncer"), connection.settings_dict, a_free_port()
    file = folder / "pgbouncer.ini"
    file.write_text(configuration(listen, mode, size))
    command, options = [pgbouncer, file.name], {}
    if os.geteuid() == 0:  # it refuses to run as root; the owner of the socket may enter its folder
        owner = Path(settings["HOST"]).stat()
        options = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
        command = [pgbouncer, "/dev/stdin"]
    with file.open("rb") as ini:
        pooler = subprocess.Popen(command, cwd=folder, stdin=ini, stderr=subprocess.DEVNULL, **options)  # type: ignore[call-overload]
    url = f"postgres://{settings['USER']}@127.0.0.1:{listen}/{settings['NAME']}"
    try:
        wait_until(lambda: pooler.poll() is not None or _answers(url))
        assert pooler.poll() is None, "PgBouncer ended unexpectedly"
        yield url
    finally:
        pooler.kill()  # at SIGTERM, PgBouncer 1.23 waits for its clients, which a failed test may have left
        pooler.wait(60)


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, options="").close()
    except psycopg.OperationalError:
        return False
    return True
