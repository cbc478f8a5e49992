"""The guides for operators, word by word: each command in them runs, in their order, on an empty server of PostgreSQL.

The commands run in a copy of the project, with the virtual environment that the guide makes, as the roles that it makes.
"""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings

from registry.devserver.embedded_postgres import PORT, find_programs, program_environment
from tests.support.guides import Step, steps_of
from tests.support.replication import FAST, Server, a_folder_for_servers
from tests.support.servers import a_free_port
from tests.support.waiting import wait_until

ROOT = Path(settings.BASE_DIR)
COPIED = ("manage.py", "pyproject.toml", "registry", "urnsyntax", "templates", "fixtures", "docs")
INSTALLATION = ("deployment.md", "operations.md")
UPGRADE = ("deployment/upgrades.md",)

# The beginnings of commands that are not run, and why.
ANOTHER_TEST = "another test runs it: "
NAME = "the name of a command, whose arguments are in another place of the guides"
DEVELOPMENT = "for development, not for a deployment"
NOT_TRIED = {
    "systemctl": "systemd does not run here; test_deployment_programs.py lets it verify the units",
    "for header in": "needs the proxy and the domain; "
    + ANOTHER_TEST
    + "tests/security/test_proxy_headers.py",
    "nginx -s reload": ANOTHER_TEST + "tests/devserver/test_rolling_restart.py",
    "/usr/lib/postgresql/18/bin/pg_ctl": ANOTHER_TEST + "tests/drills/test_restore.py",
    "pgbackrest": ANOTHER_TEST + "tests/audit_log/restore/test_pgbackrest.py",
    "SELECT pg_wal_replay_resume()": ANOTHER_TEST + "tests/audit_log/restore/test_pgbackrest.py",
    "patronictl": "needs a cluster; " + ANOTHER_TEST + "tests/drills/test_restore.py",
    "manage.py check_services": "needs the Internet; " + ANOTHER_TEST + "tests/resolution/health/",
    "manage.py lint_migrations": DEVELOPMENT,
    "manage.py write_entries": "needs a register; " + ANOTHER_TEST + "tests/registers/test_bulk.py",
    "manage.py outbox --hold": "stops the worker; " + ANOTHER_TEST + "tests/mail/test_restored_copies.py",
    "python3 run.py": DEVELOPMENT,
}
NAMES = {f"manage.py {each}" for each in ("escrow", "escrow --restore", "erase_person", "export", "publish")}
# Commands that go on running, and what is true as soon as they work.
PROCESSES: dict[str, Callable[["Deployment"], bool]] = {
    ".venv/bin/granian": lambda deployment: deployment.ask("/health/live") == b"ok\n",
    "manage.py worker": lambda deployment: json.loads(deployment.ask("/health/ready"))["state"] == "ready",
}
# The role of PostgreSQL as the table of the guide has it.
BY_OWNER = re.compile(r"manage\.py (migrate|escrow --restore|erase_person)|pg_dump")
LEAVER, EXPERT = "person-who-leaves@example.org", "expert@example.org"

pytestmark = [pytest.mark.exhaustive, pytest.mark.processes, pytest.mark.slow]


class EmptyServer(Server):
    """A server as its operator finds it: without the roles and the database of the demonstration."""

    def _make_database(self) -> None:
        """The guide makes it."""


