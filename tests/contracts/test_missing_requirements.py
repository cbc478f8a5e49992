"""Tests with missing requirements are skipped locally, named at the end of the run, and fail in CI."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings

from tests.journeys.conftest import a_browser
from tests.support.poolers import pooling
from tests.support.shared_data import shared


def the_shared_data() -> None:
    shared("data/no-such-file")


def chromium() -> None:
    with a_browser():
        pass


def pgbouncer() -> None:
    with pooling(Path("/"), "session", 1):
        pass


@pytest.mark.parametrize("need", [the_shared_data, chromium, pgbouncer])
def test_what_a_test_needs_must_be_there_in_ci_and_nowhere_else(
    need: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None)
    for ci, outcome in ((None, pytest.skip), ("", pytest.skip), ("true", pytest.fail), ("1", pytest.fail)):
        monkeypatch.delenv("CI", raising=False)
        if ci is not None:
            monkeypatch.setenv("CI", ci)
        with pytest.raises(outcome.Exception, match="is missing"):
            need()


# Tests of which three lack a folder or a program, and of which markers leave out others.
TESTS = """
import pytest
from tests.support.missing import missing, program

def test_passes(): pass

@pytest.mark.parametrize("number", range(2))
def test_texts(number): missing("../texts is missing.\\nMore about it")

def test_caddy(): program("caddy-of-nobody", "caddy")

@pytest.mark.exhaustive
@pytest.mark.database
@pytest.mark.parametrize("number", range(1_200))
def test_each_case(number): pass

@pytest.mark.soak
def test_long(): pass

@pytest.mark.database
def test_database(): pass
"""
LACKS = (
    "2 tests because ../texts is missing; 1 test because caddy-of-nobody is missing (apt-get install caddy)"
)
EXHAUSTIVE = "1,200 exhaustive tests (python3 run.py test --all)"
SOAK = "1 soak test (python3 run.py test -m soak)"
DEFAULT = ("-m", "not (soak or exhaustive)")


@pytest.mark.processes
@pytest.mark.sampled(3, 1)
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (DEFAULT, f"{LACKS}; {SOAK}; {EXHAUSTIVE}"),
        ((*DEFAULT, "-n", "2"), f"{LACKS}; {SOAK}; {EXHAUSTIVE}"),
        (
            ("-m", "not (soak or exhaustive or database)"),
            f"{LACKS}; {SOAK}; {EXHAUSTIVE}; 1 slower test (python3 run.py test)",
        ),
        ((*DEFAULT, "-k", "caddy"), LACKS.partition("; ")[2]),
        ((*DEFAULT, "-k", "passes"), None),
        (("-m", "soak"), None),
    ],
)
def test_the_last_line_says_what_was_left_out_and_why(
    arguments: tuple[str, ...], expected: str | None, tmp_path: Path
) -> None:
    status, lines = run(arguments, tmp_path)
    assert status == 0
    assert [line for line in lines if "Left out" in line] == ([f"Left out: {expected}."] if expected else [])
    assert not expected or lines[-2] == f"Left out: {expected}."


def test_the_plugin_is_part_of_each_run(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.has_plugin("tests.support.left_out")


@pytest.mark.processes
def test_a_failed_test_is_not_left_out(tmp_path: Path) -> None:
    status, lines = run(DEFAULT, tmp_path, CI="true")
    assert status == 1
    assert lines[-2] == f"Left out: {SOAK}; {EXHAUSTIVE}."
    assert lines[-1].startswith("3 failed, 2 passed")


def run(arguments: tuple[str, ...], folder: Path, **environment: str) -> tuple[int, list[str]]:
    """Run the tests above in a process of their own, and return its status and lines."""
    (folder / "test_sample.py").write_text(TESTS)
    plugins = ("-p", "xdist", "-p", "tests.support.left_out", "-p", "no:cacheprovider")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-c",
            os.devnull,
            "--rootdir",
            folder,
            *plugins,
            *arguments,
            folder,
        ],
        env={
            **os.environ,
            "CI": "",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_ADDOPTS": "",
            **environment,
        },
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout.splitlines()
