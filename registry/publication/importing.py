"""IANA's registry becomes namespaces: newest wins, nothing is deleted, what is ours stays ours."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from django.db import transaction
from django.utils import timezone

from registry.namespaces import registering
from registry.namespaces.models import Kind, Namespace, Origin
from registry.publication.iana import Element, IanaFile, Record, Xref
from registry.publication.models import IanaRecord, IanaRegistry
from registry.publication.reading import Version
from registry.publication.reports import Facts, Finding, Outcome, Report
from registry.record import journal
from urnsyntax.nid import NIDKind, classify

BATCH = 2000
NAMESPACE_FIELDS = ["registered_on", "updated_on", "references", "template_url", "changed_at"]
RECORD_FIELDS = [
    "position",
    "as_of",
    "vanished_on",
    "name",
    "date",
    "updated",
    "references",
    "template",
    "contact",
]


@contextmanager
def rehearsal(*, is_dry: bool) -> Iterator[None]:
    """One transaction; a dry one does everything, and takes it back at its end."""
    with transaction.atomic():
        yield
        if is_dry:
            transaction.set_rollback(True)


@transaction.atomic
def import_versions(
    versions: Sequence[Version], *, on_import: Callable[[int, int], None] | None = None
) -> list[Report]:
    """Import versions, oldest first, all or none; `on_import` is told how many of how many are done."""
    registering.hold_assignments()
    reports = []
    for count, version in enumerate(versions, start=1):
        reports.append(_Import(version).run())
        if on_import:
            on_import(count, len(versions))
    return reports


def is_ours(namespace: Namespace) -> bool:
    """Whether our own process made the namespace, or its latest version: no import changes it then."""
    if namespace.origin == Origin.REGISTRY:
        return True
    return namespace.latest is not None and namespace.latest.origin == Origin.REGISTRY


@dataclass(slots=True)
class _Import:
    """One version on its way into the registry: compare everything, then write."""

    version: Version
    known: dict[str, IanaRecord] = field(default_factory=dict)
    namespaces: dict[str, Namespace] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    new: list[IanaRecord] = field(default_factory=list)
    touched: list[IanaRecord] = field(default_factory=list)
    revised: list[Namespace] = field(default_factory=list)
    registry: IanaRegistry | None = None

    @property
    def file(self) -> IanaFile:
        return self.version.file

    def run(self) -> Report:
        self.registry = IanaRegistry.current()
        self.known = {stored.nid: stored for stored in IanaRecord.objects.all()}
        self.namespaces = {each.nid: each for each in Namespace.objects.select_related("latest")}
        for position, record in enumerate(self.file.records):
            self._compare(record, position)
        vanished = self._vanished()
        self._find_renamed(vanished)
        head = self._head_changes()
        report = Report(
            name=self.version.name,
            digest=self.version.digest,
            updated=self.file.updated,
            formal=self.file.count(formal=True),
            informal=self.file.count(formal=False),
            findings=tuple(self.findings),
            head=head,
        )
        self._write(head)
        _write_events(report)
        return report

    # Comparing

    def _compare(self, record: Record, position: int) -> None:
        stored, namespace = self.known.get(record.nid), self.namespaces.get(record.nid)
        if stored is None:
            if namespace is not None and is_ours(namespace):
                self._find(
                    Outcome.CONFLICT, record, None, words="registered here; IANA's entry is left aside"
                )
            else:
                self._add(record, position)
            return
        said = _completed(record, stored.record) if self.file.is_partial else record
        if stored.as_of > self.file.updated:
            if said != stored.record:
                self._find(Outcome.OLDER, said, stored.record, words=f"known as of {stored.as_of}")
            return
        if said != stored.record and namespace is not None and is_ours(namespace):
            self._find(
                Outcome.CONFLICT, said, stored.record, words="revised here; IANA's entry is left aside"
            )
            return
        self._renew(stored, said, namespace, position)

    def _add(self, record: Record, position: int) -> None:
        stored = IanaRecord(
            nid=record.nid,
            kind=Kind.FORMAL if record.is_formal else Kind.INFORMAL,
            position=position,
            as_of=self.file.updated,
            vanished_on=self._newest if "" < self.file.updated < self._newest else "",
        )
        stored.take(record)
        self.new.append(stored)
        status = classify(record.nid)
        if status.by_syntax in {NIDKind.FORMAL, NIDKind.INFORMAL}:
            self._find(Outcome.ADDED, record, None)
        else:
            self._find(
                Outcome.KEPT_APART, record, None, words=f"{status.reason} (RFC 8141, {status.section})"
            )

    def _renew(self, stored: IanaRecord, said: Record, namespace: Namespace | None, position: int) -> None:
        """Take over what the file says of an entry that is known, and that the file is the newest of."""
        before, was_vanished = stored.record, stored.vanished_on
        stored.as_of = self.file.updated
        if not self.file.is_partial:
            stored.position = position
        if was_vanished and was_vanished <= self.file.updated:
            stored.vanished_on = ""
            self._find(Outcome.REAPPEARED, said, before)
        elif said != before:
            self._find(Outcome.CHANGED, said, before)
        if said != before:
            stored.take(said)
            if namespace is not None:
                _describe(namespace, said)
                self.revised.append(namespace)
        self.touched.append(stored)

    def _vanished(self) -> list[IanaRecord]:
        named = {record.nid for record in self.file.records}
        vanished = [
            stored
            for stored in self.known.values()
            if stored.nid not in named
            and not stored.vanished_on
            and stored.as_of <= self.file.updated
            and self.file.updated
            and self.file.covers(formal=stored.kind == Kind.FORMAL)
        ]
        for stored in vanished:
            stored.vanished_on = self.file.updated
            self.touched.append(stored)
            self._find(
                Outcome.VANISHED, None, stored.record, words="IANA lists it no more; it stays registered here"
            )
        return vanished

    def _find_renamed(self, vanished: Iterable[IanaRecord]) -> None:
        """An entry that went, and one that came with everything else the same, is one renamed."""
        for gone in vanished:
            nameless = replace(gone.record, name="")
            came = [each for each in self.new if replace(each.record, name="") == nameless]
            if len(came) != 1:
                continue
            (at,) = (index for index, each in enumerate(self.findings) if each.nid == came[0].nid)
            renamed = replace(self.findings[at], outcome=Outcome.RENAMED, words=f"was {gone.nid}")
            self.findings[at] = renamed

    def _find(self, outcome: Outcome, new: Record | None, old: Record | None, *, words: str = "") -> None:
        entry = new or old
        if entry is not None:
            self.findings.append(Finding(outcome, entry.nid, _differences(old, new), words))

    @property
    def _newest(self) -> str:
        return self.registry.updated if self.registry else ""

    def _head_changes(self) -> Facts:
        if self.file.is_partial or self.file.updated < self._newest:
            return {}
        changes: dict[str, tuple[str, str]] = {}
        for part in IanaRegistry.PARTS:
            before = self.registry.part(part) if self.registry else ()
            after = getattr(self.file, part)
            if before != after:
                changes |= _head_differences(part, before, after)
        return changes

    # Writing

    def _write(self, head: Facts) -> None:
        created = [self._namespace_for(stored) for stored in self.new]
        missing = [each for each in created if each is not None and each._state.adding]
        Namespace.objects.bulk_create(missing, batch_size=BATCH)
        for stored, namespace in zip(self.new, created, strict=True):
            stored.namespace = namespace
        IanaRecord.objects.bulk_create(self.new, batch_size=BATCH)
        IanaRecord.objects.bulk_update(self.touched, RECORD_FIELDS, batch_size=BATCH)
        Namespace.objects.bulk_update(self.revised, NAMESPACE_FIELDS, batch_size=BATCH)
        numbers = [each.number for each in missing if each.number is not None]
        registering.raise_informal_counter(max(numbers, default=0))
        if head:
            registry = self.registry or IanaRegistry(pk=1)
            registry.take(self.file, self.version.digest)
            registry.save()

    def _namespace_for(self, stored: IanaRecord) -> Namespace | None:
        """The namespace of a new entry; None for a name that no namespace may have."""
        syntax = classify(stored.nid).by_syntax
        if syntax not in {NIDKind.FORMAL, NIDKind.INFORMAL}:
            return None
        number = int(stored.nid.removeprefix("urn-")) if syntax == NIDKind.INFORMAL else None
        namespace = self.namespaces.get(stored.nid) or Namespace(
            nid=stored.nid, kind=stored.kind, number=number, origin=Origin.IANA
        )
        _describe(namespace, stored.record)
        if not namespace._state.adding:
            self.revised.append(namespace)
        return namespace


def _describe(namespace: Namespace, record: Record) -> None:
    """Show what IANA says in the namespace's own fields."""
    namespace.registered_on, namespace.updated_on = record.date, record.updated
    namespace.references = [_reference(xref) for xref in record.reference_column]
    longest = namespace._meta.get_field("template_url").max_length or 0
    urls = [xref.url for xref in record.template_column if xref.url and len(xref.url) <= longest]
    namespace.template_url = urls[0] if urls else ""
    namespace.changed_at = timezone.now()


