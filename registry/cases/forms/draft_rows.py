"""The rows of the form of a draft: its sections, and the action points with their answers."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.forms import BoundField

from registry.cases.drafts.progress import Stage
from registry.cases.drafts.replies import DraftReply
from registry.cases.models import ActionPoint
from registry.registration_template.checks.examples import Example
from registry.registration_template.checks.findings import Finding, Severity
from registry.registration_template.nids.report import NIDReport
from registry.registration_template.sections import Section
from registry.registration_template.urn_parts import URNPart, split_urn


@dataclass(frozen=True, slots=True)
class ShownExample:
    """A URN in a text, with its parts or its error."""

    example: Example

    def parts(self) -> Iterator[URNPart]:
        return split_urn(self.example.urn) if self.example.urn else iter(())


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A section of the form: its fields, guidance, findings and action points."""

    section: Section
    guidance: tuple[str, ...]
    fields: tuple[BoundField, ...]
    findings: tuple[Finding, ...]
    points: tuple[ActionPoint, ...]
    examples: tuple[ShownExample, ...]
    nid: NIDReport | None
    is_required: bool
    stage: Stage
    is_checked: bool

    @property
    def shown_findings(self) -> tuple[Finding, ...]:
        """The findings, but for those on an empty section before a check."""
        return self.findings if self.is_checked or self.stage not in {Stage.TO_DO, Stage.OPTIONAL} else ()

    @property
    def is_advised(self) -> bool:
        """Whether there is advice, and nothing to fix before it."""
        return self.stage is not Stage.NEEDS_FIXING and any(
            finding.severity is Severity.ADVICE for finding in self.shown_findings
        )

    @property
    def is_open(self) -> bool:
        """Whether the section is open on a phone from the beginning: it has an error or an action point."""
        has_error = any(field.errors for field in self.fields)
        is_blocked = any(finding.severity is Severity.BLOCKING for finding in self.shown_findings)
        return has_error or is_blocked or bool(self.points)

    @property
    def remarks(self) -> tuple[Finding, ...]:
        """The findings to show below the fields."""
        reported = self.nid.finding.code if self.nid else ""
        return tuple(each for each in self.shown_findings if each.code != reported and not each.field)

    @property
    def shown_fields(self) -> Iterator[tuple[BoundField, tuple[Finding, ...]]]:
        """The fields, each with the findings to show beside it."""
        for field in self.fields:
            yield (
                field,
                tuple(each for each in self.shown_findings if field.name == f"registrant_{each.field}"),
            )


@dataclass(frozen=True, slots=True)
class PointRow:
    """An action point on the form, with the fields of its answer."""

    point: ActionPoint
    outcome: BoundField
    text: BoundField
    reply: DraftReply
    is_checked: bool

    @property
    def is_missing(self) -> bool:
        return self.is_checked and not self.reply.is_complete
