"""The embedded PostgreSQL: real servers in separate folders, including killed ones."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from registry.devserver.embedded_postgres import (
    PORT,
    ROLE,
    EmbeddedPostgreSQL,
    PostgreSQLUnavailable,
    copy_wheel,
    find_programs,
)
from tests.support.programs import running
from tests.support.waiting import wait_until

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]
IS_ROOT = os.geteuid() == 0
STRANGER = pwd.getpwnam("nobody")
PROGRAMS = [find_programs(), *Path("/usr/lib/postgresql").glob("*/bin")]

# One user of a checkout's server, as a process: says which server it found, and leaves when its input ends.
USER = """
import os, sys
from contextlib import suppress
from pathlib import Path
import psycopg
from registry.devserver.embedded_postgres import EmbeddedPostgreSQL, PORT, ROLE
with suppress(psycopg.OperationalError):
    psycopg.connect("host=/nowhere")  # imports everything, while it still may read where it lies
checkout, programs, uid, gid = sys.argv[1:]
if uid:
    os.setgroups([]); os.setgid(int(gid)); os.setuid(int(uid))
server = EmbeddedPostgreSQL(Path(checkout), Path(programs) if programs else None)
with server.running():
    with psycopg.connect(host=str(server.socket_folder), port=PORT, user=ROLE, dbname=ROLE) as connection:
        print(*connection.execute("SELECT pg_postmaster_start_time()").fetchone(), flush=True)
    sys.stdin.read()
"""

User = subprocess.Popen[str]


@contextmanager
def a_user(
    checkout: Path, programs: Path | str = "", account: pwd.struct_passwd | None = None
) -> Iterator[User]:
    identity = [str(account.pw_uid), str(account.pw_gid)] if account else ["", ""]
    command = [sys.executable, "-c", USER, str(checkout), str(programs), *identity]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with running(command, end=signal.SIGKILL, cwd=ROOT, text=True, **pipes) as process:
        yield process


def server_found_by(user: User) -> str:
    assert user.stdout
    assert user.stderr
    return user.stdout.readline() or pytest.fail(user.stderr.read())


def leave(user: User) -> None:
    user.communicate(timeout=60)
    assert user.returncode == 0


@pytest.fixture
def new_server(tmp_path: Path) -> Iterator[EmbeddedPostgreSQL]:
    """A server of a checkout in a folder that other users cannot enter; it is stopped afterwards."""
    server = EmbeddedPostgreSQL(tmp_path)
    yield server
    clean_up(server)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cluster that was started once."""
    server = EmbeddedPostgreSQL(tmp_path_factory.mktemp("made"))
    with server.running():
        pass
    return server.cluster


@pytest.fixture
def server(new_server: EmbeddedPostgreSQL, made: Path) -> EmbeddedPostgreSQL:
    """A server with a copy of that cluster."""
    copy_to(new_server, made)
    return new_server


def copy_to(server: EmbeddedPostgreSQL, made: Path) -> None:
    server.home.mkdir(parents=True)
    subprocess.run(["cp", "--archive", made, server.cluster], check=True, timeout=60)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="registry-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def clean_up(server: EmbeddedPostgreSQL) -> None:
    kill(processes_of(server))
    shutil.rmtree(server._copy_of_programs, ignore_errors=True)


