"""`Containerfile` and `compose.yaml`: their steps run in an empty folder, and they name what exists."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest
import yaml
from django.conf import settings
from django.core.management import get_commands
from django.http.request import validate_host

from registry.core.deployment.version import version
from registry.devserver.processes import SERVER_COMMAND
from registry.environment import SETTINGS

ROOT = Path(settings.BASE_DIR)
STAGES = (ROOT / "Containerfile").read_text("utf-8").replace("\\\n", "").split("\nFROM ")
BUILD, FINAL = STAGES[1], STAGES[2]
COMPOSE = yaml.safe_load((ROOT / "docs" / "deployment" / "compose.yaml").read_text("utf-8"))
OURS = {name: service for name, service in COMPOSE["services"].items() if service["image"] == "urn-registry"}
UNWANTED = re.compile(r"^(tests|benchmarks|clients|docs|fixtures/(cases|people|canned)|\.git|\.postgres)")


def instructions(stage: str, name: str) -> list[str]:
    return re.findall(rf"^{name} +(.+)$", stage, re.MULTILINE)


def names_in(lock: str) -> set[str]:
    return set(re.findall(r"^([a-z0-9-]+)(?:\[[a-z,]+\])?==", (ROOT / lock).read_text("utf-8"), re.MULTILINE))


def copied() -> list[tuple[str, str]]:
    """The sources and the destination of each COPY of the first stage, as pairs."""
    parts = [each.split() for each in instructions(BUILD, "COPY")]
    return [(source, words[-1]) for words in parts for source in words[:-1]]


def test_the_image_starts_the_server_as_deployed_and_not_as_root() -> None:
    (command,) = instructions(FINAL, "CMD")[-1:]
    words = json.loads(command)
    assert words[: len(SERVER_COMMAND)] == SERVER_COMMAND
    assert words[-1] == "registry.wsgi:application"
    assert int(instructions(FINAL, "USER")[0]) > 0
    assert instructions(FINAL, "COPY") == ["--from=build /opt/urn-registry /opt/urn-registry"]


def test_only_what_is_copied_is_sent_to_the_build() -> None:
    ignored = (ROOT / ".containerignore").read_text("utf-8").splitlines()
    allowed = {each[1:] for each in ignored if each.startswith("!")}
    assert "*" in ignored
    assert allowed == {source for source, _ in copied()}
    assert not [source for source, _ in copied() if UNWANTED.match(source)]


def test_no_package_of_tests_or_of_the_demonstration_is_installed() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    others = {
        re.split("[<=>;[]", each)[0]
        for name in ("test", "development")
        for each in groups[name]
        if str(each) == each
    }
    assert names_in("requirements.txt") & others == set()
    assert "requirements.txt" in BUILD
    assert "requirements-" not in BUILD


@pytest.mark.parametrize("name", OURS)
def test_a_service_is_read_only_and_uses_what_exists(name: str) -> None:
    service = OURS[name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["environment"].keys() <= SETTINGS.keys()
    if command := service.get("command"):
        assert command[:2] == ["python", "manage.py"]
        assert command[2] in get_commands()


@pytest.mark.exhaustive
def test_the_steps_of_the_build_make_what_the_image_contains(tmp_path: Path) -> None:
    """Needs the package index."""
    plain = {
        name: os.environ[name] for name in ("PATH", "HOME", "PIP_CERT", "SSL_CERT_FILE") if name in os.environ
    }
    for line in re.findall("^(?:COPY|RUN) .+$", BUILD, re.MULTILINE):
        instruction, _, rest = line.partition(" ")
        if instruction == "COPY":
            *sources, to = rest.split()
            for source in sources:
                copy(source, tmp_path, to)
        else:
            subprocess.run(["sh", "-ec", rest], cwd=tmp_path, env=plain, check=True, capture_output=True)
    inside = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")]
    assert not [each for each in inside if UNWANTED.match(each)]
    assert "static/staticfiles.json" in inside
    python = tmp_path / ".venv" / "bin" / "python"
    listing = [sys.executable, "-m", "pip", "--python", str(python), "list", "--format", "json"]
    packages = json.loads(subprocess.run(listing, env=plain, check=True, capture_output=True).stdout)
    installed = {each["name"].lower().replace("_", "-").replace(".", "-") for each in packages}
    assert installed <= {each.replace(".", "-") for each in names_in("requirements.txt")}
    for command, said in (("version", version()), ("makemigrations --help", "usage")):
        done = subprocess.run(
            [python, "manage.py", *shlex.split(command)],
            cwd=tmp_path,
            env=plain,
            check=True,
            capture_output=True,
            text=True,
        )
        assert said in done.stdout
    deployed = plain | {
        "DATABASE_URL": "postgres://registry@/registry",
        "SECRET_KEY": "x" * 50,
        "ALLOWED_HOSTS": "localhost",
        "PUBLIC_ORIGIN": "http://localhost",
    }
    subprocess.run([python, "-c", "import registry.wsgi"], cwd=tmp_path, env=deployed, check=True)


class Site(BaseHTTPRequestHandler):
    """Refuses hosts that are not in `allowed`, as Django does."""

    allowed: ClassVar[list[str]]

    def do_GET(self) -> None:
        is_allowed = self.path == "/health/live" and validate_host(self.headers["Host"], self.allowed)
        self.send_response(200 if is_allowed else 400)
        self.end_headers()

    def log_message(self, *_arguments: Any) -> None:
        """Discard the log."""


@pytest.mark.parametrize(
    ("allowed", "status"),
    [("registry.example.org", 0), ("*", 0), (".example.org", 0), ("a.example b.example", 1)],
)
def test_the_health_check_asks_for_the_public_host(allowed: str, status: int) -> None:
    (check,) = instructions(FINAL, "HEALTHCHECK")
    _, option, code = json.loads(check[check.index("[") :])
    Site.allowed = allowed.split()
    with HTTPServer(("127.0.0.1", 0), Site) as server:
        Thread(target=server.handle_request, daemon=True).start()
        code = code.replace("8000", str(server.server_port))
        variables = {"ALLOWED_HOSTS": allowed, "PUBLIC_ORIGIN": "https://registry.example.org"}
        done = subprocess.run([sys.executable, option, code], env=variables, check=False)
    assert done.returncode == status


def copy(source: str, folder: Path, to: str) -> None:
    """Copy as `COPY` does, without what `.containerignore` names."""
    for found in sorted(ROOT.glob(source)):
        if found.is_dir():
            shutil.copytree(
                found,
                folder / to,
                ignore=lambda _, names: [each for each in names if fnmatch(each, "__pycache__")],
            )
        else:
            target = folder / to / found.name if to.endswith("/") else folder / to
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(found, target)
