"""Restores an escrow into an empty database, in one transaction."""

import hashlib
import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.models import Field, Model

from registry.audit_log.models import BrokenAuditLog
from registry.audit_log.verification import verify_events
from registry.core.database.bulk_copy import copy_from_stdin
from registry.core.database.errors import first_line
from registry.core.exceptions import RegistryError
from registry.core.foreign_files import read_small
from registry.core.management.base import ProgressCallback
from registry.publication.atomic_files import CURRENT
from registry.publication.escrow.proofs import TRUST_SETTINGS, FoundEscrow, Trust, check_proven
from registry.publication.escrow.tables import ExportedTable, all_models, exported_tables, is_exported
from registry.publication.escrow.writer import COPY_OPTIONS, FORMAT, MANIFEST, migrations

BLOCK = 1024 * 1024
ENTRY = {"file", "rows", "sha256", "last_key"}


class EscrowNotFound(RegistryError):
    """The directory contains no escrow written by `manage.py escrow`."""

    status = HTTPStatus.NOT_FOUND
    title = "There is no escrow"

    def __init__(self, directory: Path, reason: str) -> None:
        super().__init__(f"{directory}: {reason}")


class DamagedEscrow(RegistryError):
    """A file is missing or differs from the manifest."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The escrow is damaged"


class IncompatibleEscrow(RegistryError):
    """The escrow was written by a version of the registry with different tables."""

    title = "The escrow has a different version"


class DatabaseNotEmpty(RegistryError):
    """The database contains data; an escrow can be restored only into an empty database."""

    title = "The database is not empty"


class EscrowRejected(RegistryError):
    """Rows violate constraints of the database: the escrow and its digests have been modified."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The escrow violates a rule of the database"


def find_escrow(directory: Path) -> FoundEscrow:
    """Return the escrow in the directory, or in its current folder, without its proofs."""
    if not directory.is_dir():
        raise EscrowNotFound(directory, "the directory does not exist.")
    folder = directory if (directory / MANIFEST).exists() else (directory / CURRENT).resolve()
    try:
        text = read_small(folder / MANIFEST)
        manifest = json.loads(text.decode())
    except FileNotFoundError as fault:
        raise EscrowNotFound(directory, f"it contains no {MANIFEST}.") from fault
    except (ValueError, RecursionError) as fault:
        raise DamagedEscrow(f"{folder / MANIFEST} is not JSON: {fault}.") from fault
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise IncompatibleEscrow(
            f"{folder / MANIFEST} does not have the format {FORMAT}. Use the version that wrote the escrow."
        )
    if not _is_complete(manifest):
        raise DamagedEscrow(f"{folder / MANIFEST} lacks required members or has malformed ones.")
    return FoundEscrow(folder, manifest, hashlib.sha256(text).hexdigest())


def _is_complete(manifest: Mapping[str, Any]) -> bool:
    head, applied, entries = (manifest.get(name) for name in ("head", "migrations", "tables"))
    if not (isinstance(head, dict) and isinstance(applied, dict) and isinstance(entries, dict)):
        return False
    return (
        set(head) == {"number", "digest"}
        and all(isinstance(names, list) for names in applied.values())
        and all(isinstance(entry, dict) and _is_entry(entry) for entry in entries.values())
    )


def _is_entry(entry: Mapping[str, Any]) -> bool:
    """Return whether a manifest entry has a plain file name, a number of rows, a digest and an optional key."""
    file, last_key = entry.get("file"), entry.get("last_key")
    return (
        set(entry) == ENTRY
        and isinstance(file, str)
        and bool(re.fullmatch(r"[a-z0-9_]+\.[a-z0-9_]+\.jsonl", file))
        and all(isinstance(each, int) for each in (entry["rows"], 0 if last_key is None else last_key))
        and isinstance(entry["sha256"], str)
    )


def check_files(escrow: FoundEscrow, *, on_table: ProgressCallback | None = None) -> None:
    """Raise DamagedEscrow unless every file exists with the digest and row count of the manifest."""
    folder, entries = escrow.folder, escrow.manifest["tables"]
    for count, (label, entry) in enumerate(entries.items(), start=1):
        path = folder / entry["file"]
        if not path.is_file():
            raise DamagedEscrow(f"{path} is missing or not a file; it contains the rows of {label}.")
        digest, rows = hashlib.sha256(), 0
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
                rows += block.count(b"\n")
        if (digest.hexdigest(), rows) != (entry["sha256"], entry["rows"]):
            raise DamagedEscrow(
                f"{path} differs from the manifest: it has {rows} rows and the SHA-256 {digest.hexdigest()}, "
                f"not {entry['rows']} rows and {entry['sha256']}."
            )
        if on_table:
            on_table(count, len(entries))


