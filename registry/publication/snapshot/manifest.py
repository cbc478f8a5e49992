"""The manifest of a tree and its verification: digests of all files, in 256 parts that `sha256sum -c` can check, and
of the parts.

A part lists the files whose path has a SHA-256 that begins with the name of the part. A change of one file
therefore rewrites one small part, however many files there are.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.db import OperationalError

from registry.audit_log.models import LogPosition, MalformedPosition
from registry.core.exceptions import RegistryError
from registry.core.foreign_files import NotASmallFile, read_small
from registry.core.management.base import ProgressCallback
from registry.publication.atomic_files import CURRENT

FORMAT = 1
MANIFEST = "manifest.json"
FOLDER = "manifest"
PARTS = tuple(f"{number:02x}" for number in range(256))
# Valid file paths of a tree: no path leads out of it, and none contains a line break.
PATH_PATTERN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._~-]*(/[A-Za-z0-9_-][A-Za-z0-9._~-]*)*")
LINE_PATTERN = re.compile(r"([0-9a-f]{64})  (\S+)")


class MalformedManifest(RegistryError):
    """The manifest, or a part of it, is damaged or has an unknown format."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The manifest is damaged"


class InvalidPath(RegistryError):
    """The path of a page is not allowed as a file path in a snapshot."""

    title = "This path can't be a file"

    def __init__(self, path: str) -> None:
        super().__init__(f"“{path}” contains characters that the paths of published files can't contain.")


@dataclass(frozen=True, slots=True)
class ManifestPart:
    """One part of the manifest: its digest and the number of files that it lists."""

    sha256: str
    files: int


@dataclass(slots=True)
class Manifest:
    """The content of a tree.

    `exports` is the log position of the exports of the whole registry, `signed_head` the size of the newest signed
    head of the log, 0 without one. `timestamps` is the key of the last time stamp of a head; only a manifest that has one says so.
    """

    head: LogPosition
    exports: LogPosition
    signed_head: int
    fingerprint: str
    timestamps: int = 0
    parts: dict[str, ManifestPart] = field(default_factory=dict)

    @property
    def files(self) -> int:
        return sum(part.files for part in self.parts.values())

    def to_bytes(self) -> bytes:
        content = self._content()
        content["root"] = _digest_of(content)
        return (json.dumps(content, indent=1) + "\n").encode()

    def _content(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "head": self.head.to_json(),
            "exports": self.exports.to_json(),
            "signed_head": self.signed_head,
            "fingerprint": self.fingerprint,
            **({"timestamps": self.timestamps} if self.timestamps else {}),
            "files": self.files,
            "parts": {name: asdict(self.parts[name]) for name in sorted(self.parts)},
        }

    @classmethod
    def from_bytes(cls, text: bytes) -> "Manifest":
        """Parse a manifest. Raises MalformedManifest, also if the root digest does not match."""
        try:
            content = json.loads(text)
            root = content.pop("root")
            manifest = cls(
                head=LogPosition.from_json(content["head"]),
                exports=LogPosition.from_json(content["exports"]),
                signed_head=content["signed_head"],
                fingerprint=content["fingerprint"],
                timestamps=content.get("timestamps", 0),
                parts={name: ManifestPart(**part) for name, part in content["parts"].items()},
            )
            agrees = root == _digest_of(content) and content == manifest._content()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, MalformedPosition) as fault:
            raise MalformedManifest(f"{MANIFEST} is malformed: {repr(fault)[:200]}.") from fault
        if not agrees or not set(manifest.parts) <= set(PARTS):
            raise MalformedManifest(f"{MANIFEST} was changed: its root digest does not match.")
        return manifest


def _digest_of(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def part_of(path: str) -> str:
    """Return the name of the part that lists `path`. Raises InvalidPath."""
    if not PATH_PATTERN.fullmatch(path):
        raise InvalidPath(path)
    return hashlib.sha256(path.encode()).hexdigest()[:2]


def part_file(name: str) -> str:
    return f"{FOLDER}/{name}.sha256"


def format_line(path: str, digest: str) -> str:
    return f"{digest}  {path}\n"


def format_part(digests: Mapping[str, str]) -> bytes:
    return "".join(format_line(path, digests[path]) for path in sorted(digests)).encode()


def read_part(tree: Path, name: str) -> dict[str, str]:
    """Return the digests by path that a part of a tree's manifest lists. Raises MalformedManifest."""
    try:
        return parse_part(name, (tree / part_file(name)).read_bytes())
    except FileNotFoundError as fault:
        raise MalformedManifest(f"{part_file(name)} is missing.") from fault


def parse_part(name: str, text: bytes) -> dict[str, str]:
    """Return the digests by path. Raises MalformedManifest."""
    digests = {}
    for number, line in enumerate(_lines(name, text), start=1):
        found = LINE_PATTERN.fullmatch(line)
        if (
            not found
            or not PATH_PATTERN.fullmatch(found[2])
            or part_of(found[2]) != name
            or found[2] in digests
        ):
            raise MalformedManifest(
                f"{part_file(name)}, line {number}: not a digest and a path of this part."
            )
        digests[found[2]] = found[1]
    return digests


def _lines(name: str, text: bytes) -> Iterable[str]:
    try:
        lines = text.decode("ascii").split("\n")
    except UnicodeDecodeError as fault:
        raise MalformedManifest(f"{part_file(name)} is not ASCII.") from fault
    if lines.pop():
        raise MalformedManifest(f"{part_file(name)} is truncated: its last line is incomplete.")
    return lines


MAX_FAULTS_LISTED = 100
# The files of the manifest.
NOT_LISTED = {MANIFEST, *map(part_file, PARTS)}


class SnapshotNotFound(RegistryError):
    """The directory contains no snapshot written by `manage.py publish`."""

    status = HTTPStatus.NOT_FOUND
    title = "There is no snapshot"

    def __init__(self, directory: Path) -> None:
        super().__init__(f"{directory} contains neither {MANIFEST} nor {CURRENT}/{MANIFEST}.")


class FaultKind(StrEnum):
    """The kinds of faults of a file."""

    CHANGED = "changed"
    MISSING = "missing"
    SURPLUS = "surplus"
    MANIFEST = "manifest"
    AUDIT_LOG = "audit log"


@dataclass(frozen=True, slots=True)
class Fault:
    """One damaged, missing or surplus file."""

    kind: FaultKind
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.path}: {self.message}"


