"""Entries that a file no longer lists: they are marked as removed, or recognised under a new name."""

from collections.abc import Sequence

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from registry.core.database.bulk_copy import batches
from registry.namespaces.models import Kind, Namespace
from registry.publication.iana.comparison import content_digest
from registry.publication.iana.importing.report import ImportFindings, ImportOutcome, finding_for
from registry.publication.iana.records import IanaFile
from registry.publication.models import IanaRecord

BATCH = 2000
MESSAGE = "IANA no longer lists it; it remains registered here"


def mark_removed(file: IanaFile) -> tuple[ImportFindings, dict[str, str]]:
    """Mark the entries that the file no longer lists; return findings, and the old names of renamed entries."""
    findings = ImportFindings()
    if not file.updated or not IanaRecord.objects.exists():
        return findings, {}
    kinds = _copy_listed(file)
    removed = _unlisted().filter(kind__in=kinds, as_of__lte=file.updated)
    for records in batches(removed.order_by("kind", "position", "nid").iterator(BATCH), BATCH):
        named = [stored.namespace_id for stored in records if stored.namespace_id]
        Namespace.objects.filter(pk__in=named).update(changed_at=timezone.now())
        _copy_names("iana_removed", [(stored.nid, content_digest(stored.record)) for stored in records])
        for stored in records:
            findings.append(finding_for(ImportOutcome.REMOVED, None, stored.record, MESSAGE))
    if not findings:
        return findings, {}
    renamed = _renamed()
    removed.update(removed_on=file.updated)
    return findings, renamed


def _copy_listed(file: IanaFile) -> list[Kind]:
    """Copy the names of the file into a temporary table; return the lists that the file contains."""
    with connection.cursor() as cursor:
        for table in ("iana_listed", "iana_removed"):
            cursor.execute(f"DROP TABLE IF EXISTS pg_temp.{table}")
            cursor.execute(
                f'CREATE TEMPORARY TABLE {table} (nid text COLLATE "C", content_digest text) ON COMMIT DROP'
            )
    formal = 0
    for records in batches(file.records, BATCH):
        formal += sum(record.is_formal for record in records)
        _copy_names("iana_listed", [(record.nid, content_digest(record)) for record in records])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE iana_listed")
    count = {Kind.FORMAL: formal, Kind.INFORMAL: len(file.records) - formal}
    return [kind for kind in Kind if not file.is_partial or count[kind]]


def _copy_names(table: str, names: Sequence[tuple[str, str]]) -> None:
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} (nid, content_digest) FROM STDIN") as copy:
        for row in names:
            copy.write_row(row)


def _unlisted() -> "QuerySet[IanaRecord]":
    """Return entries of the newest file so far that this file does not list."""
    table = connection.ops.quote_name(IanaRecord._meta.db_table)
    missing = f"NOT EXISTS (SELECT 1 FROM iana_listed WHERE iana_listed.nid = {table}.nid)"  # nosec B608  # table and column names
    return IanaRecord.objects.filter(removed_on="").extra(where=[missing])  # nosec B610  # as above


def _renamed() -> dict[str, str]:
    """Return renamed entries: a removed entry and a single new entry that differ only in name."""
    table = connection.ops.quote_name(IanaRecord._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT added.nid, iana_removed.nid FROM iana_removed JOIN ("  # nosec B608  # table and column names
            f"SELECT content_digest, min(nid) AS nid FROM iana_listed LEFT JOIN {table} known USING (nid) "
            "WHERE known.nid IS NULL GROUP BY content_digest HAVING count(*) = 1"
            ") added USING (content_digest) ORDER BY iana_removed.nid"
        )
        return dict(cursor.fetchall())
