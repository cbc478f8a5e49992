"""What an import did, or would do: as values, in words, as JSON."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from registry.publication.iana.disk_backed_list import DiskBackedList

# What an entry or a head says, before and after, by the names of its parts.
Changes = Mapping[str, tuple[str, str]]


class ImportOutcome(StrEnum):
    """What became of one entry."""

    ADDED = "added"
    CHANGED = "changed"
    RENAMED = "renamed"
    REMOVED = "removed"
    REAPPEARED = "reappeared"
    KEPT_APART = "kept apart"
    CONFLICT = "conflict"
    OLDER = "older"


# Those for which something was changed.
CHANGING_OUTCOMES = frozenset(ImportOutcome) - {ImportOutcome.CONFLICT, ImportOutcome.OLDER}


@dataclass(frozen=True, slots=True)
class ImportFinding:
    """One entry that is not as it was. `message` says what a person should know of it."""

    outcome: ImportOutcome
    nid: str
    changes: Changes = field(default_factory=dict)
    message: str = ""

    @property
    def is_written(self) -> bool:
        """Whether something was changed for it."""
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


class ImportFindings(DiskBackedList[ImportFinding]):
    """Findings in order, however many; how many there are of each outcome is known without reading them."""

    def __init__(self) -> None:
        super().__init__(dump=ImportFinding.to_json, load=ImportFinding.from_json)
        self.counter: Counter[ImportOutcome] = Counter()

    def append(self, value: ImportFinding) -> None:
        super().append(value)
        self.counter[value.outcome] += 1


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What one file brought. `head` are the parts of the registry's head and of its people that changed."""

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
        """How many entries of each outcome there are, of those that there are."""
        return {str(outcome): self.count(outcome) for outcome in ImportOutcome if self.count(outcome)}

    @property
    def has_changes(self) -> bool:
        return bool(self.head) or any(self.count(outcome) for outcome in CHANGING_OUTCOMES)

    def to_json(self) -> Iterator[str]:
        """One JSON object, finding by finding: there may be more than memory holds."""
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
        if any(old for old, _ in self.head.values()):  # not in the first import, where all of it is new
            news.append(f"changed in the head: {', '.join(self.head)}")
        return (
            f"{self.name}, {dated}: {self.formal} formal and {self.informal} informal namespaces; "
            f"{', '.join(news) or 'its head is new'}."
        )
