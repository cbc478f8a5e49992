"""A submission as plain text: the template of Appendix A, at most 72 columns wide, ready to be mailed.

All thirteen sections are written, so that a reader sees what was left empty. A text stands at the margin
below its heading; when one of its lines could be taken for a heading, the whole text is indented instead.
"""

from registry.appendix_a.folding import Line, fold
from registry.appendix_a.identifiers import format_identifier
from registry.appendix_a.registrants import MARGIN, format_registrant
from registry.appendix_a.sections import SECTIONS, Section
from registry.appendix_a.structure import is_structural
from registry.appendix_a.submission import Submission


def format_text(submission: Submission) -> str:
    """The submission in plain text; `parse` reads exactly this submission back."""
    return "\n".join("\n".join([*_format_section(section, submission), ""]) for section in SECTIONS)


def _format_section(section: Section, submission: Submission) -> list[str]:
    match section.key:
        case "namespace_identifier":
            return _format_line(section, format_identifier(submission.namespace_identifier))
        case "version":
            return _format_line(section, "" if submission.version is None else str(submission.version))
        case "date":
            return _format_line(section, submission.date)
        case "registrant":
            return _format_block(section, format_registrant(submission.registrant))
        case key:
            return _format_block(section, _format_text(key, getattr(submission, key)))


def _format_line(section: Section, value: str) -> list[str]:
    return fold(f"{section.title}:  {value}") if value else [f"{section.title}:"]


def _format_block(section: Section, lines: list[str]) -> list[str]:
    return [f"{section.title}:", "", *lines] if lines else [f"{section.title}:"]


def _format_text(key: str, text: str) -> list[str]:
    if not text:
        return []
    lines = text.split("\n")
    numbered = [Line(number, line) for number, line in enumerate(lines)]
    margin = MARGIN if is_structural(key, numbered) else ""
    return [part for line in lines for part in (fold(line, margin) if line else [""])]
