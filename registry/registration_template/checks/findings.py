"""What a check of a template says, and what it may know about the registry around it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from registry.registration_template.nids.report import NIDReport
from registry.registration_template.sections import SECTION_BY_KEY, Kind
from registry.registration_template.template import RegistrationTemplate
from urnsyntax import URN


class Severity(StrEnum):
    """Whether a template can go on with a finding."""

    BLOCKING = "blocking"
    ADVICE = "advice"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to do: in which section, by which rule. `code` is stable, `message` is for people."""

    section: str
    severity: Severity
    code: str
    message: str
    reference: str

    def to_json(self) -> dict[str, str]:
        """Plain JSON types."""
        return {
            "section": self.section,
            "severity": self.severity.value,
            "code": self.code,
            "message": self.message,
            "reference": self.reference,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceData:
    """The facts about the registry that a template is checked against.

    `nid_report` is on the NID that the template asks for; without it, only the syntax of the NID is checked.
    `registered_nids` are those of the NIDs in examples that are registered, in lower case. `revised_nid` and
    `revised_version` are the namespace and the version that a revision replaces. `example_rule` returns why a
    URN breaks the rules of the namespace, or None.
    """

    nid_report: NIDReport | None = None
    registered_nids: frozenset[str] = frozenset()
    revised_nid: str = ""
    revised_version: int | None = None
    example_rule: Callable[[URN], str | None] | None = None


@dataclass(frozen=True, slots=True)
class CheckContext:
    """One template in its circumstances, as every check sees it."""

    template: RegistrationTemplate
    kind: Kind
    fast_track: bool
    is_revision: bool
    reference_data: ReferenceData


def blocking(section: str, code: str, message: str, reference: str = "") -> Finding:
    """A finding that nobody can set aside."""
    return Finding(section, Severity.BLOCKING, code, message, reference or SECTION_BY_KEY[section].reference)


def advice(section: str, code: str, message: str, reference: str = "") -> Finding:
    """A finding that an expert can set aside."""
    return Finding(section, Severity.ADVICE, code, message, reference or SECTION_BY_KEY[section].reference)
