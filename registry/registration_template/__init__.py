"""The registration template of RFC 8141, Appendix A, as a value. This app does not use the database."""

from registry.registration_template.checks.findings import Finding, ReferenceData, Severity
from registry.registration_template.checks.runner import check_template
from registry.registration_template.diff import compare_templates
from registry.registration_template.formatting import format_template
from registry.registration_template.parsing.parser import parse_template
from registry.registration_template.sections import SECTION_BY_KEY, SECTIONS, Registrant, Section
from registry.registration_template.template import RegistrationTemplate

__all__ = [
    "SECTIONS",
    "SECTION_BY_KEY",
    "Finding",
    "ReferenceData",
    "Registrant",
    "RegistrationTemplate",
    "Section",
    "Severity",
    "check_template",
    "compare_templates",
    "format_template",
    "parse_template",
]
