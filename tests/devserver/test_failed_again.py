"""What fails is repeated by itself (`.ci/run`), also if xdist ran it in a group."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest

@pytest.mark.xdist_group("garden")
@pytest.mark.parametrize("address", ["expert@example.org", "expert"])
def test_in_a_group(address):
    assert "@" not in address

@pytest.mark.xdist_group("garden")
def test_in_a_group_without_parameters():
    raise AssertionError

def test_alone():
    raise AssertionError

def test_that_passes():
    pass
"""


def test_only_what_failed_is_repeated(tmp_path: Path) -> None:
    (tmp_path / "test_garden.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    # Loading all plugins takes seconds.
    plugins = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "-p xdist"}
    environment = {**os.environ, **plugins, "PYTHONPATH": str(ROOT)}

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "pytest", "-p", "tests.support.last_failed", *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 1, done.stdout + done.stderr
        return done.stdout

    assert "3 failed, 2 passed" in run("-n", "1", "--dist", "loadgroup")
    again = run("--last-failed")
    assert "3 failed" in again
    assert " passed" not in again