def kill(processes: list[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()


def processes_of(server: EmbeddedPostgreSQL) -> list[psutil.Process]:
    """Return the processes of the server, found by their working directory."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(server.home):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def postmaster(server: EmbeddedPostgreSQL) -> int:
    return int((server.cluster / "postmaster.pid").read_text().splitlines()[0])


def connected(server: EmbeddedPostgreSQL) -> psycopg.Connection[tuple[str, ...]]:
    return psycopg.connect(host=str(server.socket_folder), port=PORT, user=ROLE, dbname=ROLE)


def ask(server: EmbeddedPostgreSQL, question: str) -> str:
    with connected(server) as connection:
        answer = connection.execute(question).fetchone()
    assert answer
    return str(answer[0])


@pytest.mark.exhaustive
@pytest.mark.parametrize("programs", PROGRAMS, ids=lambda programs: programs.parent.name)
def test_it_starts_twice_and_keeps_what_was_written(open_folder: Path, programs: Path) -> None:
    server = EmbeddedPostgreSQL(open_folder, programs)
    try:
        with server.running(), connected(server) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 'here' AS word")
        with server.running():
            assert ask(server, "SELECT word FROM kept") == "here"
    finally:
        clean_up(server)


@pytest.mark.exhaustive
def test_it_is_set_up_as_production_would_be(new_server: EmbeddedPostgreSQL) -> None:
    with new_server.running():
        assert ask(new_server, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") == "False"
        assert ask(new_server, "SELECT rolcreatedb FROM pg_roles WHERE rolname = current_user") == "True"
        assert ask(new_server, "SHOW server_encoding") == "UTF8"
        assert ask(new_server, "SHOW fsync") == "on"
        assert ask(new_server, "SELECT lower('ÄÖ') COLLATE \"default\"") == "äö"
        assert int(ask(new_server, "SHOW max_connections")) >= 120


def test_other_users_cannot_connect(server: EmbeddedPostgreSQL) -> None:
    with server.running():
        assert ask(server, "SHOW listen_addresses") == ""
        assert server.cluster.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("victims", ["the postmaster", pytest.param("every process", marks=pytest.mark.soak)])
def test_what_was_committed_outlives_a_kill(server: EmbeddedPostgreSQL, victims: str) -> None:
    with server.running():
        with connected(server) as connection:
            connection.execute("CREATE TABLE kept AS SELECT generate_series(1, 100000) AS n")
        killed = postmaster(server)
        if victims == "every process":
            kill(processes_of(server))
        else:
            os.kill(killed, signal.SIGKILL)
        with server.running():
            assert postmaster(server) != killed
            assert ask(server, "SELECT count(*) FROM kept") == "100000"
    wait_until(lambda: not processes_of(server))


@pytest.mark.parametrize("victims", ["the parent", pytest.param("every process", marks=pytest.mark.soak)])
@pytest.mark.exhaustive
def test_an_interrupted_initdb_is_done_again(new_server: EmbeddedPostgreSQL, victims: str) -> None:
    with a_user(new_server.checkout) as user:
        wait_until(lambda: list(new_server.home.glob("cluster.*/PG_VERSION")))
        children = psutil.Process(user.pid).children(recursive=True)
        user.kill()
        if victims == "every process":
            kill(children)
    assert not new_server.cluster.exists()
    with new_server.running():
        assert ask(new_server, "SELECT 1") == "1"
        assert not list(new_server.home.glob("cluster.*"))


@pytest.mark.exhaustive
def test_a_half_made_database_is_completed(server: EmbeddedPostgreSQL) -> None:
    with server.running():
        with server.connect_as_superuser() as connection:
            connection.execute(f"DROP DATABASE {ROLE}")
        with server.running():
            assert ask(server, "SELECT 1") == "1"


@pytest.mark.exhaustive
def test_users_that_start_at_once_share_one_server_and_the_last_stops_it(server: EmbeddedPostgreSQL) -> None:
    with a_user(server.checkout) as one, a_user(server.checkout) as two, a_user(server.checkout) as three:
        users = [one, two, three]
        assert len({server_found_by(user) for user in users}) == 1
        for user in users:
            assert server.is_answering()
            leave(user)
    assert not server.is_answering()
    wait_until(lambda: not processes_of(server))


@pytest.mark.exhaustive
def test_a_killed_user_is_forgotten_and_its_server_taken_over(server: EmbeddedPostgreSQL) -> None:
    with a_user(server.checkout) as first:
        found = server_found_by(first)
        first.kill()
        first.wait(60)
    assert server.is_answering()
    with a_user(server.checkout) as second:
        assert server_found_by(second) == found
        leave(second)
    assert not server.is_answering()


@pytest.mark.exhaustive
def test_an_interrupt_leaves_nothing_running(server: EmbeddedPostgreSQL) -> None:
    with a_user(server.checkout) as user:
        server_found_by(user)
        user.send_signal(signal.SIGINT)
        user.communicate(timeout=60)
    assert not server.is_answering()
    wait_until(lambda: not processes_of(server))


@pytest.mark.exhaustive
def test_a_failure_inside_stops_the_server_too(server: EmbeddedPostgreSQL) -> None:
    with pytest.raises(ZeroDivisionError), server.running():
        _ = 1 / 0
    assert not server.is_answering()


@pytest.mark.exhaustive
def test_two_checkouts_have_two_servers(tmp_path: Path, made: Path) -> None:
    servers = [EmbeddedPostgreSQL(tmp_path / name) for name in ("one", "two")]
    try:
        for server in servers:
            copy_to(server, made)
        with servers[0].running(), servers[1].running():
            started = [ask(server, "SELECT pg_postmaster_start_time()") for server in servers]
        assert len(set(started)) == 2
    finally:
        for server in servers:
            clean_up(server)


@pytest.mark.exhaustive
def test_a_checkout_too_deep_for_a_socket_is_reached_by_a_short_name(tmp_path: Path, made: Path) -> None:
    server = EmbeddedPostgreSQL(tmp_path / "deep" / ("d" * 100) / ("é" * 50))
    copy_to(server, made)
    link = server.socket_folder
    try:
        with server.running():
            assert ask(server, "SELECT 1") == "1"
        assert not link.is_symlink()
        link.symlink_to(tmp_path)  # of another checkout, or set as a trap
        with server.running():
            assert ask(server, "SELECT 1") == "1"
        assert not link.is_symlink()
    finally:
        clean_up(server)


@pytest.mark.exhaustive
@pytest.mark.skipif(not IS_ROOT, reason="only root needs another user for PostgreSQL")
def test_as_root_the_server_runs_as_another_account_in_a_closed_folder(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    programs = find_programs()
    packages = programs.parents[2]
    for name in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(packages / name, closed / name, symlinks=True)
    server = EmbeddedPostgreSQL(closed, closed / programs.relative_to(packages))
    try:
        with server.running():
            assert ask(server, "SELECT 1") == "1"
            assert psutil.Process(postmaster(server)).uids().effective != 0
            os.kill(postmaster(server), signal.SIGKILL)
            with server.running():
                assert ask(server, "SELECT 1") == "1"
        assert closed.stat().st_mode & 0o777 == 0o700
        assert not server._copy_of_programs.exists()
    finally:
        clean_up(server)


@pytest.mark.exhaustive
@pytest.mark.skipif(not IS_ROOT, reason="an ordinary user shows this in every other test")
def test_an_ordinary_user_has_a_server_too(open_folder: Path) -> None:
    programs = find_programs()
    copy_wheel(programs, open_folder / "packages")
    checkout = open_folder / "checkout"
    checkout.mkdir()
    os.chown(checkout, STRANGER.pw_uid, STRANGER.pw_gid)
    server = EmbeddedPostgreSQL(checkout)
    try:
        for _ in range(2):
            with a_user(
                checkout, open_folder / "packages" / programs.relative_to(programs.parents[2]), STRANGER
            ) as user:
                server_found_by(user)
                assert psutil.Process(postmaster(server)).uids().effective == STRANGER.pw_uid
                leave(user)
        wait_until(lambda: not processes_of(server))
        with server.running():  # and root goes on with what is theirs, as them
            assert psutil.Process(postmaster(server)).uids().effective == STRANGER.pw_uid
    finally:
        clean_up(server)


@pytest.mark.exhaustive
@pytest.mark.skipif(not IS_ROOT, reason="only root can use two accounts")
def test_a_cluster_owned_by_root_is_rejected_with_a_message(open_folder: Path) -> None:
    server = EmbeddedPostgreSQL(open_folder)
    with server.running(), a_user(open_folder, account=STRANGER) as user:
        _, complaint = user.communicate(timeout=60)
    assert user.returncode == 1
    assert "PostgreSQLUnavailable" in complaint
    assert "belongs to another user" in complaint


@pytest.mark.exhaustive
def test_data_of_another_version_is_refused_with_a_sentence(server: EmbeddedPostgreSQL) -> None:
    (server.cluster / "PG_VERSION").write_text("9\n")
    with (
        pytest.raises(PostgreSQLUnavailable, match="was created by PostgreSQL 9, but this is"),
        server.running(),
    ):
        pytest.fail("it started")


@pytest.mark.exhaustive
def test_a_failed_start_is_reported_with_the_log(server: EmbeddedPostgreSQL) -> None:
    (server.cluster / "pg_hba.conf").write_text("nonsense\n")
    with pytest.raises(PostgreSQLUnavailable, match=r"did not start(.|\n)*pg_hba\.conf"), server.running():
        pytest.fail("it started")


@pytest.mark.exhaustive
def test_programs_that_cannot_make_a_cluster_say_why(open_folder: Path) -> None:
    programs = find_programs()
    copy_wheel(programs, open_folder / "packages")
    copied = open_folder / "packages" / programs.relative_to(programs.parents[2])
    shutil.rmtree(copied.parent / "share")
    server = EmbeddedPostgreSQL(open_folder, copied)
    with pytest.raises(PostgreSQLUnavailable, match=r"postgres\.bki.*does not exist"), server.running():
        pytest.fail("it started")
    assert not server.cluster.exists()
