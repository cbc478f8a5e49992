"""A sync that is killed at any step leaves a copy that is consistent, and that the next sync continues."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from urnregistry import LocalCopy, Registry

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("sync_and_die.py")

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def sync_and_die(url: str, file: Path, steps: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROGRAM), url, str(file), str(steps)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "clients" / "python")}
    return subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, text=True, check=False, timeout=240
    )


def steps_of(url: str, file: Path, chance: Random) -> list[int]:
    """Steps of a sync that are looked at: the first and the last ones, and some between them."""
    total = int(sync_and_die(url, file, 10**9).stdout)
    return sorted(
        {3, total - 1, *chance.sample(range(total), 2), *chance.sample(range(total - 40, total), 2)}
    )


def as_copied(registry: Registry, file: Path) -> tuple[int | None, list[object], list[object]]:
    with LocalCopy(file) as copy:
        registry.sync(copy)
        return copy.position, list(copy.namespaces()), list(copy.events())


@pytest.mark.exhaustive
def test_a_killed_first_sync_is_begun_again(registry: Registry, url: str, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    for steps in steps_of(url, whole, Random(8141)):
        file = tmp_path / f"{steps}"
        assert sync_and_die(url, file, steps).returncode == -signal.SIGKILL
        assert as_copied(registry, file) == as_copied(registry, whole)


@pytest.mark.exhaustive
def test_a_killed_sync_is_continued(registry: Registry, url: str, tmp_path: Path) -> None:
    whole, older = tmp_path / "whole", tmp_path / "older"
    with LocalCopy(whole) as now, LocalCopy(older) as copy:
        registry.sync(now)
        copy.fill(str(now.api), 250, now.namespaces())
    before, positions = older.read_bytes(), set()
    for steps in steps_of(url, older, Random(8141)):
        file = tmp_path / f"{steps}"
        file.write_bytes(before)
        assert sync_and_die(url, file, steps).returncode == -signal.SIGKILL
        with LocalCopy(file) as copy:
            positions.add(copy.position)
            assert [each.number for each in copy.events()] == [*range(251, (copy.position or 0) + 1)]
        assert as_copied(registry, file) == as_copied(registry, older)
    assert len(positions) == 2
