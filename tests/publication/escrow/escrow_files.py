"""Functions to read and modify the files of an escrow."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from registry.publication.escrow.proofs import NOTE, signature_of
from registry.publication.escrow.writer import MANIFEST

Change = Callable[[dict[str, Any]], None]


def files(directory: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (directory / "current").iterdir()}


def rewrite(folder: Path, label: str, change: Change, *, with_digest: bool = True) -> None:
    """Change the first row of a table, and the manifest with it."""
    manifest = json.loads((folder / MANIFEST).read_text())
    entry = manifest["tables"][label]
    path = folder / entry["file"]
    first, *rest = path.read_text().splitlines(keepends=True)
    row = json.loads(first)
    change(row)
    path.write_text("".join([json.dumps(row) + "\n", *rest]))
    if with_digest:
        entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    write_manifest(folder, manifest)


def in_manifest(folder: Path, change: Change) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    change(manifest)
    write_manifest(folder, manifest)


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write a manifest that the registry signed, so that a test reaches what is checked after the signature."""
    text = json.dumps(manifest).encode()
    (folder / MANIFEST).write_bytes(text)
    (folder / NOTE).write_text(signature_of(hashlib.sha256(text).hexdigest()) or "")
