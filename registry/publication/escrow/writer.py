"""Writes an escrow: JSON Lines with one file per table, and a manifest. `restorer` restores it.

A directory of escrows contains one folder for each, and the link `current` to the newest. A killed run leaves
`current` unchanged.
"""

import hashlib
import json
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from registry.audit_log.models import ChainHead
from registry.publication.atomic_files import current_folder, fsync, lock_directory, set_current
from registry.publication.escrow.tables import ExportedTable, exported_tables

FORMAT = 1
MANIFEST = "manifest.json"
MARKER = ".escrows"
ESCROWS_KEPT = 2
# JSON text contains no control characters, so COPY quotes nothing and each line of the file is a row.
COPY_OPTIONS = r"(FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02', ENCODING 'UTF8')"

ProgressCallback = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Escrow:
    """The result of a run: the folder, the number of rows of each table, and the head of the audit log."""

    folder: Path
    rows: dict[str, int]
    head: dict[str, Any]
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
        text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        with _new_file(folder / MANIFEST) as file:
            file.write(text.encode())
        fsync(folder)
        set_current(directory, folder.name)
        _clear(directory, keep=ESCROWS_KEPT)
    rows = {label: entry["rows"] for label, entry in manifest["tables"].items()}
    return Escrow(folder, rows, manifest["head"], hashlib.sha256(text.encode()).hexdigest())


@contextmanager
def database_snapshot(of: str = "") -> Iterator[None]:
    """Read from one snapshot of the database inside the block, regardless of concurrent writes.

    `of` is the id of a snapshot that another process still holds (see `export_database_snapshot`).
    """
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            if of:
                cursor.execute("SET TRANSACTION SNAPSHOT %s", [of])
        yield


def export_database_snapshot() -> str:
    """Return the id of the current snapshot, for other processes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_export_snapshot()")
        (name,) = cursor.fetchone()
    return str(name)


def migrations() -> dict[str, list[str]]:
    """Return the applied migrations of the exported tables, by app."""
    apps = {table.label.partition(".")[0] for table in exported_tables()}
    applied: dict[str, list[str]] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        if app in apps:
            applied.setdefault(app, []).append(name)
    return applied


def _write_tables(folder: Path, on_table: ProgressCallback | None) -> dict[str, Any]:
    head = ChainHead.objects.get(pk=1)
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "head": {"number": head.number, "digest": head.digest},
        "migrations": migrations(),
        "tables": {},
    }
    for table in exported_tables():
        entry = _write_table(table, folder / table.file)
        manifest["tables"][table.label] = entry
        if on_table:
            on_table(table.label, entry["rows"])
    return manifest


def _write_table(table: ExportedTable, path: Path) -> dict[str, Any]:
    columns = ", ".join(f'"{column}"' for column in table.columns)
    select = f'SELECT row_to_json(r) FROM (SELECT {columns} FROM {table.name} ORDER BY "{table.key}") r'  # noqa: S608
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
        cursor.execute(f"SELECT CASE WHEN is_called THEN last_value END FROM {sequence}")  # noqa: S608
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
