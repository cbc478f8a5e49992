"""The log in the snapshot: its files are the whole log, from which everyone can compute the root."""

from pathlib import Path

import pytest

from registry.audit_log.heads import publish_head
from registry.publication.snapshot.publisher import PublishOptions, publish
from tests.audit_log.test_tiles import StrangersTree, write_events

pytestmark = pytest.mark.usefixtures("db")


class TreeInFiles(StrangersTree):
    """The log in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "current" / "audit-log"
        super().__init__(None)  # type: ignore[arg-type]  # it asks no server

    def fetch(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()


def files_in(folder: Path) -> set[str]:
    root = folder / "current" / "audit-log" / "tile"
    return {each.relative_to(root).as_posix() for each in root.rglob("*") if each.is_file()}


def test_a_snapshot_has_the_whole_log(tmp_path: Path) -> None:
    write_events(300)
    publish_head()
    publish(tmp_path)
    TreeInFiles(tmp_path).check()
    write_events(20)
    publish_head()
    assert not publish(tmp_path).is_whole
    tree = TreeInFiles(tmp_path)
    tree.check()
    assert tree.size == 320
    before = files_in(tmp_path)
    assert {"0/000", "0/001.p/44", "0/001.p/64", "1/000.p/1", "entries/000", "entries/001.p/64"} <= before
    publish(tmp_path, PublishOptions(is_whole=True))
    assert files_in(tmp_path) == before


def test_a_full_tile_replaces_partial_ones_in_a_whole_snapshot(tmp_path: Path) -> None:
    write_events(200)
    publish_head()
    publish(tmp_path)
    write_events(100)
    publish_head()
    publish(tmp_path, PublishOptions(is_whole=True))
    TreeInFiles(tmp_path).check()
    assert files_in(tmp_path) == {"0/000", "0/001.p/44", "1/000.p/1", "entries/000", "entries/001.p/44"}