@dataclass(slots=True)
class VerificationResult:
    """The result, with the first faults if there are many. `audit_log_checked` is False without a database."""

    manifest: Manifest | None = None
    files: int = 0
    count: int = 0
    faults: list[Fault] = field(default_factory=list)
    audit_log_checked: bool = True

    def find(self, kind: FaultKind, path: str, message: str) -> None:
        self.count += 1
        if len(self.faults) < MAX_FAULTS_LISTED:
            self.faults.append(Fault(kind, path, message))


def verify(directory: Path, *, on_file: ProgressCallback | None = None) -> VerificationResult:
    """Check the current tree of `directory`, or `directory` itself if it is a copy of a tree."""
    tree = directory if (directory / MANIFEST).is_file() else directory / CURRENT
    if not (tree / MANIFEST).is_file():
        raise SnapshotNotFound(directory)
    tree, result = tree.resolve(), VerificationResult()
    try:
        manifest = Manifest.from_bytes(read_small(tree / MANIFEST))
    except (MalformedManifest, NotASmallFile) as fault:
        result.find(FaultKind.MANIFEST, MANIFEST, str(fault))
        return result
    result.manifest = manifest
    for name in sorted(manifest.parts):
        for path, digest in _part(tree, name, manifest, result).items():
            _check_file(tree, path, digest, result)
            result.files += 1
            if on_file:
                on_file(result.files, manifest.files)
    _find_surplus(tree, manifest, result)
    _check_audit_log(manifest, result)
    return result


def _part(tree: Path, name: str, manifest: Manifest, result: VerificationResult) -> dict[str, str]:
    """Return the digests by path in a part of the manifest, none if it is damaged."""
    path, expected = tree / part_file(name), manifest.parts[name]
    if not path.is_file():
        result.find(FaultKind.MISSING, part_file(name), "this part of the manifest does not exist")
        return {}
    try:
        text = read_small(path)
    except NotASmallFile as fault:
        result.find(FaultKind.MANIFEST, part_file(name), str(fault))
        return {}
    if hashlib.sha256(text).hexdigest() != expected.sha256:
        result.find(FaultKind.MANIFEST, part_file(name), "its digest differs from the manifest")
        return {}
    try:
        return parse_part(name, text)
    except MalformedManifest as fault:
        result.find(FaultKind.MANIFEST, part_file(name), str(fault))
        return {}


def _check_file(tree: Path, path: str, digest: str, result: VerificationResult) -> None:
    file = tree / path
    if file.is_symlink() or not file.is_file():
        result.find(FaultKind.MISSING, path, "listed in the manifest, but does not exist")
        return
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != digest:
        result.find(FaultKind.CHANGED, path, f"its SHA-256 is {found}, in the manifest {digest}")


def _find_surplus(tree: Path, manifest: Manifest, result: VerificationResult) -> None:
    """Find files that are not in the manifest, in sixteenths of the tree to limit memory."""
    there = sum(1 for _ in _files(tree))
    missing = sum(fault.kind == FaultKind.MISSING for fault in result.faults)
    if there == result.files and not missing and result.files == manifest.files:
        return  # all listed files exist, and the counts are equal
    for sixteenth in "0123456789abcdef":
        quiet = VerificationResult()  # faults of parts have already been reported
        names = [name for name in manifest.parts if name[0] == sixteenth]
        listed = {path for name in names for path in _part(tree, name, manifest, quiet)}
        for path in _files(tree):
            if _is_in(path, sixteenth) and path not in listed:
                shown = path.encode(errors="surrogateescape").decode(errors="backslashreplace")
                result.find(FaultKind.SURPLUS, shown, "not listed in the manifest")


def _is_in(path: str, sixteenth: str) -> bool:
    return hashlib.sha256(path.encode(errors="surrogateescape")).hexdigest()[0] == sixteenth


def _files(tree: Path) -> Iterator[str]:
    """Yield every file of the tree except those of the manifest."""
    folders = [""]  # a tree of others can be deeper than Python's stack
    while folders:
        folder = folders.pop()
        with os.scandir(tree / folder) as entries:
            for entry in entries:
                path = f"{folder}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{path}/")
                elif path not in NOT_LISTED:
                    yield path


def _check_audit_log(manifest: Manifest, result: VerificationResult) -> None:
    """Check that the head is an event of the audit log. Without a database, the check is skipped."""
    head = manifest.head
    try:
        is_known = head.is_in_log
    except OperationalError:
        result.audit_log_checked = False
        return
    if not is_known:
        result.find(
            FaultKind.AUDIT_LOG,
            MANIFEST,
            f"its head, event {head.number} {head.digest}, is not in the audit log of this registry",
        )
