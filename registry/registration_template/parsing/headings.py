"""The headings of sections in completed templates."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.parsing.section_names import (
    REFERENCES,
    HeadingRole,
    SectionName,
    canonical_name,
    find_section_name,
)

_HEADING = re.compile(
    r"""[ \t]*
    (?P<number>(?:[0-9]+(?:\.[0-9]+)*[.)]?|\([0-9a-z]{1,2}\)|[a-z]\)|[A-Z](?:\.[0-9]+)*[.)]|[IVX]{1,5}[.)]|[-*•o])[ \t]+)?
    (?P<name>[A-Za-z][A-Za-z0-9 /&(),-]{1,69}?)
    [ \t]*
    (?P<colon>:[ \t]*(?P<inline>.*))?""",
    re.VERBOSE | re.DOTALL,
)
_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)*\.?")
_UNDERLINE = re.compile(r"[ \t]*([=\-~^*_])\1{2,}")


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that begins a section or a part of one."""

    line: Line
    name: str  # its canonical name
    key: str
    role: HeadingRole
    form: str
    inline: str
    numbering: str  # the style of the number before the name, or ""

    @property
    def is_numbered(self) -> bool:
        return self.numbering != ""

    @property
    def is_references(self) -> bool:
        """Whether this is a numbered “References”."""
        return self.key == "documentation" and self.name in REFERENCES

    @property
    def is_additional(self) -> bool:
        """Whether this is an “Additional documentation”."""
        return self.name.startswith("additional")


def find_heading(line: Line, following: Line | None = None, *, is_numbered: bool = False) -> Heading | None:
    """The heading in a line, if there is one.

    A heading has a colon after its name, or is underlined in the next line, or is numbered in a document with
    numbered headings. The name begins with a capital letter, unless it has several words and belongs to one form only.
    """
    match = _HEADING.fullmatch(line.text)
    if match is None:
        return None
    numbering = _numbering_of(match["number"])
    if numbering and not is_numbered:
        return None
    if match["colon"] is None and numbering in ("", "bullet") and not is_underline(following):
        return None
    return _heading(line, match, numbering)


def find_bare_heading(line: Line) -> Heading | None:
    """The heading in a line that contains only the name of a section. Paragraphs can look the same."""
    match = _HEADING.fullmatch(line.text)
    return _heading(line, match, _numbering_of(match["number"])) if match and match["colon"] is None else None


def _heading(line: Line, match: re.Match[str], numbering: str) -> Heading | None:
    name = find_section_name(match["name"])
    if name is None or (match["name"][0].islower() and not (name.form and " " in match["name"])):
        return None
    if numbering and canonical_name(match["name"]) in REFERENCES:
        name = SectionName("documentation", HeadingRole.SECTION)
    return Heading(
        line, canonical_name(match["name"]), name.key, name.role, name.form, match["inline"] or "", numbering
    )


def _numbering_of(number: str | None) -> str:
    """The style of a number: headings of one document have the same."""
    text = (number or "").strip()
    if not text:
        return ""
    if text in "-*•o":
        return "bullet"
    return "decimal" if _DECIMAL.fullmatch(text) else "other"


def form_of(headings: Iterable[Heading]) -> str:
    """The RFC whose form a template with these headings has."""
    forms = {heading.form for heading in headings if heading.role is not HeadingRole.PART}
    return "3406" if "3406" in forms and "8141" not in forms else "8141"


def is_underline(line: Line | None) -> bool:
    """Whether a line only underlines the previous line."""
    return line is not None and _UNDERLINE.fullmatch(line.text) is not None
