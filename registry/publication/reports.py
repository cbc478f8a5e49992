"""What an import did, or would do: as values, in words, as JSON."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from registry.publication.spool import Spool

# What an entry or a head says, before and after, by the names of its parts.
Facts = Mapping[str, tuple[str, str]]


class Outcome(StrEnum):
    """What became of one entry."""

    ADDED = "added"
    CHANGED = "changed"
    RENAMED = "renamed"
    VANISHED = "vanished"
    REAPPEARED = "reappeared"
    KEPT_APART = "kept apart"
    CONFLICT = "conflict"
    OLDER = "older"


# Those for which something was changed.
WRITTEN = frozenset(Outcome) - {Outcome.CONFLICT, Outcome.OLDER}


@dataclass(frozen=True, slots=True)
class Finding:
    """One entry that is not as it was. `words` say what a person should know of it."""

    outcome: Outcome
    nid: str
    facts: Facts = field(default_factory=dict)
    words: str = ""

    @property
    def is_written(self) -> bool:
        """Whether something was changed for it."""
        return self.outcome in WRITTEN

    def to_json(self) -> dict[str, Any]:
        facts = {name: list(pair) for name, pair in self.facts.items()}
        return {"outcome": str(self.outcome), "nid": self.nid, "facts": facts, "words": self.words}

    def __str__(self) -> str:
        details = [self.words] if self.words else []
        if self.outcome in {Outcome.CHANGED, Outcome.CONFLICT, Outcome.OLDER}:
            details += [
                f"{name} {old or '(none)'} → {new or '(none)'}" for name, (old, new) in self.facts.items()
            ]
        return f"{self.outcome}: {self.nid}" + (f" ({'; '.join(details)})" if details else "")

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Finding":
        facts = {name: (was, will) for name, (was, will) in stored["facts"].items()}
        return cls(Outcome(stored["outcome"]), stored["nid"], facts, stored["words"])


class Findings(Spool[Finding]):
    """Findings in order, however many; how many there are of each outcome is known without reading them."""

    def __init__(self) -> None:
        super().__init__(dump=Finding.to_json, load=Finding.from_json)
        self.tally: Counter[Outcome] = Counter()

    def append(self, value: Finding) -> None:
        super().append(value)
        self.tally[value.outcome] += 1


@dataclass(frozen=True, slots=True)
class Report:
    """What one file brought. `head` are the parts of the registry's head and of its people that changed."""

    name: str
    digest: str
    updated: str
    formal: int
    informal: int
    findings: Findings
    head: Facts

    def count(self, outcome: Outcome) -> int:
        return self.findings.tally[outcome]

    @property
    def counts(self) -> dict[str, int]:
        """How many entries of each outcome there are, of those that there are."""
        return {str(outcome): self.count(outcome) for outcome in Outcome if self.count(outcome)}

    @property
    def has_changes(self) -> bool:
        return bool(self.head) or any(self.count(outcome) for outcome in WRITTEN)

    def to_json(self) -> Iterator[str]:
        """One JSON object, finding by finding: there may be more than memory holds."""
        facts = {
            "file": self.name,
            "sha256": self.digest,
            "updated": self.updated,
            "formal": self.formal,
            "informal": self.informal,
            "changed": self.has_changes,
            "counts": self.counts,
            "head": {name: list(pair) for name, pair in self.head.items()},
        }
        yield json.dumps(facts, ensure_ascii=False)[:-1] + ', "findings": ['
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