def _reference(xref: Xref) -> dict[str, str]:
    label = xref.words.replace("_", " ") if xref.type == "person" else xref.words
    return {"type": xref.type, "target": xref.url, "label": label}


def _completed(record: Record, known: Record) -> Record:
    """An entry of a CSV file, with what CSV can't say taken from what is known where the labels agree."""
    if _labels(record) == _labels(known):
        return known
    record = replace(record, date=known.date, updated=known.updated)
    if _words(record.template_column) == _words(known.template_column):
        if record.is_formal:
            return replace(record, template=known.template)
        return replace(record, references=known.template_column)
    if _words(record.reference_column) == _words(known.reference_column):
        if record.is_formal:
            return replace(record, references=known.references)
        return replace(record, contact=known.reference_column)
    return record


def _labels(record: Record) -> tuple[list[str], list[str]]:
    return _words(record.template_column), _words(record.reference_column)


def _words(column: Iterable[Xref]) -> list[str]:
    return [xref.words for xref in column]


def _differences(old: Record | None, new: Record | None) -> dict[str, tuple[str, str]]:
    before, after = old.facts() if old else {}, new.facts() if new else {}
    pairs = {name: (before.get(name, ""), after.get(name, "")) for name in {**before, **after}}
    return {name: (was, will) for name, (was, will) in pairs.items() if was != will}


