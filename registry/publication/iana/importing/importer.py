"""Imports IANA's registry: the newest file wins, nothing is deleted, namespaces managed here are not changed.

Entries are compared and written in batches, so a file can have any number of them.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from registry.audit_log import log
from registry.audit_log.models import Event
from registry.core.database.bulk_copy import batches, copy_insert, copy_update
from registry.core.management.base import ProgressCallback
from registry.namespaces.actions import registration
from registry.namespaces.models import Kind, Namespace, Origin
from registry.publication.iana.comparison import content_digest, fill_from_known, head_differences
from registry.publication.iana.file_reader import IanaVersion
from registry.publication.iana.importing.report import (
    Changes,
    ImportFindings,
    ImportOutcome,
    ImportReport,
    finding_for,
)
from registry.publication.iana.records import IanaFile, Record, Xref
from registry.publication.models import IanaRecord, IanaRegistry
from urnsyntax.nid import NIDKind, classify

NAMED_CONFLICTS = 100
# A person in the text of an `Xref`, with the label.
PERSON = re.compile(r"\bperson:[^\s\[]*(\[[^\]]*\])?")


def write_events(report: ImportReport) -> None:
    """Write the events, if anything changed."""
    if report.has_changes:
        log.append_all(_events(report))


def _events(report: ImportReport) -> Iterator[Event]:
    for finding in report.findings:
        if finding.is_written:
            changes = {name: list(map(_without_people, pair)) for name, pair in finding.changes.items()}
            details = finding.to_json() | {"as_of": report.updated, "changes": changes}
            del details["nid"]
            yield Event(verb="import", nid=finding.nid, text_digest=report.digest, details=details)
    yield Event(
        verb="import_iana",
        text_digest=report.digest,
        details={
            "file": report.name,
            "as_of": report.updated,
            "formal": report.formal,
            "informal": report.informal,
            "counts": report.counts,
            # Experts and contacts are IANA's data; the log only records that they changed.
            "head": sorted(report.head),
            **_left_aside(report),
        },
    )


def _without_people(text: str) -> str:
    """Return references to people without their names: nothing is erased from the log."""
    return PERSON.sub("person", text)


def _left_aside(report: ImportReport) -> dict[str, list[str]]:
    """Return the first names of entries that were not applied, because these have no events."""
    if not report.count(ImportOutcome.CONFLICT):
        return {}
    conflicts = (finding.nid for finding in report.findings if finding.outcome == ImportOutcome.CONFLICT)
    return {"left_aside": list(islice(conflicts, NAMED_CONFLICTS))}


REMOVALS_AT_ONCE = 2000
MESSAGE = "IANA no longer lists it; it remains registered here"


def mark_removed(file: IanaFile) -> tuple[ImportFindings, dict[str, str]]:
    """Mark the entries that the file no longer lists; return findings, and the old names of renamed entries."""
    findings = ImportFindings()
    if not file.updated or not IanaRecord.objects.exists():
        return findings, {}
    kinds = _copy_listed(file)
    removed = _unlisted().filter(kind__in=kinds, as_of__lte=file.updated)
    for records in batches(
        removed.order_by("kind", "position", "nid").iterator(REMOVALS_AT_ONCE), REMOVALS_AT_ONCE
    ):
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
    for records in batches(file.records, REMOVALS_AT_ONCE):
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


BATCH = 2000
NAMESPACE_FIELDS = ["registered_on", "updated_on", "references", "template_url", "changed_at"]
RECORD_FIELDS = [
    "position",
    "as_of",
    "removed_on",
    "name",
    "date",
    "updated",
    "references",
    "template",
    "contact",
]


@contextmanager
def import_transaction(*, is_dry: bool) -> Iterator[None]:
    """Run the block in one transaction; a dry run is rolled back at the end."""
    with transaction.atomic():
        yield
        if is_dry:
            transaction.set_rollback(True)


@transaction.atomic
def import_versions(
    versions: Sequence[IanaVersion],
    *,
    on_import: ProgressCallback | None = None,
    on_entries: ProgressCallback | None = None,
) -> list[ImportReport]:
    """Import all versions, oldest first, or none. `on_entries` and `on_import` get the progress."""
    registration.lock_assignments()
    reports = []
    for count, version in enumerate(versions, start=1):
        reports.append(_Import(version).run(on_entries))
        if on_import:
            on_import(count, len(versions))
    return reports


def is_managed_here(namespace: Namespace) -> bool:
    """Return whether the namespace or its latest version was created here; imports do not change it then."""
    if namespace.origin == Origin.REGISTRY:
        return True
    return namespace.latest is not None and namespace.latest.origin == Origin.REGISTRY


@dataclass(slots=True)
class _Batch:
    """A batch of entries: the stored rows, and the rows to write."""

    known: dict[str, IanaRecord]
    namespaces: dict[str, Namespace]
    new: list[IanaRecord] = field(default_factory=list)
    touched: list[IanaRecord] = field(default_factory=list)
    revised: list[Namespace] = field(default_factory=list)

    @classmethod
    def of(cls, nids: Sequence[str]) -> "_Batch":
        texts = ("latest__content", "latest__text")
        namespaces = Namespace.objects.select_related("latest").defer(*texts).filter(nid__any=nids)
        return cls(
            known={stored.nid: stored for stored in IanaRecord.objects.filter(nid__any=nids)},
            namespaces={namespace.nid: namespace for namespace in namespaces},
        )

    def write(self) -> int:
        """Write the batch; return the highest number of a new informal namespace, or 0."""
        made = [namespace for stored in self.new if (namespace := self._namespace_for(stored))]
        missing = [namespace for namespace in made if namespace.pk is None]
        copy_insert(Namespace, missing)
        nids = [namespace.nid for namespace in made]
        keys = dict(Namespace.objects.filter(nid__any=nids).values_list("nid", "pk"))
        for stored in self.new:
            stored.namespace_id = keys.get(stored.nid)
        copy_insert(IanaRecord, self.new)
        copy_update(IanaRecord, self.touched, RECORD_FIELDS)
        copy_update(Namespace, self.revised, NAMESPACE_FIELDS)
        return max((namespace.number or 0 for namespace in missing), default=0)

    def _namespace_for(self, stored: IanaRecord) -> Namespace | None:
        """Return the namespace of a new entry, None for a name that is not a registrable NID."""
        syntax = classify(stored.nid).by_syntax
        if syntax not in {NIDKind.FORMAL, NIDKind.INFORMAL}:
            return None
        number = int(stored.nid.removeprefix("urn-")) if syntax == NIDKind.INFORMAL else None
        namespace = self.namespaces.get(stored.nid) or Namespace(
            nid=stored.nid, kind=stored.kind, number=number, origin=Origin.IANA
        )
        _describe(namespace, stored.record)
        if namespace.pk is not None:
            self.revised.append(namespace)
        return namespace


@dataclass(slots=True)
class _Import:
    """The import of one version."""

    version: IanaVersion
    findings: ImportFindings = field(default_factory=ImportFindings)
    registry: IanaRegistry | None = None
    # New names of renamed entries, with the names that disappeared.
    renamed: dict[str, str] = field(default_factory=dict)
    formal: int = 0
    highest: int = 0

    @property
    def file(self) -> IanaFile:
        return self.version.file

    def run(self, on_entries: ProgressCallback | None) -> ImportReport:
        self.registry = IanaRegistry.current()
        removed, self.renamed = mark_removed(self.file)
        total = len(self.file.records)
        for batch in batches(enumerate(self.file.records), BATCH):
            self._import(batch)
            if on_entries:
                on_entries(batch[-1][0] + 1, total)
        registration.raise_informal_counter(self.highest)
        for finding in removed:
            self.findings.append(finding)
        head = self._head_changes()
        if head:
            registry = self.registry or IanaRegistry(pk=1)
            registry.update_from(self.file, self.version.digest)
            registry.save()
        report = ImportReport(
            name=self.version.name,
            digest=self.version.digest,
            updated=self.file.updated,
            formal=self.formal,
            informal=total - self.formal,
            findings=self.findings,
            head=head,
        )
        write_events(report)
        return report

    def _import(self, entries: Sequence[tuple[int, Record]]) -> None:
        batch = _Batch.of([record.nid for _, record in entries])
        for position, record in entries:
            self.formal += record.is_formal
            self._compare(record, position, batch)
        self.highest = max(self.highest, batch.write())

    def _compare(self, record: Record, position: int, batch: _Batch) -> None:
        stored, namespace = batch.known.get(record.nid), batch.namespaces.get(record.nid)
        is_ours = namespace is not None and is_managed_here(namespace)
        if stored is None:
            if is_ours:
                self._find(
                    ImportOutcome.CONFLICT, record, None, "registered here; IANA's entry is not applied"
                )
            else:
                batch.new.append(self._added(record, position))
            return
        before = stored.record
        after = fill_from_known(record, before) if self.file.is_partial else record
        if stored.as_of > self.file.updated:
            if after != before:
                self._find(ImportOutcome.OLDER, after, before, f"known as of {stored.as_of}")
        elif after != before and is_ours:
            self._find(ImportOutcome.CONFLICT, after, before, "revised here; IANA's entry is not applied")
        else:
            if self._is_updated(stored, after, before, position):
                batch.touched.append(stored)
            if after != before and namespace is not None:
                _describe(namespace, after)
                batch.revised.append(namespace)

    def _added(self, record: Record, position: int) -> IanaRecord:
        stored = IanaRecord(
            nid=record.nid,
            kind=Kind.FORMAL if record.is_formal else Kind.INFORMAL,
            position=position,
            as_of=self.file.updated,
            removed_on=self._newest if "" < self.file.updated < self._newest else "",
        )
        stored.update_from(record)
        status = classify(record.nid)
        if old_name := self.renamed.get(record.nid):
            self._find(ImportOutcome.RENAMED, record, None, f"was {old_name}")
        elif status.by_syntax in {NIDKind.FORMAL, NIDKind.INFORMAL}:
            self._find(ImportOutcome.ADDED, record, None)
        else:
            message = f"{status.reason} (RFC 8141, {status.section})"
            self._find(ImportOutcome.KEPT_APART, record, None, message)
        return stored

    def _is_updated(self, stored: IanaRecord, after: Record, before: Record, position: int) -> bool:
        """Update a known entry from the file, if the file is the newest that contains it."""
        known = stored.as_of, stored.position, stored.removed_on
        stored.as_of = self.file.updated
        if not self.file.is_partial:
            stored.position = position
        if stored.removed_on and stored.removed_on <= self.file.updated:
            stored.removed_on = ""
            self._find(ImportOutcome.REAPPEARED, after, before)
        elif after != before:
            self._find(ImportOutcome.CHANGED, after, before)
        if after != before:
            stored.update_from(after)
        return after != before or known != (stored.as_of, stored.position, stored.removed_on)

    def _find(
        self, outcome: ImportOutcome, new: Record | None, old: Record | None, message: str = ""
    ) -> None:
        self.findings.append(finding_for(outcome, new, old, message))

    @property
    def _newest(self) -> str:
        return self.registry.updated if self.registry else ""

    def _head_changes(self) -> Changes:
        if self.file.is_partial or self.file.updated < self._newest:
            return {}
        changes: dict[str, tuple[str, str]] = {}
        for part in IanaRegistry.PARTS:
            before = self.registry.part(part) if self.registry else ()
            after = getattr(self.file, part)
            if before != after:
                changes |= head_differences(part, before, after)
        return changes


def _describe(namespace: Namespace, record: Record) -> None:
    """Copy IANA's data into the fields of the namespace."""
    namespace.registered_on, namespace.updated_on = record.date, record.updated
    namespace.references = [_reference(xref) for xref in record.reference_column]
    longest = namespace._meta.get_field("template_url").max_length or 0
    urls = [xref.url for xref in record.template_column if xref.url and len(xref.url) <= longest]
    namespace.template_url = urls[0] if urls else ""
    namespace.changed_at = timezone.now()


def _reference(xref: Xref) -> dict[str, str]:
    label = xref.display_text.replace("_", " ") if xref.type == "person" else xref.display_text
    return {"type": xref.type, "target": xref.url, "label": label}
