"""A template as plain text in the form of Appendix A, at most 72 columns wide, for mail.

All sections are written, including empty ones. A text follows its heading without indentation. If one of its lines
could be parsed as a heading, the whole text is indented.
"""

import re
from dataclasses import replace
from typing import Any

from registry.registration_template.parsing.line_folding import Line, fold, unfold
from registry.registration_template.parsing.registrant import parse_registrant
from registry.registration_template.parsing.single_line_sections import SingleLineFields, read_identifier
from registry.registration_template.parsing.structure import is_structural
from registry.registration_template.sections import (
    SECTIONS,
    TEXT_SECTIONS,
    Registrant,
    Section,
    SectionFormat,
)
from registry.registration_template.template import RegistrationTemplate

UNNUMBERED_NID = "urn-n"
# Hosts and variables stay as they are.
_UNNUMBERED = re.compile(
    r"(https?://[^/\s]*|\{[^{}\s]*\})|(?<![A-Za-z0-9-])urn-n(?![A-Za-z0-9-])", re.IGNORECASE
)


def numbered(text: str, nid: str) -> str:
    """The text with `nid` in place of `urn-N`."""
    return _UNNUMBERED.sub(lambda found: found[1] or nid, text)


def numbered_template(template: RegistrationTemplate, nid: str) -> RegistrationTemplate:
    """The template with `nid` in place of `urn-N` in its texts, to which the registrant agrees at each submission."""
    texts: dict[str, Any] = {key: numbered(getattr(template, key), nid) for key in TEXT_SECTIONS}
    return replace(template, **texts)


_MARGIN = "   "
_FAST_TRACK_REQUESTED = "requested (RFC 8141, Section 6.3)"
_FAST_TRACK_NOT_REQUESTED = "not requested"


def format_template(template: RegistrationTemplate) -> str:
    """The template as plain text, from which `parse_exactly` returns an equal template."""
    return "\n".join("\n".join([*_format_section(section, template), ""]) for section in SECTIONS)


def _format_section(section: Section, template: RegistrationTemplate) -> list[str]:
    value = getattr(template, section.key)
    match section.format:
        case SectionFormat.IDENTIFIER:
            return _format_line(section, _format_identifier(value))
        case SectionFormat.VERSION:
            return _format_line(section, "" if value is None else str(value))
        case SectionFormat.DATE:
            return _format_line(section, value)
        case SectionFormat.REGISTRANT:
            return _format_block(section, format_registrant(value))
        case SectionFormat.TEXT:
            return _format_block(section, _format_text_section(section.key, value))


def _format_line(section: Section, value: str) -> list[str]:
    return fold(f"{section.title}:  {value}") if value else [f"{section.title}:"]


def _format_block(section: Section, lines: list[str]) -> list[str]:
    return [f"{section.title}:", "", *lines] if lines else [f"{section.title}:"]


def _format_text_section(key: str, text: str) -> list[str]:
    if not text:
        return []
    lines = text.split("\n")
    numbered = [Line(number, line) for number, line in enumerate(lines)]
    margin = _MARGIN if is_structural(key, numbered) else ""
    return [part for line in lines for part in (fold(line, margin) if line else [""])]


def _format_identifier(identifier: str) -> str:
    """The identifier in a form from which `read_identifier` returns it: in quotes if necessary."""
    if not identifier:
        return ""
    fields = SingleLineFields()
    read_identifier([Line(1, identifier)], fields)
    is_plain = fields.identifier == identifier and not fields.unplaced
    return identifier if is_plain else f'"{identifier}"'


def format_registrant(registrant: Registrant) -> list[str]:
    """The lines of the section Registrant, at most 72 columns wide unless a word is longer."""
    lines = [
        *_field("Organization", registrant.organization),
        *_block("Address", registrant.address),
        *_field("Contact person", registrant.contact_person),
        *_field("E-mail", registrant.email),
        *_field("Phone", registrant.phone),
        *_block("Postal address", registrant.postal_address),
    ]
    other = _block("Further information", registrant.other)
    if registrant.fast_track:
        lines += _field("Fast track", _FAST_TRACK_REQUESTED)
    elif parse_registrant("", unfold("\n".join(lines + other))).fast_track:
        lines += _field("Fast track", _FAST_TRACK_NOT_REQUESTED)
    return lines + other


def _field(label: str, value: str) -> list[str]:
    return fold(f"{label}:  {value}", _MARGIN) if value else []


def _block(label: str, value: str) -> list[str]:
    if not value:
        return []
    folded = [part for line in value.split("\n") for part in (fold(line, 2 * _MARGIN) if line else [""])]
    return [f"{_MARGIN}{label}:", *folded]
