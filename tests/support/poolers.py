"""PgBouncer in front of the database of a test."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.db import connection

from tests.support.missing import program
from tests.support.servers import a_free_port
from tests.support.waiting import wait_until

CONFIGURATION = """
[databases]
* = host={host} port={port} user={user} {password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = {size}
"""


@contextmanager
def pooling(folder: Path, mode: str, size: int) -> Iterator[str]:
    """Run PgBouncer during the block, with `size` connections to the database of this test. Returns its URL."""
    pgbouncer, settings, listen = program("pgbouncer"), connection.settings_dict, a_free_port()
    file = folder / "pgbouncer.ini"
    file.write_text(
        CONFIGURATION.format(
            host=settings["HOST"] or "127.0.0.1",
            port=settings["PORT"] or 5432,
            user=settings["USER"],
            password=f"password={settings['PASSWORD']}" if settings["PASSWORD"] else "",
            listen=listen,
            mode=mode,
            size=size,
        )
    )
    command, options = [pgbouncer, file.name], {}
    if os.geteuid() == 0:  # it refuses to run as root; the owner of the socket may enter its folder
        owner = Path(settings["HOST"]).stat()
        options = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
        command = [pgbouncer, "/dev/stdin"]
    with file.open("rb") as configuration:
        pooler = subprocess.Popen(
            command, cwd=folder, stdin=configuration, stderr=subprocess.DEVNULL, **options
        )  # type: ignore[call-overload]
    url = f"postgres://{settings['USER']}@127.0.0.1:{listen}/{settings['NAME']}"
    try:
        wait_until(lambda: pooler.poll() is not None or _answers(url))
        assert pooler.poll() is None, "PgBouncer ended unexpectedly"
        yield url
    finally:
        pooler.kill()  # at SIGTERM, PgBouncer 1.23 waits for its clients, which a failed test may have left
        pooler.wait()


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url, options="").close()
    except psycopg.OperationalError:
        return False
    return True
