"""A template as plain text: the template of Appendix A, at most 72 columns wide, ready to be mailed.

All thirteen sections are written, so that a reader sees what was left empty. A text stands at the margin
below its heading; when one of its lines could be taken for a heading, the whole text is indented instead.
"""

from registry.registration_template.parsing.line_folding import Line, fold
from registry.registration_template.parsing.registrant import MARGIN, format_registrant
from registry.registration_template.parsing.single_line_sections import format_identifier
from registry.registration_template.parsing.structure import is_structural
from registry.registration_template.sections import SECTIONS, Section
from registry.registration_template.template import RegistrationTemplate


def format_template(template: RegistrationTemplate) -> str:
    """The template in plain text; `parse_template` reads exactly this template back."""
    return "\n".join("\n".join([*_format_section(section, template), ""]) for section in SECTIONS)


def _format_section(section: Section, template: RegistrationTemplate) -> list[str]:
    match section.key:
        case "namespace_identifier":
            return _format_line(section, format_identifier(template.namespace_identifier))
        case "version":
            return _format_line(section, "" if template.version is None else str(template.version))
        case "date":
            return _format_line(section, template.date)
        case "registrant":
            return _format_block(section, format_registrant(template.registrant))
        case key:
            return _format_block(section, _format_text_section(key, getattr(template, key)))


def _format_line(section: Section, value: str) -> list[str]:
    return fold(f"{section.title}:  {value}") if value else [f"{section.title}:"]


def _format_block(section: Section, lines: list[str]) -> list[str]:
    return [f"{section.title}:", "", *lines] if lines else [f"{section.title}:"]


def _format_text_section(key: str, text: str) -> list[str]:
    if not text:
        return []
    lines = text.split("\n")
    numbered = [Line(number, line) for number, line in enumerate(lines)]
    margin = MARGIN if is_structural(key, numbered) else ""
    return [part for line in lines for part in (fold(line, margin) if line else [""])]
