"""The introduction above a template, which is its Purpose if the template has no section with that title."""

import re
from collections.abc import Sequence

from registry.registration_template.parsing.headings import Heading, is_underline
from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.parsing.section_names import HeadingRole
from registry.registration_template.parsing.structure import Part, Structure

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
