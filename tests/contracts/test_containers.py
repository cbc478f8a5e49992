"""`Containerfile` and `compose.yaml` name what exists; `test_image` builds the image and starts it."""

import json
import os
import re
import stat
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
from django.core.management import get_commands
from django.http.request import validate_host

from registry.devserver.processes import SERVER_COMMAND
from registry.environment import SETTINGS
from tests.contracts.source_code import imports_of, sources
from tests.support.podman import CONTAINERFILE, GUIDE, ROOT

STAGES = CONTAINERFILE.replace("\\\n", "").split("\nFROM ")
BUILD, FINAL = STAGES[1], STAGES[2]
COMPOSE_TEXT = (ROOT / "docs" / "deployment" / "compose.yaml").read_text("utf-8")
COMPOSE = yaml.safe_load(COMPOSE_TEXT)
OURS = {name: service for name, service in COMPOSE["services"].items() if service["image"] == "urn-registry"}
IGNORED = [
    line
    for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
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
    assert IGNORED[0] == "*"
    assert {each[1:] for each in IGNORED if each.startswith("!")} == {source for source, _ in copied()}
    assert not [source for source, _ in copied() if UNWANTED.match(source)]
    for path in (".git", ".venv", ".postgres", ".env", "tests/conftest.py", "registry/__pycache__"):
        assert not is_sent(path)
    assert is_sent("registry/core/models.py")


def is_sent(path: str) -> bool:
    """Whether a path of this folder is part of the context of the build: the last pattern that matches decides."""
    sent = True
    above = [path, *map(str, Path(path).parents)]
    for pattern in IGNORED:
        if any(fnmatch(each, pattern.removeprefix("!")) for each in above):
            sent = pattern.startswith("!")
    return sent


@pytest.mark.exhaustive
def test_nothing_in_the_image_imports_what_is_left_out() -> None:
    left_out = {each.module for each in sources("registry") if not is_sent(each.path)}
    assert "registry.devserver.demonstration_cases" in left_out
    for source in sources("registry", "urnsyntax"):
        if is_sent(source.path):
            for _, name in imports_of(source):
                assert not {name, name.rpartition(".")[0]} & left_out, source.path


def test_no_package_of_tests_or_of_the_demonstration_is_installed() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    others = {
        re.split("[<=>;[]", each)[0]
        for name in ("test", "development", "sbom")
        for each in groups[name]
        if str(each) == each
    }
    assert names_in("requirements.txt") & others == set()
    install, bill_of_materials = instructions(BUILD, "RUN")[:2]
    assert re.findall("requirements[a-z-]*.txt", install) == ["requirements.txt"]
    assert "--python .sbom/bin/python" in bill_of_materials
    assert bill_of_materials.endswith("rm -r .sbom requirements*.txt")


def test_all_that_is_imported_is_compiled() -> None:
    compiled = [set(each.split()) for each in instructions(BUILD, "RUN") if "compileall" in each]
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert compiled[0] >= {source for source, _ in copied() if source in packages} | {".venv"}


def test_the_linter_accepts_the_file() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run(
        [linter, ROOT / "Containerfile"], capture_output=True, text=True, check=False, timeout=240
    )
    assert (done.returncode, done.stdout) == (0, "")


# compose.yaml


def test_the_compose_file_is_valid_by_the_specification() -> None:
    validator = Path(sys.executable).with_name("check-jsonschema")
    file = ROOT / "docs" / "deployment" / "compose.yaml"
    done = subprocess.run(
        [validator, "--builtin-schema", "vendor.compose-spec", file],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout


def commands_of(service: dict[str, Any]) -> list[str]:
    """The commands of `manage.py` that a service runs."""
    return re.findall(r"manage\.py (\w+)", " ".join(service.get("command", [])))


@pytest.mark.parametrize("name", OURS)
def test_a_service_is_read_only_and_uses_what_exists(name: str) -> None:
    service = OURS[name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["environment"].keys() <= SETTINGS.keys()
    assert set(commands_of(service)) <= get_commands().keys()
    # The check of the image asks the web processes. `verify` has one of its own.
    check = OURS["verify"]["healthcheck"] if name == "verify" else {"disable": True}
    assert bool(commands_of(service)) == (service.get("healthcheck") == check)


def test_the_database_is_ready_only_when_it_listens_for_others() -> None:
    assert "--host=127.0.0.1" in COMPOSE["services"]["database"]["healthcheck"]["test"]


def test_processes_have_time_for_their_requests_and_jobs() -> None:
    patience = int(SERVER_COMMAND[SERVER_COMMAND.index("--workers-kill-timeout") + 1])
    for name in ("web", "worker"):
        assert int(OURS[name]["stop_grace_period"].removesuffix("s")) > patience


def test_a_failed_backup_does_not_look_complete(tmp_path: Path) -> None:
    script = (
        COMPOSE["services"]["backup"]["entrypoint"][2].replace("$$", "$").replace("/backup", str(tmp_path))
    )
    for status, ending in ((1, ".partial"), (0, ".dump")):
        dump = f"pg_dump() {{ touch ${{2#--file=}}; return {status}; }}; sleep() {{ exit 0; }}; "
        done = subprocess.run(["sh", "-ec", dump + script], capture_output=True, check=False, timeout=240)
        assert done.returncode == status
        assert [path.suffix for path in tmp_path.iterdir()] == [ending]


def test_verification_is_unhealthy_if_it_is_too_old(tmp_path: Path) -> None:
    service = OURS["verify"]
    assert service["restart"] == "unless-stopped"
    assert "verify_audit_log; touch /tmp/verified;" in service["command"][2]
    file = tmp_path / "verified"
    check = ["sh", "-c", service["healthcheck"]["test"][1].replace("/tmp/verified", str(file))]
    assert subprocess.run(check, capture_output=True, check=False, timeout=240).returncode
    file.touch()
    assert subprocess.run(check, check=False, timeout=240).returncode == 0
    os.utime(file, (0, 0))
    assert subprocess.run(check, check=False, timeout=240).returncode


def test_one_command_and_one_file_start_the_services_in_their_order() -> None:
    done = "service_completed_successfully"
    waits = {
        name: {other: each["condition"] for other, each in service["depends_on"].items()}
        for name, service in OURS.items()
    }
    assert waits.pop("key") == {}
    assert waits.pop("migrate") == {"database": "service_healthy", "key": done}
    assert all(each == {"migrate": done, "key": done} for each in waits.values())
    file = re.findall(r"```\n(HOST=.+?)```", GUIDE, re.DOTALL)[0]
    given = set(re.findall(r"^([A-Z_]+)=", file, re.MULTILINE))
    assert set(re.findall(r"\$\{([A-Z_]+)", COMPOSE_TEXT)) <= given
    assert given - {"HOST", "POSTGRES_PASSWORD"} <= SETTINGS.keys()
    required = {each.name for each in SETTINGS.values() if each.required}
    assert required <= given | OURS["web"]["environment"].keys()


def test_the_guide_describes_the_services_and_volumes_exist() -> None:
    rows = re.findall(r"^\| (`\w+`.*?) \|", GUIDE.partition("| service |")[2], re.MULTILINE)
    assert set(re.findall(r"\w+", " ".join(rows))) == COMPOSE["services"].keys()
    mounted = [
        each.split(":")[0] for service in COMPOSE["services"].values() for each in service.get("volumes", [])
    ]
    assert {each for each in mounted if not each.startswith("./")} == COMPOSE["volumes"].keys()


def test_the_key_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUBLIC_ORIGIN", "https://registry.example.org")
    script = OURS["key"]["command"][2].replace("/keys", str(tmp_path)).replace("/public", str(tmp_path))
    script = script.replace("python", sys.executable).replace("10001", str(os.geteuid()))
    key = tmp_path / "log-signing-key"
    subprocess.run(["sh", "-ec", script], cwd=ROOT, capture_output=True, check=True, timeout=240)
    made = key.read_text()
    subprocess.run(["sh", "-ec", script], cwd=ROOT, capture_output=True, check=True, timeout=240)
    assert key.read_text() == made
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


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
        done = subprocess.run([sys.executable, option, code], env=variables, check=False, timeout=240)
    assert done.returncode == status
