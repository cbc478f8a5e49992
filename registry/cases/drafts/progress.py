"""How much of a draft is done: what each section still wants, and how many of the required ones are complete."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from registry.registration_template.checks.findings import Finding, Severity
from registry.registration_template.sections import Section
from registry.registration_template.template import RegistrationTemplate


class Stage(StrEnum):
    """Where one section stands."""

    DONE = "done"
    TO_MEND = "needs fixing"
    TO_WRITE = "to do"
    OPTIONAL = "optional"
    AUTOMATIC = "automatic"


@dataclass(frozen=True, slots=True)
class Progress:
    """Of the sections that have to be written, how many are; of the action points, how many are answered."""

    done: int
    required: int
    points_answered: int = 0
    points: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether nothing keeps the draft from being submitted."""
        return self.done == self.required and self.points_answered == self.points


def stage_of(
    section: Section, template: RegistrationTemplate, findings: Sequence[Finding], *, is_required: bool
) -> Stage:
    """The stage of a section that the registrant writes; `findings` are those of this section."""
    is_blocked = any(finding.severity is Severity.BLOCKING for finding in findings)
    if template.is_filled(section.key):
        return Stage.TO_MEND if is_blocked else Stage.DONE
    return Stage.TO_WRITE if is_required or is_blocked else Stage.OPTIONAL
