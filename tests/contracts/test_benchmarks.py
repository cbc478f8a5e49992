"""The environment of the benchmarks is accepted. Nothing is started: benchmarks run too rarely to notice a new bound."""

import os

import pytest

from benchmarks.databases import BenchmarkDatabase
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


def test_a_benchmark_uses_its_own_database(benchmarked: dict[str, str]) -> None:
    assert os.environ["DATABASE_URL"] == benchmarked["DATABASE_URL"]
    assert database.configuration()["NAME"] == "urn_benchmark_1_10"
