"""The report on a NID: its status, the reason, and similar names (RFC 8141, Section 5.1)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from registry.registration_template.nids.rules import (
    IN_USE,
    RULES,
    KnownNIDs,
    NIDAvailability,
    NIDFinding,
    RegisteredNamespace,
    SightedUse,
)
from urnsyntax import InvalidNID


@dataclass(frozen=True)
class NIDReport:
    """The report on one NID. `finding` is the reason for its status; similar names do not affect it.

    `nid` is in lower case unless it is malformed. `resembles` is looked up on first use.
    """

    nid: str
    status: NIDAvailability
    finding: NIDFinding
    known: KnownNIDs

    @property
    def section(self) -> str:
        return self.finding.section

    @property
    def reason(self) -> str:
        return self.finding.reason

    @property
    def fault(self) -> InvalidNID | None:
        """The syntax error of a malformed NID."""
        return self.finding.fault

    @property
    def namespace(self) -> RegisteredNamespace | None:
        """The namespace with the NID."""
        return self.finding.namespace

    @property
    def cases(self) -> tuple[int, ...]:
        """The open cases that request the NID."""
        return self.finding.cases

    @cached_property
    def resembles(self) -> tuple[NIDFinding, ...]:
        """The names that the NID could be confused with."""
        return tuple(self._resembles())

    @cached_property
    def sightings(self) -> Sequence[SightedUse]:
        """The public sightings of a NID without a namespace, also of one that breaks the grammar."""
        return () if self.namespace else self.known.sightings(self.nid.lower())

    @property
    def similar(self) -> list[NIDFinding]:
        """What the NID resembles besides its own uses, which `sightings` has."""
        return [each for each in self.resembles if each.code != IN_USE]

    def _resembles(self) -> Iterator[NIDFinding]:
        if self.status in {NIDAvailability.MALFORMED, NIDAvailability.REGISTERED}:
            return
        for rule in RULES:
            if rule.status is None and (self.status.is_requestable or rule.for_unregistrable):
                yield from rule.find(self.nid, self.known, rule.section)


def report_on(nid: str, known: KnownNIDs) -> NIDReport:
    """Apply the rules to any text. The last rule with a status always applies."""
    for rule in RULES:
        if rule.status is None:
            continue
        # The first rule checks the syntax. Its message shows the text as typed.
        text = nid if rule is RULES[0] else nid.lower()
        for finding in rule.find(text, known, rule.section):
            return NIDReport(text, rule.status, finding, known)
    raise AssertionError("no rule gave a status")