PART_NAMES = {"head": "", "formal_head": "formal ", "informal_head": "informal ", "people": ""}


def _head_differences(
    part: str, before: tuple[Element, ...], after: tuple[Element, ...]
) -> dict[str, tuple[str, str]]:
    """What changed in one part of the head, by element: `formal registration_rule`. People are counted only."""
    if part == "people":
        return {"people": (str(len(before)), str(len(after)))}
    changes = {}
    for tag in dict.fromkeys(element.tag for element in (*before, *after)):
        old, new = ([each for each in elements if each.tag == tag] for elements in (before, after))
        if old != new:
            changes[PART_NAMES[part] + tag] = (_in_words(old), _in_words(new))
    return changes or {PART_NAMES[part] + "order": ("", "")}


def _in_words(elements: Iterable[Element]) -> str:
    return " ".join(element.words for element in elements)


def _write_events(report: Report) -> None:
    """One event an entry, one for the file; none when nothing changed."""
    if not report.has_changes:
        return
    for finding in report.findings:
        if finding.is_written:
            journal.append(
                "import",
                by=None,
                nid=finding.nid,
                text_digest=report.digest,
                outcome=str(finding.outcome),
                as_of=report.updated,
                words=finding.words,
                facts={name: list(pair) for name, pair in finding.facts.items()},
            )
    journal.append(
        "import_iana",
        by=None,
        text_digest=report.digest,
        file=report.name,
        as_of=report.updated,
        formal=report.formal,
        informal=report.informal,
        counts=report.counts,
        # Who the experts and contacts are is IANA's to say; that they changed is ours.
        head=sorted(report.head),
    )