@dataclass
class Deployment:
    """A folder in which a guide is followed."""

    folder: Path
    server: Server
    port: int = field(default_factory=a_free_port)
    variables: dict[str, str] = field(default_factory=dict)
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    verifier_key: str = ""

    def __post_init__(self) -> None:
        for path in map(ROOT.joinpath, COPIED):
            if path.is_dir():
                shutil.copytree(path, self.home / path.name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                self.home.mkdir(exist_ok=True)
                shutil.copy(path, self.home)
        for lock in ROOT.glob("requirements*.txt"):
            shutil.copy(lock, self.home)
        for name in ("etc", "units", "srv"):
            (self.folder / name).mkdir()
        self.variables = {
            "PUBLIC_ORIGIN": "https://registry.example.org",
            "ALLOWED_HOSTS": "registry.example.org",
            "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-" * 2,
            "EMAIL_HOST": "mail.example.org",
            "TRUSTED_PROXY_COUNT": "1",
            "CLIENT_ADDRESS_HEADER": "Clientaddress",
            "LOG_SIGNING_KEY": f"{self.folder}/etc/log-signing-key",
        }

    @property
    def home(self) -> Path:
        return self.folder / "registry"

    def words(self) -> dict[str, str]:
        """What stands for the examples of the guides."""
        xml = str(ROOT / "fixtures" / "iana-urn-namespaces.xml")
        return {
            "/etc/urn-registry/": f"{self.folder}/etc/",
            "/etc/systemd/system/": f"{self.folder}/units/",
            "/srv/": f"{self.folder}/srv/",
            "--maildir /var/mail/registry": f"--maildir {self.folder}/maildir",
            "--maildir FOLDER": f"--maildir {self.folder}/maildir",
            "import_iana urn-namespaces.xml": f"import_iana {xml}",
            "import_iana FILE": f"import_iana {xml}",
            "--head FILE": f"--head {self.folder}/head",
            "/var/lib/urn-registry/backup/2026-11-23.dump": f"{self.folder}/dump",
            "--list FILE": f"--list {self.folder}/etc/erased",
            "--again FILE": f"--again {self.folder}/etc/erased",
            "--target 812": "--target 1",
            "ADDRESS": LEAVER,
            "EMAIL": EXPERT,
            "--port 8000": f"--port {self.port}",
        }

    def run(self, step: Step) -> bytes:
        """Carry out one step, and return what it prints."""
        text = step.text
        for example, word in self.words().items():
            text = text.replace(example, word)
        if step.is_sql:
            return self.sh("psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1", self.as_superuser(), text)
        for beginning, works in PROCESSES.items():
            if step.text.startswith(beginning):
                self.start(text)
                wait_until(partial(works, self), 180)
                return b""
        environment, typed, folder = self.prepared(step.text)
        printed = self.sh(text, environment, typed, folder)
        self.carry_on(step.text, printed.decode(errors="replace"))
        return printed

    def sh(
        self, command: str, environment: dict[str, str], typed: str = "", folder: Path | None = None
    ) -> bytes:
        done = subprocess.run(
            ["sh", "-ec", self.in_environment(command)],
            cwd=folder or self.home,
            env=environment,
            input=typed.encode(),
            capture_output=True,
            check=False,
            timeout=1200,
        )
        assert done.returncode == 0, f"{command}\n{(done.stdout + done.stderr).decode(errors='replace')}"
        return done.stdout

    def start(self, command: str) -> None:
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                ["sh", "-ec", f"exec {self.in_environment(command)}"],
                cwd=self.home,
                env=self.environment(),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.running.append(process)

    def stop(self) -> None:
        for process in self.running:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)

    def in_environment(self, command: str) -> str:
        return re.sub(r"^manage\.py", f"{self.home}/.venv/bin/python {self.home}/manage.py", command)

    def environment(self, role: str = "registry_web", database: str = "registry") -> dict[str, str]:
        place = f"host={self.server.socket_folder}&port={PORT}"
        return (
            program_environment()
            | {
                "PATH": f"{find_programs()}:{os.environ['PATH']}",
                "DJANGO_SETTINGS_MODULE": "registry.settings",
            }
            | {"PGHOST": str(self.server.socket_folder), "PGUSER": role, "PGDATABASE": database}
            | {"DATABASE_URL": f"postgres://{role}@/{database}?{place}"}
            | self.variables
        )

    def as_superuser(self) -> dict[str, str]:
        return self.environment("postgres", "postgres")

    def prepared(self, command: str) -> tuple[dict[str, str], str, Path | None]:
        """What a command finds: its environment, what is typed, and its folder."""
        role = "registry_owner" if BY_OWNER.match(command) else "registry_web"
        environment, typed, folder = self.environment(role), "", None
        if "--head FILE" in command:
            self.python("from registry.audit_log.heads import publish_head; publish_head()")  # as every hour
            (self.folder / "head").write_bytes(self.ask("/audit-log/checkpoint.txt"))
        elif "--maildir" in command:
            for name in ("new", "cur", "tmp"):
                (self.folder / "maildir" / name).mkdir(parents=True, exist_ok=True)
        elif command.startswith("manage.py grant_role"):
            self.sign_up("administrator@example.org")
        elif command == "manage.py erase_person ADDRESS --dry-run":
            self.sign_up(LEAVER)
        elif command.startswith("manage.py erase_person ADDRESS --reason"):
            typed = LEAVER
        elif command.startswith("manage.py remove_second_factors"):
            self.sign_up(EXPERT)
            self.python(
                f"from allauth.mfa.totp.internal.auth import TOTP; TOTP.activate({FIND.format(EXPERT)}, 'A' * 32)"
            )
        elif command.startswith("manage.py escrow --restore"):
            self.sh("createdb --owner=registry_owner restored", self.as_superuser())
            environment = self.environment(role, "restored")
            self.sh("manage.py migrate", environment)
        elif command.startswith(("createdb", "pg_restore")):
            self.sh(f"pg_dump --format=custom --file={self.folder}/dump", self.environment("registry_owner"))
            environment = self.as_superuser()
        elif command.startswith("cat manifest"):
            folder = self.folder / "srv" / "public" / "current"
        return environment, typed, folder

    def carry_on(self, command: str, printed: str) -> None:
        """What a sentence beside a command says to do then, and what has to be true."""
        if command.endswith("log-signing-key"):
            self.verifier_key = printed.split()[-1]
        elif command.endswith("log-signing-key-2"):
            self.variables["LOG_SIGNING_KEY"] += "-2"
            self.variables["LOG_VERIFIER_KEYS"] = self.verifier_key
            self.sh(f"manage.py verify_audit_log --head {self.folder}/head", self.environment())
        elif command == "manage.py check --deploy":
            assert "no issues" in printed
        elif command.startswith("manage.py restore_check --target"):
            assert "recovery_target_time" in printed
        elif command.startswith("pg_restore"):
            restored = self.environment(database="registry_restored")
            self.sh(f"manage.py restore_check --head {self.folder}/head", restored)

    def sign_up(self, email: str) -> None:
        """An account with a confirmed address."""
        self.python(
            "from registry.accounts.models import User; from allauth.account.models import EmailAddress; "
            f"user = User.objects.create_user('{email}', 'a long password', name='A Person'); "
            "EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)"
        )

    def python(self, code: str) -> None:
        self.sh(f'manage.py shell -v 0 -c "{code}"', self.environment())

    def ask(self, path: str) -> bytes:
        """The response of the web processes, as to their proxy; nothing if they do not run."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        proxy = {"X-Forwarded-Proto": "https", "Clientaddress": "192.0.2.1"}
        try:
            client.request("GET", path, headers={"Host": "registry.example.org", **proxy})
            return client.getresponse().read()
        except OSError:
            return b'{"state": "none"}'
        finally:
            client.close()


FIND = "__import__('registry.accounts.models', fromlist=['User']).User.objects.get(email='{}')"


@contextmanager
def a_deployment(folder: Path) -> Iterator[Deployment]:
    with a_folder_for_servers() as place:
        server = EmptyServer(place)
        with server.running(**FAST | {"max_connections": "100"}, track_commit_timestamp="on"):
            deployment = Deployment(folder, server)
            try:
                yield deployment
            finally:
                deployment.stop()


def reason(step: Step) -> str | None:
    """Why a step is not tried."""
    if step.text in NAMES:
        return NAME
    return next((why for begin, why in NOT_TRIED.items() if step.text.startswith(begin)), None)


def test_each_reason_belongs_to_a_command_of_the_guides() -> None:
    steps = [*steps_of(*INSTALLATION), *steps_of(*UPGRADE)]
    texts = [step.text for step in steps]
    assert not {begin for begin in NOT_TRIED if not any(text.startswith(begin) for text in texts)}
    assert set(texts) >= NAMES
    tests = {word for why in NOT_TRIED.values() for word in why.split() if word.startswith("tests/")}
    assert all((ROOT / each).exists() for each in tests)


def test_the_guides_can_be_followed(tmp_path: Path) -> None:
    """Needs the package index."""
    with a_deployment(tmp_path) as deployment:
        for guides in (INSTALLATION, UPGRADE):
            for step in steps_of(*guides):
                if reason(step) is None:
                    print("\n$", step.text)  # what pytest shows of a failure
                    print(deployment.run(step).decode(errors="replace")[-2000:])
