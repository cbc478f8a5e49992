"""The structure of a template in plain text: its headings, and the lines that belong to each.

The introduction above a template is its Purpose, if no section has that title. Registrants and grammars without a heading,
beside the identifier, the version or the date, become the sections Registrant and Syntax, if these have no heading.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from registry.registration_template.exceptions import MultipleTemplates, NoHeadings, TooManyHeadings
from registry.registration_template.parsing.headings import (
    ONE_LINE_SECTIONS,
    Heading,
    HeadingRole,
    add_missing_sections,
    find_heading,
    form_of,
    is_underline,
)
from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.parsing.registrant import EMAIL_ADDRESS, label_of
from registry.registration_template.sections import SECTIONS, SectionFormat

_INDENT_TOLERANCE = 1
_MAX_HEADINGS = 200
_TRAILER = re.compile(
    r"[ \t]*(?:\[\]|\([0-9/ .-]{6,12}\)|\((?:file )?(?:created|last updated|updated)\b[^)]*\))", re.IGNORECASE
)
# The sections that can contain additional parts.
_SECTIONS_WITH_ADDITIONS = frozenset(
    each.key for each in SECTIONS if each.format is SectionFormat.TEXT and not each.is_change_history
)


@dataclass(slots=True)
class Part:
    """The lines below one heading. `inline` is the text after the heading, on the same line."""

    key: str
    role: HeadingRole
    heading: Heading
    inline: str = ""
    lines: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class Structure:
    """The parts of one template, and the lines outside them."""

    parts: list[Part]
    before: list[Line]
    after: list[Line]
    repeated: list[Heading]
    form: str
    # Whether a section has the title “Documentation” or an equivalent one, in addition to any “References”.
    has_documentation: bool = False


def is_structural(key: str, lines: Sequence[Line]) -> bool:
    """Whether an unindented text in the section `key` would be parsed as something else."""
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        if line.indent > _INDENT_TOLERANCE:
            continue
        heading = find_heading(line, following)
        if heading is not None and not _is_part_of_section(heading, key):
            return True
        if _TRAILER.fullmatch(line.text):
            return True
    return False


def _is_part_of_section(heading: Heading, key: str) -> bool:
    """Whether a heading is only a line of the section that contains it."""
    if heading.role is HeadingRole.ADDITION:
        return key in _SECTIONS_WITH_ADDITIONS
    return heading.role is HeadingRole.PART and heading.key == key


def find_structure(lines: Sequence[Line]) -> Structure:
    """The structure of the template in a document."""
    headings = _find_headings(lines)
    starts = _find_starts(headings)
    if len(starts) > 1:
        places = ", ".join(str(heading.line.number) for heading in starts)
        raise MultipleTemplates(
            f"The text contains {len(starts)} templates, which begin in lines {places}. Enter one at a time.",
            line=starts[1].line.number,
        )
    return _split_into_parts(lines, headings)


def _find_headings(lines: Sequence[Line]) -> list[Heading]:
    """All headings in the style of the document: with the same indentation, and all or none numbered."""
    candidates = [
        heading
        for line, following in zip(lines, [*lines[1:], None], strict=True)
        if (heading := find_heading(line, following, is_numbered=True)) is not None
    ]
    first = next((each for each in candidates if each.key == "namespace_identifier"), None)
    sections = {each.key for each in candidates if each.role is HeadingRole.SECTION}
    if first is None:
        _check_heading_count(candidates)
    if first is None and len(sections) < 2:
        raise NoHeadings(
            "No section of the registration template was found. Begin each section with its name and a "
            "colon, such as “Namespace Identifier:” (RFC 8141, Appendix A)."
        )
    in_style = _in_style(first or candidates[0], candidates)
    _check_heading_count(in_style)
    return add_missing_sections(in_style, candidates, lines)


def _check_heading_count(headings: Sequence[Heading]) -> None:
    """Raise TooManyHeadings for a text that repeats section headings."""
    sections = [each for each in headings if each.role is HeadingRole.SECTION]
    if len(sections) > _MAX_HEADINGS:
        line = sections[_MAX_HEADINGS].line.number
        raise TooManyHeadings(
            f"More than {_MAX_HEADINGS} lines up to line {line} are section headings. "
            "A template contains each section once.",
            line=line,
        )


def _in_style(style: Heading, candidates: Sequence[Heading]) -> list[Heading]:
    """The headings in the style of the first one, or of most others if only few have that style."""
    own = [each for each in candidates if _is_in_style(each, style.numbering, style.line.indent)]
    others = [each for each in candidates if each is not style]
    if not others:
        return own
    (margin, _), *_ = Counter(each.line.indent for each in others).most_common(1)
    (numbering, _), *_ = Counter(each.numbering for each in others).most_common(1)
    rest = [each for each in candidates if each is style or _is_in_style(each, numbering, margin)]
    return rest if len({each.key for each in rest}) > 2 * len({each.key for each in own}) else own


def _is_in_style(heading: Heading, numbering: str, margin: int) -> bool:
    return heading.line.indent <= margin + _INDENT_TOLERANCE and heading.numbering in ("", numbering)


def _find_starts(headings: Sequence[Heading]) -> list[Heading]:
    """The headings that begin a template: an identifier followed by a registrant and a syntax."""
    starts: list[Heading] = []
    identifiers = [each for each in headings if each.key == "namespace_identifier"]
    for at, heading in enumerate(identifiers, start=1):
        following = identifiers[at] if at < len(identifiers) else None
        end = following.line.number if following else float("inf")
        own = {each.key for each in headings if heading.line.number < each.line.number < end}
        if not starts or {"registrant", "syntax"} <= own:
            starts.append(heading)
    return starts


def _split_into_parts(lines: Sequence[Line], headings: Sequence[Heading]) -> Structure:
    headings = _without_preamble(headings)
    by_number = {heading.line.number: heading for heading in headings}
    structure = Structure([], [], [], [], form_of(headings))
    structure.has_documentation = any(
        each.key == "documentation" and not each.is_references for each in headings
    )
    seen: set[str] = set()
    skip = None
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        if line is skip:
            continue
        heading = by_number.get(line.number)
        current = structure.parts[-1] if structure.parts else None
        part = _part_for(heading, current, seen, structure) if heading else None
        if part is not None:
            structure.parts.append(part)
            skip = following if part.role is HeadingRole.SECTION and is_underline(following) else None
        elif current is None:
            structure.before.append(line)
        else:
            current.lines.append(line)
    _cut_trailer(structure)
    return structure


def _without_preamble(headings: Sequence[Heading]) -> Sequence[Heading]:
    """The headings from the identifier on, and earlier ones if a section would otherwise be missing."""
    start = next((at for at, each in enumerate(headings) if each.key == "namespace_identifier"), 0)
    later = {each.key for each in headings[start:]}
    for at, heading in enumerate(headings[:start]):
        if heading.role is HeadingRole.SECTION and heading.key not in later:
            return headings[at:]
    return headings[start:]


def _part_for(heading: Heading, current: Part | None, seen: set[str], structure: Structure) -> Part | None:
    """The part that a heading begins, or None if it is only a line of the current part."""
    key = heading.key
    if heading.role in (HeadingRole.PART, HeadingRole.ADDITION):
        if current is not None and _is_part_of_section(heading, current.key):
            return None
        return Part(key, heading.role, heading, lines=[heading.line])
    if key == "documentation" and key in seen and heading.is_additional:
        key = "additional_information"
    if heading.is_references and (key in seen or structure.has_documentation):
        own = current is not None and current.key == key
        return None if own else Part(key, HeadingRole.PART, heading, lines=[heading.line])
    if key in seen:
        structure.repeated.append(heading)
        return None
    seen.add(key)
    return Part(key, heading.role, heading, inline=heading.inline)


def _cut_trailer(structure: Structure) -> None:
    """Remove notes about the file, such as “(created 2008-12-09)”, from the end."""
    lines = structure.parts[-1].lines
    while lines and (
        lines[-1].is_blank or (lines[-1].indent <= _INDENT_TOLERANCE and _TRAILER.fullmatch(lines[-1].text))
    ):
        line = lines.pop()
        if not line.is_blank:
            structure.after.insert(0, line)


_NUMBER = r"(?:(?:[0-9]+|[A-Z])(?:\.[0-9]+)*[.)]?[ \t]+)"
_INTRODUCTION = re.compile(
    rf"[ \t]*{_NUMBER}?(?:introduction|background|overview)[ \t]*(?::[ \t]*(?P<inline>.*))?", re.IGNORECASE
)
_NUMBERED = re.compile(rf"[ \t]*{_NUMBER}[A-Z].{{0,80}}")
_TITLE = re.compile(r"[ \t]*[A-Z].{0,80}[^.,;:!? \t]")


def place_introduction(structure: Structure) -> None:
    """Move the introduction from the lines above the template to the section Purpose, if that is missing."""
    if any(part.key == "purpose" and part.role is HeadingRole.SECTION for part in structure.parts):
        return
    lines = structure.before
    for at, line in enumerate(lines):
        match = _INTRODUCTION.fullmatch(line.text)
        if match is None or (match["inline"] is None and not _stands_alone(lines, at)):
            continue
        end = next((end for end in range(at + 1, len(lines)) if _is_title(lines, end, line)), len(lines))
        body = [each for each in lines[at + 1 : end] if not is_underline(each)]
        inline = match["inline"] or ""
        if inline or any(not each.is_blank for each in body):
            heading = Heading(line, "", "purpose", HeadingRole.SECTION, "", inline, "")
            structure.parts.insert(0, Part("purpose", HeadingRole.SECTION, heading, inline, body))
            structure.before = [*lines[:at], *lines[end:]]
            return


def _stands_alone(lines: Sequence[Line], at: int) -> bool:
    following = lines[at + 1] if at + 1 < len(lines) else None
    return following is None or following.is_blank or is_underline(following)


def _is_title(lines: Sequence[Line], at: int, introduction: Line) -> bool:
    """Whether the line is a title after the introduction: numbered, underlined, or a line of its own."""
    line = lines[at]
    if line.is_blank or line.indent > introduction.indent or not lines[at - 1].is_blank:
        return False
    if not _stands_alone(lines, at):
        return False
    return _NUMBERED.fullmatch(line.text) is not None or _TITLE.fullmatch(line.text) is not None


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
