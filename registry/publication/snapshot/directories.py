"""The two trees of a snapshot: writing the spare one, synchronizing it, and switching between them."""

import filecmp
import hashlib
import os
import shutil
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from registry.publication.atomic_files import current_folder, fsync, set_current
from registry.publication.snapshot.manifest import (
    MANIFEST,
    PARTS,
    MalformedManifest,
    Manifest,
    ManifestPart,
    format_line,
    format_part,
    parse_part,
    part_file,
    part_of,
    read_part,
)

NAMES = ("one", "two")
TOUCHED = "touched"
ALL_FILES = "*"
LISTS = ".lists"
UNFINISHED = ".unfinished"
# Up to this number, files are flushed one by one; for more, one sync flushes the whole disk.
MAX_SINGLE_FSYNCS = 64


class SnapshotDirectories:
    """The trees of one directory, which the caller has locked (`lock_directory`)."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.touched = directory / TOUCHED

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
            _link_tree(str(self.current), str(self.spare))
        else:
            for path in self._touched():
                _link(self.current / path, self.spare / path)
        self.flush_spare()
        self.touched.write_text("")
        fsync(self.touched)

    def clear_spare(self) -> None:
        """Empty the spare tree."""
        self.record_touched([ALL_FILES])
        if self.spare.exists():
            shutil.rmtree(self.spare)
        self.spare.mkdir()

    def record_touched(self, paths: Iterable[str]) -> None:
        """Durably record the paths of the spare tree that are about to change."""
        with self.touched.open("a", encoding="ascii") as file:
            file.writelines(f"{path}\n" for path in paths)
            file.flush()
            os.fsync(file.fileno())

    def flush_spare(self) -> None:
        """Flush the touched files, and the removal of files, to disk."""
        flush_to_disk(self.spare, self._touched())

    def switch(self) -> None:
        set_current(self.directory, self.spare.name)

    def _touched(self) -> list[str]:
        """Return the recorded paths. A truncated last line is ignored: its file was not yet written."""
        if not self.touched.exists():
            return [ALL_FILES]
        lines = self.touched.read_text(encoding="ascii").splitlines(keepends=True)
        return list(dict.fromkeys(line[:-1] for line in lines if line.endswith("\n")))


def write(path: Path, content: bytes) -> None:
    """Write a file atomically, as a new file that is not hard-linked to the other tree."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_bytes(content)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(content)
    beside.replace(path)


def flush_to_disk(tree: Path, paths: list[str]) -> None:
    """Flush these files, and the removal of files, to disk."""
    if len(paths) > MAX_SINGLE_FSYNCS or ALL_FILES in paths:
        os.sync()
        return
    files = [tree / path for path in paths]
    for path in {*files, *(path.parent for path in files)}:
        with suppress(FileNotFoundError, NotADirectoryError):
            fsync(path)


def _link(original: Path, copy: Path) -> None:
    """Make `copy` the same file as the original, or remove it and the folders that are then empty."""
    if not original.exists():
        copy.unlink(missing_ok=True)
        with suppress(OSError):
            os.removedirs(copy.parent)
        return
    if copy.exists() and copy.samefile(original):
        return
    beside = copy.with_name(f".{copy.name}.new")
    copy.parent.mkdir(parents=True, exist_ok=True)
    beside.unlink(missing_ok=True)
    beside.hardlink_to(original)
    beside.replace(copy)


def _link_tree(original: str, copy: str) -> None:
    """Link each file of a tree in an existing folder, one by one, because there may be millions."""
    with os.scandir(original) as entries:
        for entry in entries:
            there = f"{copy}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                os.mkdir(there)  # noqa: PTH102
                _link_tree(entry.path, there)
            else:
                os.link(entry.path, there)


@dataclass(slots=True)
class FileCounts:
    """The numbers of files that were written, found unchanged, and removed."""

    written: int = 0
    same: int = 0
    removed: int = 0

    def __add__(self, other: "FileCounts") -> "FileCounts":
        return FileCounts(self.written + other.written, self.same + other.same, self.removed + other.removed)


