"""Imports IANA's registry: the newest file wins, nothing is deleted, namespaces managed here are not changed.

Entries are compared and written in batches, so a file can have any number of them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone

from registry.core.database.bulk_copy import batches, copy_insert, copy_update
from registry.core.progress import ProgressCallback
from registry.namespaces.models import Kind, Namespace, Origin
from registry.namespaces.services import registration
from registry.publication.iana.comparison import fill_from_known, head_differences
from registry.publication.iana.file_reader import IanaVersion
from registry.publication.iana.importing.events import write_events
from registry.publication.iana.importing.removals import mark_removed
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