def restore(
    directory: Path, trust: Trust = TRUST_SETTINGS, *, on_table: ProgressCallback | None = None
) -> FoundEscrow:
    """Restore a proven escrow into this database, which must be empty, in one transaction."""
    escrow = check_proven(find_escrow(directory), trust)
    folder, manifest = escrow.folder, escrow.manifest
    _check_tables(manifest)
    check_files(escrow)
    with transaction.atomic():
        begun = _check_empty()
        tables = exported_tables()
        for count, table in enumerate(tables, start=1):
            entry = manifest["tables"][table.label]
            try:
                path = folder / entry["file"]
                _read_table(table, path, entry, has_rows=table.label in begun)
            except DatabaseError as refusal:
                raise EscrowRejected(f"{entry['file']}: {first_line(refusal)}") from refusal
            if on_table:
                on_table(count, len(tables))
        _check_constraints()
        _check_audit_log(manifest["head"])
    return escrow


def _check_tables(manifest: Mapping[str, Any]) -> None:
    here, there = migrations(), manifest["migrations"]
    for app in sorted({*here, *there}):
        missing = [name for name in there.get(app, []) if name not in here.get(app, [])]
        beyond = [name for name in here.get(app, []) if name not in there.get(app, [])]
        if missing:
            raise IncompatibleEscrow(
                f"The escrow needs the migration {missing[0]} of {app}, which this database does not have. "
                "Restore it with the version of the registry that wrote it, or a later one."
            )
        if beyond:
            last = there[app][-1] if there.get(app) else "zero"
            raise IncompatibleEscrow(
                f"This database has the migration {beyond[0]} of {app}, which is later than the escrow. In an "
                f"empty database type `manage.py migrate {app} {last}`, restore, then `manage.py migrate`."
            )
    if {table.label for table in exported_tables()} != set(manifest["tables"]):
        raise IncompatibleEscrow(
            "The tables of the escrow differ from those of this version of the registry."
        )


def _check_empty() -> set[str]:
    """Return the labels of tables with rows from `migrate`; raise DatabaseNotEmpty if there are other rows."""
    begun = set()
    for model in all_models():
        if not is_exported(model):
            continue
        for row in model._base_manager.all()[:2]:
            fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
            begun.add(model._meta.label)
            if not all(_is_untouched(field, row) for field in fields):
                raise DatabaseNotEmpty(
                    f"This database contains {model._meta.verbose_name_plural}. Restore the escrow into a new "
                    "database in which only `manage.py migrate` has been run."
                )
    return begun


def _is_untouched(field: "Field[Any, Any]", row: Model) -> bool:
    return field.has_default() and bool(field.value_from_object(row) == field.get_default())


def _read_table(table: ExportedTable, path: Path, entry: Mapping[str, Any], *, has_rows: bool) -> None:
    """Copy the lines into a temporary table, then into the table; rows from `migrate` are replaced."""
    names = ", ".join(f'"{column}"' for column in (*table.columns, *dict(table.generated)))
    values = ", ".join([*(f'r."{column}"' for column in table.columns), *dict(table.generated).values()])
    renewed = ", ".join(f'"{each}" = EXCLUDED."{each}"' for each in table.columns if each != table.key)
    insert = (
        f"INSERT INTO {table.name} ({names}) SELECT {values} "  # nosec B608  # table and column names
        f"FROM pg_temp.escrowed, json_populate_record(NULL::{table.name}, line::json) r"
    )
    if has_rows:  # Only if needed: triggers on immutable tables reject every statement with UPDATE.
        insert += f' ON CONFLICT ("{table.key}") DO UPDATE SET {renewed}'  # nosec B608  # table and column names
    digest = hashlib.sha256()
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE escrowed (line text) ON COMMIT DROP")
        with (
            path.open("rb") as file,
            copy_from_stdin(cursor, f"COPY pg_temp.escrowed FROM STDIN WITH {COPY_OPTIONS}") as lines,
        ):
            while block := file.read(BLOCK):
                digest.update(block)
                lines.write(block)
        cursor.execute(insert)
        if (digest.hexdigest(), cursor.rowcount) != (entry["sha256"], entry["rows"]):
            raise DamagedEscrow(
                f"{path} was changed while it was read, or has other rows than lines: {cursor.rowcount} rows were read, not "
                f"the {entry['rows']} of the manifest. Copy the escrow to a place where no one else writes."
            )
        cursor.execute("DROP TABLE pg_temp.escrowed")
        # A table whose keys were never drawn begins with 1 again, also in a database that was used before.
        cursor.execute(
            "SELECT setval(pg_get_serial_sequence(%s, %s), %s, %s)",
            [table.name, table.key, entry["last_key"] or 1, entry["last_key"] is not None],
        )


def _check_constraints() -> None:
    with connection.cursor() as cursor:
        try:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        except DatabaseError as refusal:
            raise EscrowRejected(first_line(refusal)) from refusal


def _check_audit_log(head: Mapping[str, Any]) -> None:
    """Raise BrokenAuditLog or DamagedEscrow unless the log and its published heads verify, up to the manifest's head."""
    result = verify_events()
    if result.faults:
        raise BrokenAuditLog(result.faults[0])
    last = result.last.position
    if last.to_json() != head:
        raise DamagedEscrow(f"The audit log ends at event {last.number}; the manifest says {head['number']}.")
