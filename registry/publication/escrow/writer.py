"""Writes an escrow: JSON Lines with one file per table, a manifest, and its signature. `restorer` restores it.

A directory of escrows contains one folder for each, and the link `current` to the newest. A killed run leaves
`current` unchanged.
"""

import hashlib
import json
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from registry.audit_log.models import LogPosition
from registry.core.database.connections import database_snapshot
from registry.core.management.base import ProgressCallback
from registry.publication.atomic_files import current_folder, fsync, lock_directory, set_current
from registry.publication.escrow.proofs import NOTE, signature_of
from registry.publication.escrow.tables import ExportedTable, exported_tables

FORMAT = 1
MANIFEST = "manifest.json"
MARKER = ".escrows"
ESCROWS_KEPT = 2
# JSON text contains no control characters, so COPY quotes nothing and each line of the file is a row.
COPY_OPTIONS = r"(FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02', ENCODING 'UTF8')"


@dataclass(frozen=True, slots=True)
class Escrow:
    """The result of a run: the folder, the number of rows of each table, the head of the audit log, and the digest
    of the manifest.
    """

    folder: Path
    rows: dict[str, int]
    head: LogPosition
    digest: str


def write_escrow(directory: Path, *, on_table: ProgressCallback | None = None) -> Escrow:
    """Write a consistent copy of the registry to a new folder of `directory`, and make it current."""
    with lock_directory(directory, marker=MARKER):
        directory.chmod(0o700)
        _clear(directory, keep=1)
        folder = directory / f"escrow-{uuid.uuid4().hex[:12]}"
        folder.mkdir(mode=0o700)
        with database_snapshot():
            manifest = _write_tables(folder, on_table)
        digest = _write_manifest(folder, manifest)
        fsync(folder)
        set_current(directory, folder.name)
        _clear(directory, keep=ESCROWS_KEPT)
    rows = {label: entry["rows"] for label, entry in manifest["tables"].items()}
    return Escrow(folder, rows, LogPosition(**manifest["head"]), digest)


def _write_manifest(folder: Path, manifest: dict[str, Any]) -> str:
    """Write the signature, then the manifest, with which the escrow is complete; return the manifest's digest."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False).encode() + b"\n"
    digest = hashlib.sha256(text).hexdigest()
    if note := signature_of(digest):
        with _new_file(folder / NOTE) as file:
            file.write(note.encode())
    with _new_file(folder / MANIFEST) as file:
        file.write(text)
    return digest


def migrations() -> dict[str, list[str]]:
    """Return the applied migrations of the exported tables, by app."""
    apps = {table.label.partition(".")[0] for table in exported_tables()}
    applied: dict[str, list[str]] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        if app in apps:
            applied.setdefault(app, []).append(name)
    return applied


def _write_tables(folder: Path, on_table: ProgressCallback | None) -> dict[str, Any]:
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "head": LogPosition.current().to_json(),
        "migrations": migrations(),
        "tables": {},
    }
    tables = exported_tables()
    for count, table in enumerate(tables, start=1):
        manifest["tables"][table.label] = _write_table(table, folder / table.file)
        if on_table:
            on_table(count, len(tables))
    return manifest


def _write_table(table: ExportedTable, path: Path) -> dict[str, Any]:
    columns = ", ".join(f'"{column}"' for column in table.columns)
    exported = f'FROM {table.name} WHERE NOT ({table.left_out}) ORDER BY "{table.key}"'
    select = f"SELECT row_to_json(r) FROM (SELECT {columns} {exported}) r"  # nosec B608  # table and column names
    digest, rows = hashlib.sha256(), 0
    copy = f"COPY ({select}) TO STDOUT WITH {COPY_OPTIONS}"
    with _new_file(path) as file, connection.cursor() as cursor, cursor.copy(copy) as lines:
        for block in lines:
            digest.update(block)
            rows += bytes(block).count(b"\n")
            file.write(block)
    return {"file": path.name, "rows": rows, "sha256": digest.hexdigest(), "last_key": last_key(table)}


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a new file that only its owner can read (it contains drafts and addresses); flush it at the end."""
    path.touch(mode=0o600, exist_ok=False)
    with path.open("wb") as file:
        yield file
    fsync(path)


def last_key(table: ExportedTable) -> int | None:
    """Return the last value of the table's sequence, None if there is no sequence or it is unused."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [table.name, table.key])
        (sequence,) = cursor.fetchone()
        if sequence is None:
            return None
        cursor.execute(f"SELECT CASE WHEN is_called THEN last_value END FROM {sequence}")  # nosec B608  # table and column names
        (last,) = cursor.fetchone()
    return None if last is None else int(last)


def _clear(directory: Path, *, keep: int) -> None:
    """Remove remains of killed runs and older escrows. The previous escrow stays: it may be being copied."""
    folders = [each for each in directory.glob("escrow-*") if each.is_dir()]
    whole = [each for each in folders if (each / MANIFEST).exists()]
    newest = sorted(
        whole, key=lambda each: (each.name != current_folder(directory), -each.stat().st_mtime_ns)
    )
    for folder in set(folders) - set(newest[:keep]):
        shutil.rmtree(folder)
