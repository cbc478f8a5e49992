"""Tests with missing requirements are skipped locally and fail in CI."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

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
        with pytest.raises(outcome.Exception, match=r"is missing|is not here"):
            need()
