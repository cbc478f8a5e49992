"""The form: the registration template of RFC 8141, Appendix A, as a value. No database."""

from registry.appendix_a.checks import check
from registry.appendix_a.difference import compare
from registry.appendix_a.findings import Finding, Severity, Surroundings
from registry.appendix_a.formatting import format_text
from registry.appendix_a.parsing import parse
from registry.appendix_a.sections import SECTION_BY_KEY, SECTIONS, Section
from registry.appendix_a.submission import Registrant, Submission

__all__ = [
    "SECTIONS",
    "SECTION_BY_KEY",
    "Finding",
    "Registrant",
    "Section",
    "Severity",
    "Submission",
    "Surroundings",
    "check",
    "compare",
    "format_text",
    "parse",
]
