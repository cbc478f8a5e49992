"""Killed runs: readers keep the complete old registry, and the next run repairs the rest."""

import signal
from pathlib import Path

import pytest

from registry.publication.atomic_files import DirectoryBusy, lock_directory
from registry.publication.snapshot.manifest import SnapshotNotFound, verify
from registry.publication.snapshot.publisher import publish
from tests.publication.snapshot.registries import deprecate, files, imported, people
from tests.support.processes import ended, publish_and_die, start

pytestmark = pytest.mark.usefixtures("real_database")


AT = "registry.publication.snapshot.directories."


def in_soak(*values: object) -> object:
    """More kills of a kind, for the long run."""
    return pytest.param(*values, marks=pytest.mark.soak)


@pytest.mark.parametrize(
    "step", ["flush_to_disk", "set_current", "format_part", in_soak("fsync"), in_soak("write")]
)
@pytest.mark.exhaustive
def test_a_run_that_is_killed_leaves_readers_the_old_registry_whole(tmp_path: Path, step: str) -> None:
    people()
    imported("example-a", "example-b")
    publish(tmp_path / "it")
    before = files(tmp_path / "it" / "current")
    deprecate("example-a")
    process = start(publish_and_die, AT + step, 0, str(tmp_path / "it"))
    assert ended(process) == -signal.SIGKILL
    assert files(tmp_path / "it" / "current") == before
    assert verify(tmp_path / "it").faults == []
    publish(tmp_path / "it")
    check_it_is_as_if_nothing_had_happened(tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("calls", [2, 8, *map(in_soak, (1, 3, 5, 13))])
def test_a_run_killed_in_the_middle_of_its_writing_is_mended_by_the_next(tmp_path: Path, calls: int) -> None:
    people()
    imported("example-a", "example-b")
    publish(tmp_path / "it")
    deprecate("example-a")
    process = start(publish_and_die, f"{AT}write", calls, str(tmp_path / "it"))
    assert ended(process) == -signal.SIGKILL
    assert verify(tmp_path / "it").faults == []
    deprecate("example-b")
    publish(tmp_path / "it")
    check_it_is_as_if_nothing_had_happened(tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("calls", [20, *map(in_soak, (0, 1))])
def test_a_killed_first_run_publishes_nothing_and_the_next_starts_over(tmp_path: Path, calls: int) -> None:
    imported("example-a", "example-b")
    process = start(publish_and_die, f"{AT}write", calls, str(tmp_path / "it"))
    assert ended(process) == -signal.SIGKILL
    with pytest.raises(SnapshotNotFound):
        verify(tmp_path / "it")
    publish(tmp_path / "it")
    check_it_is_as_if_nothing_had_happened(tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("step", "calls"),
    [
        ("_link", 20),
        ("format_part", 100),
        *(in_soak(*each) for each in (("_link", 0), ("write", 0), ("flush_to_disk", 1))),
    ],
)
def test_a_whole_run_that_is_killed_leaves_the_old_registry_and_its_files(
    tmp_path: Path, step: str, calls: int
) -> None:
    """A whole run shares the unchanged files of the tree that readers see."""
    people()
    imported("example-a", "example-b")
    publish(tmp_path / "it")
    before = files(tmp_path / "it" / "current")
    deprecate("example-a")
    process = start(publish_and_die, AT + step, calls, str(tmp_path / "it"), True)
    assert ended(process) == -signal.SIGKILL
    assert files(tmp_path / "it" / "current") == before
    assert verify(tmp_path / "it").faults == []
    publish(tmp_path / "it")
    check_it_is_as_if_nothing_had_happened(tmp_path)


def check_it_is_as_if_nothing_had_happened(folder: Path) -> None:
    """Check that both trees equal the tree of a first run."""
    publish(folder / "fresh")
    expected = files(folder / "fresh" / "current")
    assert files(folder / "it" / "one") == files(folder / "it" / "two") == expected


def test_two_runs_do_not_write_into_one_directory(tmp_path: Path) -> None:
    publish(tmp_path)
    with lock_directory(tmp_path, marker=".snapshot"), pytest.raises(DirectoryBusy):
        publish(tmp_path)
