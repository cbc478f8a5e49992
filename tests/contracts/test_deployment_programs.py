"""The files in `docs/deployment/` are accepted by the programs that read them, and the commands of the guides run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.databases import environment_of_a_process
from tests.support.missing import program
from tests.support.proxies import write_configuration
from tests.support.servers import a_free_port

ROOT = Path(settings.BASE_DIR)
FILES = ROOT / "docs" / "deployment"
GUIDE = (ROOT / "docs" / "deployment.md").read_text("utf-8")
OPERATIONS = (ROOT / "docs" / "operations.md").read_text("utf-8")
# Commands of the table of routine tasks that write to a folder of the operator.
WRITING = {"/srv/escrow", "/srv/public"}
NOT_TRIED = {
    "import_iana FILE",  # tried under its name in the guide
    "verify_audit_log --head FILE",  # needs a published head: tests/security/test_signed_heads.py
    "doctor",  # needs a worker: tests/core/deployment/test_doctor.py
}

pytestmark = pytest.mark.processes


def accepted(*command: str | Path, **options: str) -> str:
    done = subprocess.run(
        [str(each) for each in command], capture_output=True, text=True, check=False, env=os.environ | options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_nginx_accepts_its_file(tmp_path: Path) -> None:
    configuration = write_configuration(tmp_path, a_free_port(), a_free_port())
    accepted(program("nginx", "nginx-light"), "-t", "-p", tmp_path, "-c", configuration)


@pytest.mark.exhaustive
def test_caddy_accepts_its_file(tmp_path: Path) -> None:
    caddy, file = program("caddy"), tmp_path / "Caddyfile"
    text = (FILES / "Caddyfile").read_text("utf-8")
    if re.match(
        r"v?2\.[0-6]\.", accepted(caddy, "version")
    ):  # that of Debian 12, which has no such directive
        text = text.replace("request_buffers 3MiB", "")
    file.write_text(text)
    accepted(caddy, "validate", "--adapter", "caddyfile", "--config", file, HOME=str(tmp_path))


@pytest.mark.exhaustive
def test_prometheus_accepts_the_alerts() -> None:
    said = accepted(program("promtool", "prometheus"), "check", "rules", FILES / "prometheus" / "alerts.yaml")
    assert "SUCCESS" in said


@pytest.mark.exhaustive
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    shutil.copytree(FILES / "systemd", tmp_path, dirs_exist_ok=True)
    for file in tmp_path.glob("*.service"):
        file.write_text(file.read_text().replace("/opt/urn-registry", str(ROOT)))
    units = [each for each in tmp_path.iterdir() if each.is_file()]
    analyze = program("systemd-analyze", "systemd")
    said = accepted(analyze, "verify", "--man=no", *units, SYSTEMD_UNIT_PATH=f"{tmp_path}:")
    assert "urn-registry" not in said


# Commands


def commands_in(section: str) -> list[list[str]]:
    """The words of the commands of `manage.py` in the code blocks of a section."""
    blocks = re.findall(r"```\n(.*?)```", section, flags=re.DOTALL)
    lines = [line.split() for block in blocks for line in block.splitlines()]
    return [words[2:] for words in lines if words[1:2] == ["manage.py"]]


def manage(*words: str, **variables: str) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment_of_a_process() | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"


@pytest.mark.exhaustive
def test_the_commands_of_the_guides_run_in_their_order(real_database: None, tmp_path: Path) -> None:
    install = commands_in(GUIDE.partition("## Install")[2].partition("## Processes")[0])
    names = [words[0] for words in install]
    assert names[0] == "make_signing_key"
    assert {"check", "migrate", "collectstatic", "import_iana", "load_profiles", "grant_role"} <= set(names)
    key = tmp_path / "key"
    deployed = {
        "PUBLIC_ORIGIN": "https://registry.example.org",
        "ALLOWED_HOSTS": "registry.example.org",
        "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyz-" * 2,
        "EMAIL_HOST": "mail.example.org",
        "TRUSTED_PROXY_COUNT": "1",
        "LOG_SIGNING_KEY": str(key),
    }
    for name, *arguments in install:
        if name in {"collectstatic", "grant_role"}:  # the one writes here, the other needs a person
            continue
        words = [
            {"urn-namespaces.xml": str(ROOT / "fixtures" / "iana-urn-namespaces.xml")}.get(each, each)
            for each in arguments
        ]
        words = [str(key) if each == "/etc/urn-registry/log-signing-key" else each for each in words]
        owner = {"PGOPTIONS": ""} if name == "migrate" else {}
        manage(name, *words, **({} if name == "make_signing_key" else deployed), **owner)
    table = OPERATIONS.partition("## Routine tasks")[2].partition("##")[0]
    routine = re.findall(r"`manage\.py ([^`]+)`", table)
    assert set(routine) >= NOT_TRIED
    for task in routine:
        if task not in NOT_TRIED:
            words = [str(tmp_path / Path(each).name) if each in WRITING else each for each in task.split()]
            manage(*words, **deployed)
