"""Progress of a draft: the stage of each section, and the number of completed sections."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from registry.registration_template.checks.findings import Finding, Severity
from registry.registration_template.sections import Section
from registry.registration_template.template import RegistrationTemplate


class Stage(StrEnum):
    """The stage of a section."""

    DONE = "done"
    INCOMPLETE = "no content"
    NEEDS_FIXING = "needs fixing"
    TO_DO = "to do"
    OPTIONAL = "optional"
    AUTOMATIC = "automatic"


@dataclass(frozen=True, slots=True)
class Progress:
    """The numbers of required and completed sections, and of action points and answers."""

    done: int
    required: int
    points_answered: int = 0
    points: int = 0
    # Sections that are filled in but contain only “none” or “N/A”, with which the draft can be submitted.
    incomplete: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether the draft can be submitted."""
        return self.done + self.incomplete == self.required and self.points_answered == self.points


def stage_of(
    section: Section, template: RegistrationTemplate, findings: Sequence[Finding], *, is_required: bool
) -> Stage:
    """The stage of a section that the registrant completes, given its findings."""
    is_blocked = any(finding.severity is Severity.BLOCKING for finding in findings)
    if template.is_filled(section.key):
        says_nothing = any(finding.code == "says-nothing" for finding in findings)
        return Stage.NEEDS_FIXING if is_blocked else Stage.INCOMPLETE if says_nothing else Stage.DONE
    return Stage.TO_DO if is_required or is_blocked else Stage.OPTIONAL
