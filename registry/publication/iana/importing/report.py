"""The report of an import, as values, text and JSON."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from registry.publication.iana.comparison import differences
from registry.publication.iana.imported_records import DiskBackedList
from registry.publication.iana.records import Record

# The values before and after, by the name of the part of the entry or head.
Changes = Mapping[str, tuple[str, str]]


class ImportOutcome(StrEnum):
    """The outcome of an import for one entry."""

    ADDED = "added"
    CHANGED = "changed"
    RENAMED = "renamed"
    REMOVED = "removed"
    REAPPEARED = "reappeared"
    KEPT_APART = "kept apart"
    CONFLICT = "conflict"
    OLDER = "older"


# Outcomes with a change.
CHANGING_OUTCOMES = frozenset(ImportOutcome) - {ImportOutcome.CONFLICT, ImportOutcome.OLDER}


@dataclass(frozen=True, slots=True)
class ImportFinding:
    """One entry that changed or needs attention. `message` explains it."""

    outcome: ImportOutcome
    nid: str
    changes: Changes = field(default_factory=dict)
    message: str = ""

    @property
    def is_written(self) -> bool:
        """Whether the import changed it."""
        return self.outcome in CHANGING_OUTCOMES

    def to_json(self) -> dict[str, Any]:
        changes = {name: list(pair) for name, pair in self.changes.items()}
        return {"outcome": str(self.outcome), "nid": self.nid, "changes": changes, "message": self.message}

    def __str__(self) -> str:
        details = [self.message] if self.message else []
        if self.outcome in {ImportOutcome.CHANGED, ImportOutcome.CONFLICT, ImportOutcome.OLDER}:
            details += [
                f"{name} {old or '(none)'} → {new or '(none)'}" for name, (old, new) in self.changes.items()
            ]
        return f"{self.outcome}: {self.nid}" + (f" ({'; '.join(details)})" if details else "")

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "ImportFinding":
        changes = {name: (was, will) for name, (was, will) in stored["changes"].items()}
        return cls(ImportOutcome(stored["outcome"]), stored["nid"], changes, stored["message"])


def finding_for(
    outcome: ImportOutcome, new: Record | None, old: Record | None, message: str = ""
) -> ImportFinding:
    """Return a finding about an entry, with its differences from the known one."""
    entry = new or old
    if entry is None:
        raise TypeError("A finding needs a new or an old entry.")
    return ImportFinding(outcome, entry.nid, differences(old, new), message)


class ImportFindings(DiskBackedList[ImportFinding]):
    """Findings in order, on disk if there are many, with a count for each outcome."""

    def __init__(self) -> None:
        super().__init__(dump=ImportFinding.to_json, load=ImportFinding.from_json)
        self.counter: Counter[ImportOutcome] = Counter()

    def append(self, value: ImportFinding) -> None:
        super().append(value)
        self.counter[value.outcome] += 1


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of one file. `head` contains the changed parts of the head and of the people."""

    name: str
    digest: str
    updated: str
    formal: int
    informal: int
    findings: ImportFindings
    head: Changes

    def count(self, outcome: ImportOutcome) -> int:
        return self.findings.counter[outcome]

    @property
    def counts(self) -> dict[str, int]:
        """Return the number of entries for each outcome that occurred."""
        return {str(outcome): self.count(outcome) for outcome in ImportOutcome if self.count(outcome)}

    @property
    def has_changes(self) -> bool:
        return bool(self.head) or any(self.count(outcome) for outcome in CHANGING_OUTCOMES)

    def to_json(self) -> Iterator[str]:
        """Yield one JSON object in pieces, because the findings may not fit in memory."""
        summary = {
            "file": self.name,
            "sha256": self.digest,
            "updated": self.updated,
            "formal": self.formal,
            "informal": self.informal,
            "changed": self.has_changes,
            "counts": self.counts,
            "head": {name: list(pair) for name, pair in self.head.items()},
        }
        yield json.dumps(summary, ensure_ascii=False)[:-1] + ', "findings": ['
        for count, finding in enumerate(self.findings):
            yield (",\n" if count else "\n") + json.dumps(finding.to_json(), ensure_ascii=False)
        yield "]}"

    def __str__(self) -> str:
        dated = f"as of {self.updated}" if self.updated else "of unknown date"
        news = [f"{count} {outcome}" for outcome, count in self.counts.items()]
        if not self.has_changes:
            news.insert(0, "no change")
        if any(old for old, _ in self.head.values()):  # not in the first import, in which everything is new
            news.append(f"head changed: {', '.join(self.head)}")
        return (
            f"{self.name}, {dated}: {self.formal} formal and {self.informal} informal namespaces; "
            f"{', '.join(news) or 'only its head is new'}."
        )
