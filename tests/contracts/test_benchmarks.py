"""The environment of the benchmarks is accepted, and memory is that of all processes.

No benchmark is run, but each module is imported: they run too rarely to notice a new bound, or a name that moved.
"""

import os
import subprocess
import sys
from pkgutil import iter_modules

import pytest

import benchmarks
from benchmarks.commands import Command
from benchmarks.databases import BenchmarkDatabase
from benchmarks.terminal import BenchmarkError
from registry import environment
from registry.devserver import database
from registry.environment import SETTINGS


@pytest.fixture
def benchmarked(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a process of the benchmarks, which is also that of this test."""
    for name in SETTINGS.keys() - {"DATABASE_URL"}:
        monkeypatch.delenv(name, raising=False)
    variables = BenchmarkDatabase("urn_benchmark_1_10", 10).environment
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return variables


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_of_a_benchmark_is_accepted(benchmarked: dict[str, str], name: str) -> None:
    value = environment.read(name)
    if SETTINGS[name].kind == environment.Kind.NUMBER and name in benchmarked:
        assert value == int(benchmarked[name])


@pytest.mark.processes
def test_each_module_finds_what_it_imports(benchmarked: dict[str, str]) -> None:
    """In a process of its own: they set up Django and the server."""
    names = [f"benchmarks.{each.name}" for each in iter_modules(benchmarks.__path__)]
    code = "import sys, importlib\nfor name in sys.argv[1:]: importlib.import_module(name)"
    command = [sys.executable, "-c", code, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_benchmark_uses_its_own_database(benchmarked: dict[str, str]) -> None:
    assert os.environ["DATABASE_URL"] == benchmarked["DATABASE_URL"]
    assert database.configuration()["NAME"] == "urn_benchmark_1_10"


# Each fills its memory, and stays until it was seen.
FILL = "import subprocess, sys, time; x = b'x' * 60_000_000; {} time.sleep(1)"
CHILD = "subprocess.run([sys.executable, '-c', sys.argv[1]]);"


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.parametrize(("code", "least", "most"), [("", 60, 110), (CHILD, 120, 220)])
def test_the_memory_of_a_command_is_that_of_all_its_processes(code: str, least: int, most: int) -> None:
    command = Command("fill", [sys.executable, "-c", FILL.format(code), FILL.format("")], os.environ)
    command.run()
    assert least * 1e6 < command.peak < most * 1e6
    assert len(command.figures) == 1


def test_a_command_that_fails_has_no_figure() -> None:
    command = Command("fail", [sys.executable, "-c", "raise SystemExit('no space left')"], os.environ)
    with pytest.raises(BenchmarkError, match="no space left"):
        command.run()
    assert command.figures == []
