"""The manifest of a tree: digests of all files, in 256 parts that `sha256sum -c` can check, and of the parts.

A part lists the files whose path has a SHA-256 that begins with the name of the part. A change of one file
therefore rewrites one small part, however many files there are.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import Any

from registry.audit_log.models import LogPosition
from registry.core.exceptions import RegistryError

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
    head of the log, 0 without one.
    """

    head: LogPosition
    exports: LogPosition
    signed_head: int
    fingerprint: str
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
                head=LogPosition(**content["head"]),
                exports=LogPosition(**content["exports"]),
                signed_head=content["signed_head"],
                fingerprint=content["fingerprint"],
                parts={name: ManifestPart(**part) for name, part in content["parts"].items()},
            )
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            raise MalformedManifest(f"{MANIFEST} is malformed: {fault!r}.") from fault
        if (
            root != _digest_of(content)
            or content != manifest._content()
            or not set(manifest.parts) <= set(PARTS)
        ):
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


def format_part(digests: Mapping[str, str]) -> bytes:
    return "".join(f"{digests[path]}  {path}\n" for path in sorted(digests)).encode()


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
