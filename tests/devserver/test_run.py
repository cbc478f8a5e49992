"""The commands of run.py, in a fresh copy of the project with its own environment."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

import run
from registry.devserver import processes as devserver_processes
from tests.support.programs import running

ROOT = Path(__file__).resolve().parents[2]
STEPS = [
    "· starting PostgreSQL in .postgres",
    "· collecting static files",
    "· migrating the database",
    "· loading the demonstration: namespaces, accounts and cases",
    "· all is set up; `python3 run.py` starts the registry",
]
LOCKS = ("requirements.txt", "requirements-development.txt", "requirements-test.txt")

pytestmark = [pytest.mark.processes, pytest.mark.slow]


@pytest.fixture
def copy(tmp_path: Path) -> Iterator[Path]:
    """A cloned and set-up project, whose environment uses the packages of this one."""
    yield from a_copy(tmp_path / "copy")


@pytest.fixture(scope="module")
def prepared_copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy with a filled database, shared by tests that leave no process running in it."""
    for copy in a_copy(tmp_path_factory.mktemp("prepared") / "copy"):
        done = finished(copy, "setup")
        assert done.returncode == 0
        assert [line for line in done.stderr.splitlines() if line.startswith("· ")] == STEPS
        yield copy


def a_copy(copy: Path) -> Iterator[Path]:
    not_cloned = shutil.ignore_patterns(".[!e]*", "__pycache__", "static", "tests")
    shutil.copytree(ROOT, copy, ignore=not_cloned)
    environment = copy / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True, timeout=240)
    (next(environment.glob("lib/python*/site-packages")) / "borrowed.pth").write_text(
        sysconfig.get_path("purelib")
    )
    for lock in LOCKS:
        (environment / f"{lock}.installed").write_text(run.fingerprint(lock))
    yield copy
    for process in processes_in(copy):
        with suppress(psutil.NoSuchProcess):
            process.kill()


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A project with empty lock files and a manage.py that prints its arguments, to test the set-up."""
    for package in ("registry", "registry/devserver", "registry/core", "registry/core/processes"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "registry/devserver/database.py").write_text(
        "from contextlib import nullcontext as running\n"
    )
    interruptions = "registry/core/processes/interruptions.py"
    shutil.copy(ROOT / interruptions, tmp_path / interruptions)
    (tmp_path / "manage.py").write_text("import sys; print(sys.prefix, *sys.argv[1:])\n")
    for lock in (*LOCKS, "requirements-uv.txt"):
        (tmp_path / lock).write_text("# nothing\n")
    shutil.copy(ROOT / "run.py", tmp_path)
    return tmp_path


def command(place: Path, *arguments: str) -> list[str]:
    return [sys.executable, str(place / "run.py"), *arguments]


def finished(
    place: Path, *arguments: str, given: str = "", **settings: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(place, *arguments),
        input=given,
        env=environment(**settings),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def environment(**settings: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "DATABASE_URL"} | settings


@contextmanager
def serving(place: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """Run run.py during the block, from the moment it reports that it serves."""
    with running(
        command(place),
        env=environment(PORT=str(port)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout
        said = []
        for line in process.stdout:
            said.append(line)
            if f"http://localhost:{port}/" in line:
                break
        else:
            pytest.fail("".join(said))
        yield process


def processes_in(place: Path) -> list[psutil.Process]:
    """Return the processes that work in this folder or were started from it."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(place) or str(place) in " ".join(process.cmdline()):
                found.append(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def wait_until_nothing_runs_in(place: Path) -> None:
    give_up = time.monotonic() + 60
    while left := processes_in(place):
        assert time.monotonic() < give_up, [process.cmdline() for process in left]
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize("asked", ["help", "--help", "-h"])
def test_help_shows_every_command(bare: Path, asked: str) -> None:
    done = finished(bare, asked)
    assert (done.returncode, done.stderr) == (0, "")
    for name in run.COMMANDS:
        assert f"python3 run.py {name}".rstrip() in done.stdout


@pytest.mark.parametrize(
    "misuse",
    [
        ["serve"],
        ["Test"],
        ["test\n"],
        ["tést"],
        ["tests"],
        ["--port", "1"],
        ["setup", "now"],
        ["check", "it"],
    ],
)
def test_an_unknown_command_is_misuse(bare: Path, misuse: list[str]) -> None:
    done = finished(bare, *misuse)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Examples:" in done.stderr
    assert not (bare / ".venv").exists()


@pytest.mark.exhaustive
def test_a_set_up_that_was_cut_off_is_done_again_once_and_in_silence_afterwards(bare: Path) -> None:
    with running(command(bare, "manage"), stderr=subprocess.DEVNULL, start_new_session=True) as process:
        while not (bare / ".venv" / "pyvenv.cfg").exists():
            assert process.poll() is None
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    first = finished(bare, "manage", "hello")
    assert (first.returncode, first.stdout) == (0, f"{bare / '.venv'} hello\n")
    steps = re.findall("^· (.+)$", first.stderr, re.MULTILINE)
    # The lock file of uv is empty.
    locks = [step for lock in LOCKS[:2] for step in (f"installing {lock}", "uv could not; trying with pip")]
    assert steps == ["making a virtual environment in .venv", "installing uv", *locks]
    second = finished(bare, "manage", "hello")
    assert (second.returncode, second.stdout, second.stderr) == (0, first.stdout, "")


@pytest.mark.soak
def test_processes_use_bytecode_whatever_the_environment_says(bare: Path) -> None:
    (bare / "manage.py").write_text("import sys; print(sys.dont_write_bytecode)\n")
    done = finished(bare, "manage", PYTHONDONTWRITEBYTECODE="1")
    assert done.stdout == "False\n"
    assert list((bare / "registry" / "__pycache__").glob("__init__.*.pyc"))


@pytest.mark.soak
def test_without_a_pip_of_its_own_this_python_gets_one_for_the_environment(
    bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare / "other"], check=True, timeout=120)
    monkeypatch.setattr(sys, "executable", str(bare / "other" / "bin" / "python"))
    done = finished(bare, "manage", "hello")
    assert (done.returncode, done.stdout) == (0, f"{bare / '.venv'} hello\n")
    assert list(bare.glob(".venv/lib/python*/site-packages/pip"))


