"""The two trees of a snapshot: writing the spare one, synchronizing it, and switching between them."""

import filecmp
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from registry.publication.atomic_files import current_folder, fsync, set_current
from registry.publication.snapshot.manifest import (
    MANIFEST,
    PARTS,
    MalformedManifest,
    Manifest,
    ManifestPart,
    format_part,
    parse_part,
    part_file,
    part_of,
)

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


BATCH = 500
BATCH_BYTES = 16 * 1024 * 1024
LISTS = ".lists"


@dataclass(slots=True)
class FileCounts:
    """The numbers of files that a run has written, found unchanged, and removed."""

    written: int = 0
    same: int = 0
    removed: int = 0

    def __add__(self, other: "FileCounts") -> "FileCounts":
        return FileCounts(self.written + other.written, self.same + other.same, self.removed + other.removed)


@dataclass(slots=True)
class DirectoryWriter:
    """Writes the files of one run. If `is_whole`, the run puts every file, and all other files are removed."""

    directories: SnapshotDirectories
    is_whole: bool
    counts: FileCounts = field(default_factory=FileCounts)
    _waiting: dict[str, bytes] = field(default_factory=dict)
    _size: int = 0
    _digests: dict[str, dict[str, str]] = field(default_factory=dict)
    _written: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._clear_lists()
        if self.is_whole:
            self._lists.mkdir()
            # The next run rebuilds the other tree from this one, so that no damage remains in either.
            if self._has_complete_manifest():
                self.directories.record_touched([ALL_FILES])
            else:
                self.directories.clear_spare()

    def put(self, path: str, content: bytes) -> None:
        part_of(path)  # rejects an invalid path before anything is written
        self._waiting[path] = content
        self._size += len(content)
        if len(self._waiting) >= BATCH or self._size >= BATCH_BYTES:
            self._write_waiting()

    def put_blocks(self, path: str, blocks: Iterable[bytes]) -> None:
        """Write a file that may be larger than memory."""
        unfinished, digest = self.directories.directory / ".unfinished", hashlib.sha256()
        with unfinished.open("wb") as file:
            for block in blocks:
                digest.update(block)
                file.write(block)
        target = self.directories.spare / path
        if target.is_file() and filecmp.cmp(unfinished, target, shallow=False):
            unfinished.unlink()
            self.counts.same += 1
        else:
            self._touch([path])
            target.parent.mkdir(parents=True, exist_ok=True)
            unfinished.replace(target)
            self.counts.written += 1
        self._list({path: digest.hexdigest()})

    def finish(self, manifest: Manifest) -> None:
        """Write the changed parts of the manifest, then the manifest, and flush to disk."""
        self._write_waiting()
        for name in PARTS if self.is_whole else sorted(self._digests):
            self._finish_part(name, manifest)
        self._touch([MANIFEST])
        write(self.directories.spare / MANIFEST, manifest.to_bytes())
        flush_to_disk(self.directories.spare, self._written)
        self._clear_lists()

    # Files

    def _write_waiting(self) -> None:
        changed = {
            path: content for path, content in self._waiting.items() if not self._is_same(path, content)
        }
        self._touch(changed)
        for path, content in changed.items():
            write(self.directories.spare / path, content)
        self.counts.written += len(changed)
        self.counts.same += len(self._waiting) - len(changed)
        self._list({path: hashlib.sha256(content).hexdigest() for path, content in self._waiting.items()})
        self._waiting, self._size = {}, 0

    def _is_same(self, path: str, content: bytes) -> bool:
        try:
            return (self.directories.spare / path).read_bytes() == content
        except (FileNotFoundError, NotADirectoryError):
            return False

    def _touch(self, paths: Iterable[str]) -> None:
        paths = list(paths)
        if paths:
            self.directories.record_touched(paths)
        # Beyond the limit one sync flushes the whole disk, so the paths are not needed.
        self._written = (self._written + paths)[:BATCH]

    # The manifest

    @property
    def _lists(self) -> Path:
        return self.directories.directory / LISTS

    def _list(self, digests: dict[str, str]) -> None:
        parts: dict[str, dict[str, str]] = {}
        for path, digest in digests.items():
            parts.setdefault(part_of(path), {})[path] = digest
        for name, listed in parts.items():
            if self.is_whole:
                with (self._lists / name).open("ab") as file:
                    file.write(format_part(listed))
            else:
                self._digests.setdefault(name, {}).update(listed)

    def _finish_part(self, name: str, manifest: Manifest) -> None:
        path, old = self.directories.spare / part_file(name), self._listed_before(name)
        new = self._newly_listed(name) if self.is_whole else old | self._digests[name]
        gone = sorted(old.keys() - new.keys())
        if gone:
            self._touch(gone)
            for each in gone:
                remove(self.directories.spare / each)
            self.counts.removed += len(gone)
        text = format_part(new)
        if new != old or not path.exists():
            self._touch([part_file(name)])
            write(path, text)
        manifest.parts[name] = ManifestPart(hashlib.sha256(text).hexdigest(), len(new))

    def _has_complete_manifest(self) -> bool:
        """Return whether the manifest of the spare tree is complete, so that obsolete files can be found."""
        try:
            for name in PARTS:
                parse_part(name, (self.directories.spare / part_file(name)).read_bytes())
        except (MalformedManifest, FileNotFoundError):
            return False
        return True

    def _listed_before(self, name: str) -> dict[str, str]:
        path = self.directories.spare / part_file(name)
        if path.exists():
            return parse_part(name, path.read_bytes())
        if self.is_whole:  # the tree was started from scratch
            return {}
        raise MalformedManifest(f"{part_file(name)} is missing.")

    def _newly_listed(self, name: str) -> dict[str, str]:
        listed = self._lists / name
        if not listed.exists():
            return {}
        digests = {}
        for line in listed.read_text("ascii").splitlines():
            digest, _, path = line.partition("  ")
            digests[path] = digest
        return digests

    def _clear_lists(self) -> None:
        if self._lists.exists():
            shutil.rmtree(self._lists)
