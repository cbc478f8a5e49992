"""The events of an import in the audit log: one for each entry that changed, and one for the file."""

import re
from collections.abc import Iterator
from itertools import islice

from registry.audit_log import log
from registry.audit_log.models import Event
from registry.publication.iana.importing.report import ImportOutcome, ImportReport

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
