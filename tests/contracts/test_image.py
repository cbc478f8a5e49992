"""The image: the steps of its build run in an empty folder, and its processes start from there as in a container.

No container engine runs here; docs/deployment/containers.md says what that leaves open.
"""

import http.client
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from registry.core.deployment.version import version
from registry.devserver.embedded_postgres import PORT, ROLE
from tests.contracts.test_containers import (
    BUILD,
    COMPOSE,
    CONTENTS,
    FINAL,
    ROOT,
    UNWANTED,
    instructions,
    is_sent,
)
from tests.support.missing import missing, program
from tests.support.replication import FAST, Server, a_folder_for_servers
from tests.support.servers import a_free_port
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.exhaustive, pytest.mark.processes]
# The programs of the base image. Everyone can read these, also the account of the image.
BASE = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin"}
CERTIFICATES = {name: os.environ[name] for name in ("PIP_CERT", "SSL_CERT_FILE") if name in os.environ}
WORKDIR = instructions(FINAL, "WORKDIR")[0]
HOST = "registry.example.org"
PATIENCE = 180  # seconds, on a busy machine


@pytest.fixture(scope="module")
def image() -> Iterator[Path]:
    """The working directory of the image, made by the steps of the first stage. Needs the package index."""
    if subprocess.run(
        ["python3", "-m", "pip", "--version"], env=BASE, capture_output=True, check=False
    ).returncode:
        missing("pip of the system's Python is missing. On Debian: apt-get install python3-pip python3-venv")
    with a_folder_for_servers() as place:
        folder = place / "image"
        folder.mkdir()
        for line in re.findall("^(?:COPY|RUN) .+$", BUILD, re.MULTILINE):
            instruction, _, rest = line.partition(" ")
            if instruction == "COPY":
                *sources, to = rest.split()
                for source in sources:
                    copy(source, folder, to)
            else:
                done = subprocess.run(
                    ["sh", "-ec", rest],
                    cwd=folder,
                    env=BASE | CERTIFICATES | {"HOME": str(place)},
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, done.stdout + done.stderr
        yield folder


def test_the_steps_of_the_build_make_what_the_image_contains(image: Path) -> None:
    inside = [path.relative_to(image).as_posix() for path in image.rglob("*")]
    assert not [each for each in inside if UNWANTED.match(each)]
    assert "static/staticfiles.json" in inside
    table = CONTENTS.partition("## Contents of the image")[2].partition("\n## ")[0]
    described = re.findall(r"^\| `([^`]+?)/?` \|", table, re.MULTILINE)
    assert sorted(path.name for path in image.iterdir()) == described
    assert {each for each in inside if each.startswith("registry/devserver/") and not is_sent(each)} == set()


def test_the_packages_are_those_of_the_guide_and_of_the_bill_of_materials(image: Path) -> None:
    python = image / ".venv" / "bin" / "python"
    listing = [sys.executable, "-m", "pip", "--python", str(python), "list", "--format", "json"]
    packages = json.loads(subprocess.run(listing, check=True, capture_output=True).stdout)
    installed = {normalised(each["name"]) for each in packages}
    listed = CONTENTS.partition("<!-- packages -->")[2].partition("<!-- end")[0]
    assert installed == set(re.findall("[a-z0-9-]+", listed))
    materials = json.loads((image / "sbom.cdx.json").read_text())
    assert materials["bomFormat"] == "CycloneDX"
    assert materials["metadata"]["component"]["version"] == version()
    assert {normalised(each["name"]) for each in materials["components"]} == installed
    assert all(each["version"] and each["purl"] for each in materials["components"])


@pytest.mark.parametrize(("command", "said"), [("version", version()), ("makemigrations --help", "usage")])
def test_commands_that_need_no_database_run(image: Path, command: str, said: str) -> None:
    python = image / ".venv" / "bin" / "python"
    words = [python, "manage.py", *shlex.split(command)]
    environment = dict(each.split("=", 1) for each in instructions(FINAL, "ENV")[0].split()) | BASE
    done = subprocess.run(words, cwd=image, env=environment, check=True, capture_output=True, text=True)
    assert said in done.stdout


@dataclass
class Container:
    """What an engine gives to a process of the image: its account, its environment, and a file system to read.

    It does so with a mount namespace of Linux, so it needs root.
    """

    image: Path
    variables: dict[str, str]
    port: int = field(default_factory=a_free_port)

    def words(self, command: list[str]) -> list[str]:
        """The command in a namespace in which only TMPDIR can be written."""
        (account,) = instructions(FINAL, "USER")
        (variables,) = instructions(FINAL, "ENV")
        command = [each.replace("8000", str(self.port)) for each in command]
        script = f"""
            mount -t tmpfs tmpfs {self.scratch}
            mkdir {self.scratch}/metrics
            chown {account} {self.scratch}/metrics
            mount --bind {self.image} {self.image}
            mount -o remount,bind,ro {self.image}
            mount -o remount,bind,ro /
            cd {self.image}
            export {variables.replace(WORKDIR, str(self.image))}
            exec setpriv --reuid={account} --regid={account} --clear-groups --bounding-set=-all --no-new-privs \\
                {shlex.join(command)}
        """
        return [program("unshare", "util-linux"), "--mount", "sh", "-ec", script]

    @property
    def scratch(self) -> Path:
        return self.image.parent / "scratch"

    @property
    def environment(self) -> dict[str, str]:
        folders = {"TMPDIR": str(self.scratch), "PROMETHEUS_MULTIPROC_DIR": f"{self.scratch}/metrics"}
        return BASE | self.variables | folders

    def start(self, command: list[str], log: Path) -> subprocess.Popen[bytes]:
        with log.open("wb") as output:
            return subprocess.Popen(
                self.words(command),
                env=self.environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.words([*command]), env=self.environment, capture_output=True, text=True, check=False
        )

    def health(self) -> str:
        """The state that a load balancer reads."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            client.request("GET", "/health/ready", headers={"Host": HOST, "X-Forwarded-Proto": "https"})
            return str(json.loads(client.getresponse().read())["state"])
        except OSError:
            return "none"
        finally:
            client.close()


@pytest.fixture
def container(image: Path) -> Iterator[Container]:
    """The image with an empty database, which its account reaches."""
    if subprocess.run([program("unshare", "util-linux"), "--mount", "true"], check=False).returncode:
        missing("Only root, on a system that allows it, may make the read-only file system.")
    with a_folder_for_servers() as place:
        server, socket = Server(place), image.parent / "socket"
        settings = {"unix_socket_directories": f".,{socket}", "unix_socket_permissions": "0777"}
        socket.mkdir()
        socket.chmod(0o777)
        with server.running(**FAST | settings):
            yield Container(image, {
                "DATABASE_URL": f"postgres://{ROLE}@/{ROLE}?host={socket}&port={PORT}",
                "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-" * 2,
                "ALLOWED_HOSTS": HOST,
                "PUBLIC_ORIGIN": f"https://{HOST}",
                "TRUSTED_PROXY_COUNT": "1",
            })  # fmt: skip


def test_the_processes_run_without_rights_on_a_file_system_that_is_only_read(
    container: Container, tmp_path: Path
) -> None:
    container.scratch.mkdir()
    assert container.run("id", "-u").stdout.split() == instructions(FINAL, "USER")
    assert "Read-only file system" in container.run("touch", "written").stderr
    assert container.run("touch", f"{container.scratch}/written").returncode == 0
    migrated = container.run(*COMPOSE["services"]["migrate"]["command"])
    assert migrated.returncode == 0, migrated.stderr
    (check,) = instructions(FINAL, "HEALTHCHECK")
    asked = json.loads(check[check.index("[") :])
    assert container.run(*asked).returncode == 1
    (command,) = instructions(FINAL, "CMD")[-1:]
    web = container.start(json.loads(command), tmp_path / "web")
    worker = container.start(COMPOSE["services"]["worker"]["command"], tmp_path / "worker")
    try:
        wait_until(lambda: container.health() == "ready", PATIENCE)
        assert container.run(*asked).returncode == 0
    finally:
        for process in (web, worker):
            process.terminate()
            process.wait(60)
    assert (web.returncode, worker.returncode) == (0, 0)


def normalised(name: str) -> str:
    """The name of a package as lock files have it."""
    return re.sub("[-_.]+", "-", name).lower()


def copy(source: str, folder: Path, to: str) -> None:
    """Copy as `COPY` does, without what `.dockerignore` names."""

    def left_out(parent: str, names: list[str]) -> list[str]:
        here = Path(parent).relative_to(ROOT)
        return [each for each in names if not is_sent(str(here / each))]

    for found in sorted(ROOT.glob(source)):
        if found.is_dir():
            shutil.copytree(found, folder / to, ignore=left_out)
        else:
            target = folder / to / found.name if to.endswith("/") else folder / to
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(found, target)