@pytest.mark.soak
def test_an_environment_of_another_lock_is_recreated(bare: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare / ".venv"], check=True, timeout=240)
    (bare / ".venv" / "requirements.txt.installed").write_text("of an older lock")
    (bare / ".venv" / "left-over").touch()
    assert "making a virtual environment" in finished(bare, "manage").stderr
    assert not (bare / ".venv" / "left-over").exists()


@pytest.mark.exhaustive
def test_a_failed_installation_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "VENV", tmp_path)
    lock = tmp_path / "requirements.txt"
    lock.write_text("/nowhere/urn-1-py3-none-any.whl --hash=sha256:" + "0" * 64 + "\n")
    with pytest.raises(SystemExit, match="1"):
        run.install(lock.name)
    said = capfd.readouterr().err
    assert "uv could not; trying with pip" in said
    assert "requirements.txt could not be installed; the reason is above" in said
    assert not run.stamp(lock.name).exists()


@pytest.mark.parametrize(
    "port", ["0", "65536", "8000\n", " 8000", "８０００", "80o0", "-1", "+80", "80000000"]
)
def test_an_invalid_port_is_a_usage_error(
    port: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("PORT", port)
    with pytest.raises(SystemExit, match="2"):
        run.serve()
    assert "a number from 1 to 65535" in capsys.readouterr().err


@pytest.mark.parametrize("command", [run.serve, run.setup])
def test_a_real_database_is_not_filled_with_examples(
    command: Callable[[], int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://me@127.0.0.1:1/urns")
    with pytest.raises(SystemExit, match="2"):
        command()
    assert "DATABASE_URL is set" in capsys.readouterr().err


def test_manage_passes_everything_through(copy: Path) -> None:
    program = "import sys; print(sys.stdin.read().upper(), end=''); sys.exit(7)"
    done = finished(copy, "manage", "shell", "--no-imports", "-c", program, given="urn:isbn\n")
    assert (done.returncode, done.stdout, done.stderr) == (7, "URN:ISBN\n", "")
    wait_until_nothing_runs_in(copy)


@pytest.mark.exhaustive
def test_a_command_without_the_database_prints_advice(copy: Path) -> None:
    done = subprocess.run(
        [copy / ".venv" / "bin" / "python", copy / "manage.py", "migrate"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("The database is not running: ")
    assert "python3 run.py manage" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.soak
def test_a_fresh_copy_serves(copy: Path) -> None:
    with serving(copy, free_port()) as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 0
    wait_until_nothing_runs_in(copy)


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.xdist_group("prepared copy")
def test_it_serves_and_is_killed_and_starts_again_and_ctrl_c_leaves_nothing_running(
    prepared_copy: Path,
) -> None:
    copy, port = prepared_copy, free_port()
    with serving(copy, port) as process:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
            assert answer.status == 200
        busy = finished(copy, PORT=str(port))
        assert busy.returncode == 1
        assert f"Port {port} is not available" in busy.stderr
        process.kill()
        process.communicate(timeout=60)
    with serving(copy, port) as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 0
    wait_until_nothing_runs_in(copy)


@pytest.mark.parametrize(
    ("arguments", "workers"),
    [
        ([], 2),
        (["--all"], 4),
        (["-m", "soak"], 2),
        (["--last-failed"], 2),
        (["tests"], 2),
        (["--ignore", "tests/journeys", "--deselect", "tests/test_links.py::test_links"], 2),
        (["tests/cases", "-k", "approve"], 0),
        (["tests/test_links.py::test_links"], 0),
        (["-kapprove"], 0),
    ],
)
def test_each_core_has_a_worker_and_a_few_tests_start_none(
    arguments: list[str], workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    chosen = run.distribution(arguments)
    assert chosen[:2] == ["-n", str(workers)]


def test_without_a_network_the_tests_go_on_without_missing_programs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(
        shutil, "which", lambda name: None if name.endswith("chromium") else f"/usr/bin/{name}"
    )
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(run, "call", lambda command, **_options: asked.append(command) or 100)
    run.find_programs(run.PROGRAMS_OF_TESTS)
    assert asked == [["apt-get", "-qq", "update"]]
    assert "`apt-get update` failed, so tests that need these packages are skipped" in capsys.readouterr().err


@pytest.mark.parametrize("signals", [1, 2])
def test_an_interrupted_command_that_ignores_sigterm_is_killed(
    monkeypatch: pytest.MonkeyPatch, signals: int
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        def wait(self, timeout: float | None = None) -> int:
            started.append(self)
            if len(started) == 1:
                assert self.stdout is not None
                with self.stdout:
                    self.stdout.readline()
            if len(started) <= signals:
                raise KeyboardInterrupt
            return super().wait(timeout or 60)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    monkeypatch.setattr(run, "SHUTDOWN_TIMEOUT", 0.1)
    ignoring = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    with pytest.raises(KeyboardInterrupt):
        run.call([sys.executable, "-c", ignoring], stdout=subprocess.PIPE)
    assert started[0].returncode == -signal.SIGKILL


def test_a_port_in_use_on_ipv6_is_not_shared() -> None:
    if not socket.has_ipv6:
        pytest.skip("there is no IPv6 here")
    with socket.socket(socket.AF_INET6) as other:
        try:
            other.bind(("::1", 0))
        except OSError:
            pytest.skip("there is no ::1 here")
        other.listen()
        port = other.getsockname()[1]
        with (
            pytest.raises(devserver_processes.PortTaken, match=f"Port {port} of ::1"),
            devserver_processes.reserved(port),
        ):
            pass


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.xdist_group("prepared copy")
def test_a_part_that_ends_by_itself_ends_the_rest_with_a_sentence(prepared_copy: Path) -> None:
    copy = prepared_copy
    with serving(copy, free_port()) as process:
        worker = next(found for found in processes_in(copy) if found.cmdline()[-1] == "worker")
        worker.kill()
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "A process ended unexpectedly (exit status -9): manage.py worker" in said
    wait_until_nothing_runs_in(copy)


@pytest.mark.parametrize(
    ("number", "moment"),
    [
        pytest.param(signal.SIGINT, 0.5, marks=pytest.mark.exhaustive),
        (signal.SIGTERM, 1.0),
        pytest.param(signal.SIGINT, 2.0, marks=pytest.mark.exhaustive),
    ],
)
def test_a_stop_at_any_moment_leaves_nothing_running(copy: Path, number: int, moment: float) -> None:
    with running(
        command(copy),
        env=environment(PORT=str(free_port())),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        time.sleep(moment)
        process.send_signal(number)
        process.wait(60)
    wait_until_nothing_runs_in(copy)
