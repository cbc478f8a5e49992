"""Findings of template checks, and the facts about the registry that the checks use."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from registry.registration_template.nids.report import NIDReport
from registry.registration_template.sections import SECTION_BY_KEY, Kind, Registrant
from registry.registration_template.template import RegistrationTemplate
from urnsyntax import URN


class Severity(StrEnum):
    """Whether a finding prevents submission."""

    BLOCKING = "blocking"
    ADVICE = "advice"


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check, with its section and rule. `code` is stable; `message` is for people. `field` is the
    detail of the registrant that it is about, if it is about one.
    """

    section: str
    severity: Severity
    code: str
    message: str
    reference: str
    field: str = ""

    def to_json(self) -> dict[str, str]:
        """The fields as JSON types."""
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

    `nid_report` is the report on the requested NID; without it, only the syntax of the NID is checked.
    `registered_nids` are the registered NIDs among those in examples, in lower case. `revised_nid` and
    `revised_version` are the namespace and the version that a revision replaces. `example_rule` returns how a
    URN breaks the rules of the namespace, as a sentence, or "". `former_contact` is the section Registrant that a former
    registrant wrote.
    """

    nid_report: NIDReport | None = None
    registered_nids: frozenset[str] = frozenset()
    revised_nid: str = ""
    revised_version: int | None = None
    example_rule: Callable[[URN], str] | None = None
    former_contact: Registrant | None = None


@dataclass(frozen=True, slots=True)
class CheckContext:
    """The template and the facts that the checks use."""

    template: RegistrationTemplate
    kind: Kind
    fast_track: bool
    is_revision: bool
    reference_data: ReferenceData
    older_form: bool = False


def blocking(section: str, code: str, message: str, reference: str = "", *, field: str = "") -> Finding:
    """A finding that prevents submission."""
    reference = reference or SECTION_BY_KEY[section].reference
    return Finding(section, Severity.BLOCKING, code, message, reference, field)


def advice(section: str, code: str, message: str, reference: str = "") -> Finding:
    """A finding that does not prevent submission, and that an expert can dismiss."""
    return Finding(section, Severity.ADVICE, code, message, reference or SECTION_BY_KEY[section].reference)
