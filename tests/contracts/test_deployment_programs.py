"""The files in `docs/deployment/` are accepted by the programs that read them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.missing import program
from tests.support.proxies import caddyfile, write_configuration
from tests.support.servers import a_free_port

ROOT = Path(settings.BASE_DIR)
FILES = ROOT / "docs" / "deployment"

pytestmark = pytest.mark.processes


def accepted(*command: str | Path, **options: str) -> str:
    done = subprocess.run(
        [str(each) for each in command],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | options,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_nginx_accepts_its_file(tmp_path: Path) -> None:
    configuration = write_configuration(tmp_path, a_free_port(), a_free_port())
    accepted(program("nginx", "nginx-light"), "-t", "-p", tmp_path, "-c", configuration)


@pytest.mark.exhaustive
def test_caddy_accepts_its_file(tmp_path: Path) -> None:
    caddy, file = program("caddy"), tmp_path / "Caddyfile"
    file.write_text(caddyfile(accepted(caddy, "version")))
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