class DirectoryWriter:
    """Writes the files of one run to the spare tree, and lists them in the manifest.

    If `is_whole`, the run puts every file: the spare tree begins empty, and unchanged files are linked from the current
    one. The next run rebuilds the other tree from this one, so no damage remains in either.
    """

    def __init__(self, directories: SnapshotDirectories, *, is_whole: bool) -> None:
        self.directories, self.is_whole, self.counts = directories, is_whole, FileCounts()
        self.spare = directories.spare
        # The tree with the files as they were.
        self.before = directories.current if is_whole else self.spare
        # The digests of the files that were put, for each part of the manifest. There may be millions.
        self._lists = directories.directory / LISTS
        self._clear_lists()
        self._lists.mkdir()
        if is_whole:
            directories.clear_spare()

    def put(self, files: Mapping[str, bytes]) -> None:
        """Write these files, of which few fit into memory at once. Raises InvalidPath."""
        digests = [(path, hashlib.sha256(content).hexdigest()) for path, content in files.items()]
        for path, digest in digests:
            self._list(path, digest)
        written = self._write(files)
        self.counts.written += written
        self.counts.same += len(files) - written

    def put_blocks(self, path: str, blocks: Iterable[bytes]) -> None:
        """Write a file that may be larger than memory."""
        unfinished, digest = self.directories.directory / UNFINISHED, hashlib.sha256()
        with unfinished.open("wb") as file:
            for block in blocks:
                digest.update(block)
                file.write(block)
        self._list(path, digest.hexdigest())
        before = self.before and self.before / path
        if before and before.is_file() and filecmp.cmp(unfinished, before, shallow=False):
            unfinished.unlink()
            self._keep(path)
            self.counts.same += 1
        else:
            self._touch([path])
            (self.spare / path).parent.mkdir(parents=True, exist_ok=True)
            unfinished.replace(self.spare / path)
            self.counts.written += 1

    def finish(self, manifest: Manifest) -> None:
        """Write the changed parts of the manifest, then the manifest, and flush to disk."""
        names = PARTS if self.is_whole else sorted(each.name for each in self._lists.iterdir())
        for name in names:
            manifest.parts[name] = self._write_part(name)
        self._write({MANIFEST: manifest.to_bytes()})
        self.directories.flush_spare()
        self._clear_lists()

    def _write(self, files: Mapping[str, bytes]) -> int:
        """Write those of these files that have changed, and return their number."""
        changed = {path for path, content in files.items() if not self._is_same(path, content)}
        self._touch(changed)
        for path, content in files.items():
            if path in changed:
                write(self.spare / path, content)
            else:
                self._keep(path)
        return len(changed)

    def _is_same(self, path: str, content: bytes) -> bool:
        try:
            return self.before is not None and (self.before / path).read_bytes() == content
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return False

    def _keep(self, path: str) -> None:
        """Keep a file as it was; in a whole run, it is linked from the current tree."""
        if self.is_whole and self.before:
            _link(self.before / path, self.spare / path)

    def _touch(self, paths: Collection[str]) -> None:
        if paths and not self.is_whole:  # a whole run has touched all files
            self.directories.record_touched(paths)

    # The manifest

    def _list(self, path: str, digest: str) -> None:
        with (self._lists / part_of(path)).open("a", encoding="ascii") as file:
            file.write(format_line(path, digest))

    def _write_part(self, name: str) -> ManifestPart:
        before, put = self._listed_before(name), self._listed_now(name)
        listed = put if self.is_whole else before | put
        self.counts.removed += len(before.keys() - listed.keys())
        text = format_part(listed)
        self._write({part_file(name): text})
        return ManifestPart(hashlib.sha256(text).hexdigest(), len(listed))

    def _listed_before(self, name: str) -> dict[str, str]:
        """Return what the part listed. Raises MalformedManifest, except in a whole run."""
        if self.before is None:
            return {}
        try:
            return read_part(self.before, name)
        except MalformedManifest:
            if self.is_whole:
                return {}
            raise

    def _listed_now(self, name: str) -> dict[str, str]:
        listed = self._lists / name
        return parse_part(name, listed.read_bytes()) if listed.exists() else {}

    def _clear_lists(self) -> None:
        if self._lists.exists():
            shutil.rmtree(self._lists)
