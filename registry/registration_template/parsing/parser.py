"""The parser for completed templates in plain text, in the formats of RFC 8141 and RFC 3406.

No text is lost: every line that is neither blank nor a heading is in a section, among the unplaced lines, or named by a
change that restoring made.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from types import MappingProxyType
from typing import Literal

from registry.core.validators import UNSTORABLE, shortened
from registry.registration_template.exceptions import InputTooLong, NotPlainText
from registry.registration_template.normal_form import LINE_BREAK, normalize_text
from registry.registration_template.parsing.headings import HeadingRole
from registry.registration_template.parsing.line_folding import Line, unfold
from registry.registration_template.parsing.registrant import parse_registrant
from registry.registration_template.parsing.single_line_sections import (
    SingleLineFields,
    read_date,
    read_identifier,
    read_registration,
    read_version,
)
from registry.registration_template.parsing.structure import (
    Part,
    Structure,
    find_structure,
    place_introduction,
    place_unheaded_blocks,
)
from registry.registration_template.restoration.changes import Change
from registry.registration_template.restoration.restoring import restore
from registry.registration_template.sections import TEXT_SECTIONS, Registrant
from registry.registration_template.template import RegistrationTemplate

MAX_INPUT_LENGTH = 1_000_000
MAX_LINES = 300_000  # more than any template of `normal_form.MAX_CHARACTERS` has
# Notes on an unreadable template would fill a page.
MAX_NOTES = 300
MAX_NOTE_LENGTH = 500


@dataclass(frozen=True, slots=True)
class UnplacedLine:
    """A line that is not part of the template, and the reason."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class ParserRemark:
    """A note about how a line was parsed."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class ParsedTemplate:
    """The result of parsing. `lines` contains the line in which each section begins; `changes`, the damage that was undone."""

    template: RegistrationTemplate
    form: Literal["8141", "3406"]
    unplaced: tuple[UnplacedLine, ...]
    remarks: tuple[ParserRemark, ...]
    lines: Mapping[str, int]
    changes: tuple[Change, ...] = ()

    @property
    def unplaced_notes(self) -> tuple[UnplacedLine, ...]:
        """The first unplaced lines, with the beginning of each."""
        first = self.unplaced[:MAX_NOTES]
        return tuple(replace(each, text=shortened(each.text, MAX_NOTE_LENGTH)) for each in first)

    @property
    def left_out(self) -> int:
        """The number of unplaced lines that are not in `unplaced_notes`."""
        return len(self.unplaced) - len(self.unplaced_notes)


def parse_template(text: str, keep: Collection[str] = ()) -> ParsedTemplate:
    """Parse the template in a text that people pasted or mailed, after its damage is undone.

    `keep` are the kinds of damage (`restoration.changes.Kind`) that are no damage in this text. All places are lines of
    the original text. Raises UnreadableTemplate or InvalidTemplate.
    """
    _check_readable(text)
    restored = restore(text, keep)
    if not restored.changes:
        return parse_exactly(text)
    _check_readable(restored.text)
    lines = unfold(restored.text)
    origins = restored.origins
    is_line_by_line = all(before < after for before, after in pairwise(origins))
    if is_line_by_line:
        lines = [replace(line, number=origins[line.number - 1]) for line in lines]
    parsed = replace(_read(find_structure(lines)), changes=restored.changes)
    return parsed if is_line_by_line else _placed(parsed, origins)


def _placed(parsed: ParsedTemplate, origins: Sequence[int]) -> ParsedTemplate:
    """The result with lines of the original text in place of those of the restored one."""
    return replace(
        parsed,
        unplaced=tuple(replace(each, line=origins[each.line - 1]) for each in parsed.unplaced),
        remarks=tuple(replace(each, line=origins[each.line - 1]) for each in parsed.remarks),
        lines=MappingProxyType({key: origins[line - 1] for key, line in parsed.lines.items()}),
    )


def parse_exactly(text: str) -> ParsedTemplate:
    """Parse a text as it is, such as one that `format_template` wrote. Raises UnreadableTemplate or InvalidTemplate."""
    _check_readable(text)
    return _read(find_structure(unfold(text.lstrip("\ufeff"))))


def _check_readable(text: str) -> None:
    if text.startswith("{\\rtf"):
        raise NotPlainText("The text is in Rich Text Format (RTF). Save it as plain text in UTF-8.", line=1)
    if len(text) > MAX_INPUT_LENGTH:
        raise InputTooLong(
            f"The text has {len(text):,} characters; the limit is {MAX_INPUT_LENGTH:,}. "
            "Enter only the completed template, and cite longer documents under Documentation."
        )
    if any(islice(LINE_BREAK.finditer(text), MAX_LINES, None)):
        raise InputTooLong(f"The text has more than {MAX_LINES:,} lines. Enter only the completed template.")
    if bad := UNSTORABLE.search(text):
        line = len(LINE_BREAK.split(text[: bad.start()]))
        raise NotPlainText(
            f"The text contains the character U+{ord(bad[0]):04X} in line {line}, but a template is plain text. "
            "Export it as plain text in UTF-8.",
            line=line,
        )


def _read(structure: Structure) -> ParsedTemplate:
    place_introduction(structure)
    structure.parts = place_unheaded_blocks(structure.parts)
    fields = SingleLineFields()
    registrant = Registrant()
    for part in structure.parts:
        match part.key:
            case "namespace_identifier":
                read_identifier(_lines_of(part), fields)
            case "version":
                read_version(_lines_of(part), fields)
            case "date":
                read_date(_lines_of(part), fields)
            case "registration":
                read_registration(_lines_of(part), fields)
            case "registrant":
                registrant = parse_registrant(part.inline.strip(" \t"), part.lines)
    template = RegistrationTemplate(
        namespace_identifier=fields.identifier,
        version=fields.version,
        date=fields.date,
        registrant=registrant,
        **{key: _text_of(key, structure.parts) for key in TEXT_SECTIONS},
    )
    return ParsedTemplate(
        template,
        "3406" if structure.form == "3406" else "8141",
        _unplaced(structure, fields),
        _remarks(structure, fields),
        MappingProxyType(_starts(structure.parts)),
    )


def _starts(parts: Sequence[Part]) -> dict[str, int]:
    """The first line of each section. In the format of RFC 3406, version and date share a heading."""
    starts: dict[str, int] = {}
    for part in sorted(parts, key=lambda part: part.role is not HeadingRole.SECTION):
        keys = ("version", "date") if part.role is HeadingRole.REGISTRATION else (part.key,)
        for key in keys:
            starts.setdefault(key, part.heading.line.number)
    return starts


def _lines_of(part: Part) -> list[Line]:
    inline = [Line(part.heading.line.number, part.inline)] if part.inline else []
    return [*inline, *part.lines]


def _text_of(key: str, parts: Sequence[Part]) -> str:
    """The text under the section's own heading, followed by the parts under other headings."""
    own = [part for part in parts if part.key == key]
    in_order = sorted(own, key=lambda part: part.role is not HeadingRole.SECTION)
    return "\n\n".join(text for part in in_order if (text := _text_of_part(part)))


def _text_of_part(part: Part) -> str:
    text = normalize_text("\n".join(line.text for line in part.lines))
    gap = "\n\n" if part.lines and part.lines[0].is_blank else "\n"
    return normalize_text(f"{part.inline}{gap}{text}") if part.inline else text


def _unplaced(structure: Structure, fields: SingleLineFields) -> tuple[UnplacedLine, ...]:
    lines = [
        *((line, "before the first section") for line in structure.before if not line.is_blank),
        *fields.unplaced,
        *((line, "note about the file") for line in structure.after),
    ]
    return tuple(UnplacedLine(line.number, line.text.strip(" \t"), reason) for line, reason in lines)


def _remarks(structure: Structure, fields: SingleLineFields) -> tuple[ParserRemark, ...]:
    repeated = [
        (heading.line, "This section heading occurs again; the line is read as text.")
        for heading in structure.repeated
    ]
    return tuple(ParserRemark(line.number, message) for line, message in [*fields.remarks, *repeated])
