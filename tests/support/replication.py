"""A primary and hot standbys: real servers in separate folders, which tests stop, hold back and promote."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection, connections

from registry.core.database.connections import REPLICA
from registry.devserver.embedded_postgres import (
    PORT,
    ROLE,
    SETTINGS,
    EmbeddedPostgreSQL,
    find_programs,
    identity,
    program_environment,
)
from tests.support.missing import missing
from tests.support.programs import running
from tests.support.waiting import wait_until

# The data of a test need not survive a crash of the machine. Clients of a server that stops are not waited for.
FAST = {"fsync": "off", "max_connections": "60", "wal_keep_size": "256MB"}


@dataclass(frozen=True, slots=True)
class Server(EmbeddedPostgreSQL):
    """A primary, or a hot standby of the server `follows`."""

    follows: EmbeddedPostgreSQL | None = None

    def make_cluster(self) -> None:
        self._make_cluster(self._reachable_programs())

    def _make_cluster(self, programs: Path) -> None:
        if self.follows is None:
            EmbeddedPostgreSQL._make_cluster(self, programs)
            return
        self.cluster.mkdir(mode=0o700)
        if account := self._account():
            os.chown(self.cluster, account.pw_uid, account.pw_gid)
        source = f"--host={self.follows.socket_folder}"
        options = ("--username=postgres", "--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        made = self._run(programs / "pg_basebackup", source, *options)
        assert made.returncode == 0, made.stdout
        for file in self.cluster.glob(".s.PGSQL.*"):  # of the other server, whose socket is in its folder
            file.unlink()

    def _make_database(self) -> None:
        if self.follows is None:
            EmbeddedPostgreSQL._make_database(self)

    def crash(self) -> None:
        """End the server without a checkpoint; its clients lose their connections."""
        self._run(self._reachable_programs() / "pg_ctl", "stop", "--mode=immediate", "--wait")

    def start_again(self, **settings: str) -> None:
        """Start the server after `crash`, such as on files that were restored."""
        self._start_server(self._reachable_programs(), SETTINGS | settings)

    def as_account(self, *command: str) -> None:
        """Run a program as the account of the server."""
        done = subprocess.run(
            command,
            cwd=self.cluster,
            env=program_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=1200,
            **identity(self._account()),
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def promote(self) -> None:
        promoted = self._run(self._reachable_programs() / "pg_ctl", "promote", "--wait")
        assert promoted.returncode == 0, promoted.stdout

    def execute(self, statement: str, database: str = ROLE) -> Any:
        """The first column of the first row, as a superuser."""
        with psycopg.connect(
            host=str(self.socket_folder), port=PORT, user="postgres", dbname=database, autocommit=True
        ) as link:
            result = link.execute(statement)  # type: ignore[call-overload]
            row = result.fetchone() if result.description else None
            return row and row[0]

    def catch_up_with(self, primary: "Server") -> None:
        """Wait until this standby has replayed what the primary has written."""
        # The procedure that waits for a position exists from PostgreSQL 19 on.
        self._wait_for("pg_last_wal_replay_lsn()", primary)

    def receive_from(self, primary: "Server") -> None:
        """Wait until this standby has received, not replayed, what the primary has written."""
        self._wait_for("pg_last_wal_receive_lsn()", primary)

    def _wait_for(self, position: str, primary: "Server") -> None:
        written = primary.execute("SELECT pg_current_wal_lsn()")
        wait_until(lambda: self.execute(f"SELECT {position} >= '{written}'"))


@contextmanager
def a_folder_for_servers() -> Iterator[Path]:
    """A folder with a short path that the account of PostgreSQL can read: pytest's belong to the user."""
    folder = Path(tempfile.mkdtemp(prefix="urns-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def a_primary(folder: Path, data_of: str, **settings: str) -> Iterator[Server]:
    """A server with the data of the database `data_of` of the tests."""
    server = Server(folder)
    with server.running(**FAST | settings):
        copy_database(data_of, str(server.socket_folder), PORT)
        yield server


@contextmanager
def a_standby(folder: Path, of: Server, **settings: str) -> Iterator[Server]:
    folder.mkdir()
    server = Server(folder, follows=of)
    with server.running(**FAST | settings):
        yield server


def a_backup(folder: Path, of: Server) -> Server:
    """A base backup of a server, to be started with a recovery target."""
    folder.mkdir()
    backup = Server(folder, follows=of)
    backup.home.mkdir()
    backup.make_cluster()
    (backup.cluster / "standby.signal").rename(backup.cluster / "recovery.signal")
    (backup.cluster / "postgresql.auto.conf").write_text("")  # it would follow the other server
    return backup


def copy_database(name: str, host: str, port: int) -> None:
    """Copy a database of the test server into that of another server."""
    programs = find_programs()
    where = connection.settings_dict
    source = [
        f"--host={where['HOST']}",
        f"--port={where['PORT'] or PORT}",
        f"--username={where['USER'] or ''}",
    ]
    target = [f"--host={host}", f"--port={port}", "--username=postgres"]
    quiet = ["--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--output=/dev/null"]
    with running(
        [programs / "pg_dump", *source, name], stdout=subprocess.PIPE, env=program_environment()
    ) as dump:
        subprocess.run(
            [programs / "psql", *target, *quiet, f"--dbname={ROLE}"],
            stdin=dump.stdout,
            env=program_environment(),
            check=True,
            timeout=240,
        )
        assert dump.wait(60) == 0


def programs_of_debian() -> Path:
    """The programs of the newest PostgreSQL of Debian, which its pgBackRest knows."""
    installed = Path("/usr/lib/postgresql").glob("*/bin")
    return max(installed, key=lambda each: int(each.parent.name), default=None) or missing(
        "PostgreSQL of Debian is missing (apt-get install postgresql)"
    )


@contextmanager
def django_on(*servers: EmbeddedPostgreSQL, alias: str = "default", **options: str) -> Iterator[None]:
    """Point Django at these servers, as a DATABASE_URL with several hosts does."""
    with django_at([(str(each.socket_folder), PORT) for each in servers], alias, **options):
        yield


@contextmanager
def django_at(
    addresses: Sequence[tuple[str, int | str]], alias: str = "default", **options: str
) -> Iterator[None]:
    """Point Django at servers with these hosts and ports."""
    settings = connections[alias].settings_dict
    before = dict(settings)
    kept = {name: value for name, value in before["OPTIONS"].items() if name != "target_session_attrs"}
    connections[alias].close()
    settings |= {
        "NAME": ROLE,
        "USER": ROLE,
        "HOST": ",".join(host for host, _ in addresses),
        "PORT": ",".join(str(port) for _, port in addresses),
        "OPTIONS": kept | options,
    }
    try:
        yield
    finally:
        connections[alias].close()
        settings |= before


@contextmanager
def a_replica(server: EmbeddedPostgreSQL) -> Iterator[None]:
    """Configure a replica, as DATABASE_REPLICA_URL does."""
    where = {"HOST": str(server.socket_folder), "PORT": str(PORT)}
    connections.settings[REPLICA] = connection.settings_dict | where
    try:
        yield
    finally:
        connections[REPLICA].close()
        del connections[REPLICA], connections.settings[REPLICA]


@contextmanager
def statements_on(alias: str) -> Iterator[list[str]]:
    """The statements that Django runs on a server inside the block."""
    seen: list[str] = []

    def remember(execute: Any, sql: Any, *arguments: Any) -> Any:
        seen.append(str(sql))
        return execute(sql, *arguments)

    with connections[alias].execute_wrapper(remember):
        yield seen
