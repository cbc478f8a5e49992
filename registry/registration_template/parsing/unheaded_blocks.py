"""Registrants and grammars without a heading, beside the identifier, the version or the date.

They become the sections Registrant and Syntax, if the template has no heading for these.
"""

import re
from collections.abc import Sequence

from registry.registration_template.parsing.affiliation import EMAIL_ADDRESS
from registry.registration_template.parsing.headings import Heading
from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.parsing.registrant_labels import label_of
from registry.registration_template.parsing.section_names import ONE_LINE_SECTIONS, HeadingRole
from registry.registration_template.parsing.structure import Part

_EMAIL = re.compile(EMAIL_ADDRESS)
# A rule in ABNF, BNF or a similar notation, or the pattern of a name.
_GRAMMAR = re.compile(
    r"""\s*(?:
        <[A-Za-z][^<>]{0,60}>\s*(?:::?=|=)
        | [A-Za-z][A-Za-z0-9_-]{0,60}\s*(?:::=|=/|:=|=\s)
        | ["'<]?urn:[A-Za-z0-9-]{2,32}:[<{\[("']
    )""",
    re.VERBOSE | re.IGNORECASE,
)

_REGISTERED = re.compile(r"\s*(?:[-•*o]\s+)?(?:registration\s+)?(?:version|date)\b", re.IGNORECASE)


def place_unheaded_blocks(parts: Sequence[Part]) -> list[Part]:
    """The parts, with registrant and grammar moved from the one-line sections to parts of their own."""
    missing = {"registrant", "syntax"} - {part.key for part in parts if part.role is HeadingRole.SECTION}
    placed: list[Part] = []
    for part in parts:
        placed.append(part)
        if part.key in ONE_LINE_SECTIONS and missing:
            blocks = _take_blocks(part, missing)
            placed += [_part(key, lines) for key, lines in blocks.items()]
            missing -= blocks.keys()
    return placed


def _part(key: str, lines: list[Line]) -> Part:
    heading = Heading(lines[0], "", key, HeadingRole.SECTION, "", "", "")
    return Part(key, HeadingRole.SECTION, heading, lines=lines)


def _take_blocks(part: Part, missing: set[str]) -> dict[str, list[Line]]:
    """The lines of the missing sections, without the other lines of the part, which stay there."""
    blocks: dict[str, list[Line]] = {}
    stay: list[Line] = []
    for paragraph in _paragraphs(part.lines):
        kinds = (kind for line in paragraph if (kind := _kind_of(line)))
        key = next(kinds, next(reversed(blocks), ""))
        if key in missing:
            blocks.setdefault(key, []).extend(paragraph)
        else:
            stay += paragraph
    part.lines = stay
    return blocks


def _paragraphs(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines, divided before each blank line, each first label and each first rule of a grammar."""
    paragraphs: list[list[Line]] = [[]]
    current = ""
    for line in lines:
        kind = _kind_of(line)
        if line.is_blank or (kind and kind != current):
            paragraphs.append([])
            current = kind
        paragraphs[-1].append(line)
        current = current or kind
    return [each for each in paragraphs if each]


def _kind_of(line: Line) -> str:
    if _REGISTERED.match(line.text):
        return "registration"
    if _GRAMMAR.match(line.text):
        return "syntax"
    return "registrant" if _is_of_registrant(line) else ""


def _is_of_registrant(line: Line) -> bool:
    label = label_of(line)
    return bool(label and (label.field or label.group)) or _EMAIL.search(line.text) is not None
