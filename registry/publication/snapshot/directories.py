"""The two trees of a snapshot: switching between them, and synchronizing the spare tree."""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from registry.publication.atomic_files import current_folder, fsync, set_current
from registry.publication.snapshot.manifest import MANIFEST, MalformedManifest, Manifest

NAMES = ("one", "two")
TOUCHED = "touched"
ALL_FILES = "*"
# Up to this number, files are flushed one by one; for more, one sync flushes the whole disk.
MAX_SINGLE_FSYNCS = 64


class SnapshotDirectories:
    """The trees of one directory, which the caller has locked (`lock_directory`)."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.touched = directory / TOUCHED
        self._is_all_touched = False

    @property
    def current(self) -> Path | None:
        """Return the tree that readers see, None before the first run has ended."""
        name = current_folder(self.directory)
        return self.directory / name if name in NAMES else None

    @property
    def spare(self) -> Path:
        name = current_folder(self.directory)
        return self.directory / NAMES[name == NAMES[0]]

    def manifest(self) -> Manifest | None:
        """Return the manifest of the current tree, None before the first run. Raises MalformedManifest."""
        if self.current is None:
            return None
        try:
            return Manifest.from_bytes((self.current / MANIFEST).read_bytes())
        except FileNotFoundError as fault:
            raise MalformedManifest(f"{MANIFEST} is missing.") from fault

    def sync_spare(self) -> None:
        """Make the spare tree equal to the current one."""
        if self.current is None:
            self.clear_spare()
            return
        if not self.spare.exists() or ALL_FILES in self._touched():
            self.clear_spare()
            _link_tree(self.current, self.spare)
            os.sync()
        else:
            paths = list(dict.fromkeys(self._touched()))
            for path in paths:
                _link(self.current / path, self.spare / path)
            flush_to_disk(self.spare, paths)
        self.touched.write_text("")
        fsync(self.touched)
        self._is_all_touched = False

    def record_touched(self, paths: Iterable[str]) -> None:
        """Durably record the paths of the spare tree that are about to change."""
        if self._is_all_touched:
            return
        paths = list(paths)
        with self.touched.open("a", encoding="ascii") as file:
            file.writelines(f"{path}\n" for path in paths)
            file.flush()
            os.fsync(file.fileno())
        self._is_all_touched = ALL_FILES in paths

    def switch(self) -> None:
        set_current(self.directory, self.spare.name)

    def _touched(self) -> Iterator[str]:
        """Yield the recorded paths. A truncated last line is ignored: its file was not yet written."""
        if not self.touched.exists():
            yield ALL_FILES
            return
        with self.touched.open(encoding="ascii") as file:
            yield from (line[:-1] for line in file if line.endswith("\n"))

    def clear_spare(self) -> None:
        """Empty the spare tree."""
        self.record_touched([ALL_FILES])
        if self.spare.exists():
            shutil.rmtree(self.spare)
        self.spare.mkdir()


def write(path: Path, content: bytes) -> None:
    """Write a file atomically, as a new file that is not hard-linked to the other tree."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_bytes(content)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(content)
    beside.replace(path)


def flush_to_disk(tree: Path, paths: Iterable[str]) -> None:
    """Flush these files, and the removal of files, to disk."""
    paths = list(paths)
    if len(paths) > MAX_SINGLE_FSYNCS:
        os.sync()
        return
    files = [tree / path for path in paths]
    for path in {*files, *(path.parent for path in files)}:
        with suppress(FileNotFoundError, NotADirectoryError):
            fsync(path)


def remove(path: Path) -> None:
    """Remove a file and the parent folders that are then empty."""
    path.unlink(missing_ok=True)
    with suppress(OSError):
        os.removedirs(path.parent)


def _link(original: Path, copy: Path) -> None:
    if not original.exists():
        remove(copy)
        return
    if copy.exists() and copy.samefile(original):
        return
    beside = copy.with_name(f".{copy.name}.new")
    copy.parent.mkdir(parents=True, exist_ok=True)
    beside.unlink(missing_ok=True)
    beside.hardlink_to(original)
    beside.replace(copy)


def _link_tree(original: Path, copy: Path) -> None:
    for source, target in _files_to_link(str(original), str(copy)):
        os.link(source, target)


def _files_to_link(original: str, copy: str) -> Iterator[tuple[str, str]]:
    """Yield each file with its name in the copy, folder by folder, because there may be millions."""
    with os.scandir(original) as entries:
        for entry in entries:
            there = f"{copy}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                os.mkdir(there)  # noqa: PTH102
                yield from _files_to_link(entry.path, there)
            else:
                yield entry.path, there
