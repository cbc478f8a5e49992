"""Writes the spare tree: writes changed files, keeps equal ones, removes others, then writes the manifest."""

import filecmp
import hashlib
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from registry.publication.snapshot.directories import (
    ALL_FILES,
    SnapshotDirectories,
    flush_to_disk,
    remove,
    write,
)
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
