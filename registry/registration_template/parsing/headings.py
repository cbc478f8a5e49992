"""The headings of sections in completed templates, in the format of RFC 8141 and in that of RFC 3406.

Only the names of sections are headings: templates contain many other lines that end in a colon, such as "Address:".

A section may have a heading that is not in the style of the document: it is indented, numbered or punctuated in another way than the others, or stands alone without a colon.
In a text with the heading of its section, the same line is text.
"""

import re
from bisect import bisect
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.sections import SECTIONS, SectionFormat

# The sections of one line, and the one of two lines that has the place of some of them in the format of RFC 3406.
ONE_LINE_SECTIONS = frozenset(
    {"registration", *(each.key for each in SECTIONS if each.format is not SectionFormat.TEXT)}
) - {"registrant"}
# Additions of registrants. With a number, they are the documentation.
REFERENCES = ("references", "normative references", "informative references")

_OWN_ASSIGNMENT = re.compile(r"[A-Z0-9-]{2,32} assignment")


class HeadingRole(Enum):
    """The role of a heading."""

    SECTION = "begins a section of the template"
    PART = "begins a part of a section, and stays in its text"
    ADDITION = "begins an additional part, which stays in the current section if possible"
    REGISTRATION = "begins version and date in the format of RFC 3406"


@dataclass(frozen=True, slots=True)
class SectionName:
    """One name of a section."""

    key: str
    role: HeadingRole
    form: str = ""


# Words that are used interchangeably, and words that are often left out.
_CANONICAL_WORDS = {
    "identifiers": "identifier",
    "namespaces": "namespace",
    "registrants": "registrant",
    "structures": "structure",
    "considerations": "consideration",
    "mechanisms": "mechanism",
    "rule": "rules",
    "for": "of",
    "conformity": "conformance",
    "compliance": "conformance",
    "to": "with",
    "documents": "documentation",
    "the": "",
}


def canonical_name(name: str) -> str:
    """The canonical spelling of a name, used for lookups."""
    words = (_CANONICAL_WORDS.get(word, word) for word in name.lower().split())
    return " ".join(word for word in words if word)


def _names(key: str, role: HeadingRole, form: str, *names: str) -> dict[str, SectionName]:
    return {canonical_name(name): SectionName(key, role, form) for name in names}


# Sections that only one format has identify the format.
_SECTION_TITLES = {
    canonical_name(each.title): SectionName(
        each.key, HeadingRole.SECTION, "" if each.in_older_form else "8141"
    )
    for each in SECTIONS
}

# The keys are canonical names.
SECTION_NAMES: dict[str, SectionName] = {
    **_SECTION_TITLES,
    **_names(
        "namespace_identifier",
        HeadingRole.SECTION,
        "",
        "namespace indentifier",  # in a published template
        "namespace identifier (nid)",
        "namespace id",
        "namespace id (nid)",
        "namespaceid",
        "urn namespace identifier",
        "urn namespace id",
    ),
    **_names(
        "version",
        HeadingRole.SECTION,
        "",
        "registration version",
        "registration version number",
        "version number",
    ),
    **_names("date", HeadingRole.SECTION, "", "registration date"),
    **_names("registrant", HeadingRole.SECTION, "", "registrant information"),
    **_names(
        "registrant",
        HeadingRole.SECTION,
        "3406",
        "declared registrant of the namespace",
        "declared registrant",
        "registrant of the namespace",
    ),
    **_names(
        "security_and_privacy",
        HeadingRole.SECTION,
        "8141",
        "security and privacy considerations",
        "security & privacy",
    ),
    **_names("security_and_privacy", HeadingRole.SECTION, "", "security considerations", "security"),
    **_names("interoperability", HeadingRole.SECTION, "8141", "interoperability considerations"),
    **_names(
        "documentation",
        HeadingRole.SECTION,
        "8141",
        "additional documentation",
        "additional documentation / information",
        "additional documentation/information",
    ),
    **_names("revision_information", HeadingRole.SECTION, "8141", "revision history"),
    **_names("revision_information", HeadingRole.SECTION, "", "change history"),
    # RFC 2611 and RFC 3406, Appendix A.
    **_names("registration", HeadingRole.REGISTRATION, "3406", "registration information"),
    **_names(
        "syntax",
        HeadingRole.SECTION,
        "3406",
        "declaration of structure",
        "declaration of structure of nss",
        "declaration of namespace structure",
        "declaration of syntactic structure",
        "declaration of syntactic structure of nss",
        "declaration of syntactic structure of nss part",
        "declaration of syntax",
        "syntactic structure",
    ),
    **_names(
        "documentation",
        HeadingRole.SECTION,
        "3406",
        "relevant ancillary documentation",
        "relevant ancillary information",
        "ancillary documentation",
    ),
    **_names(
        "resolution",
        HeadingRole.SECTION,
        "3406",
        "process of identifier resolution",
        "process of resolution",
        "identifier resolution",
        "identifier resolution process",
    ),
    **_names(
        "assignment",
        HeadingRole.PART,
        "3406",
        "identifier uniqueness considerations",
        "identifier uniqueness",
        "identifier and namespace uniqueness considerations",
        "uniqueness considerations",
        "identifier persistence considerations",
        "identifier persistence",
        "identifier and namespace persistence considerations",
        "persistence considerations",
        "process of identifier assignment",
        "process of identifier and namespace assignment",
        "process of assignment of identifiers",
        "identifier assignment",
        "identifier assignment process",
    ),
    **_names(
        "syntax",
        HeadingRole.PART,
        "3406",
        "rules for lexical equivalence",
        "rules for lexical equivalence of nss",
        "rules for lexical equivalence of nss part",
        "lexical equivalence",
        "lexical equivalence rules",
        "conformance with urn syntax",
        "usage of query part",
        "usage of fragment part",
    ),
    **_names(
        "purpose",
        HeadingRole.PART,
        "3406",
        "scope",
        "scope / kind of named resources",
        "scope and applicability",
        "scope of namespace",
        "namespace scope",
        # Sections of RFC 3406 documents that some templates contain; RFC 8141, Section 6.4.1, covers both.
        "community considerations",
        "namespace considerations",
        "namespace considerations and community considerations",
    ),
    **_names("additional_information", HeadingRole.PART, "3406", "validation mechanism", "validation method"),
    # Sections that registrants have added to either format.
    **_names("purpose", HeadingRole.ADDITION, "", "background", "benefits", "overview", "introduction"),
    **_names(
        "syntax",
        HeadingRole.PART,
        "",
        "rules for equivalence",
        "rules for semantic equivalence",
        "rules for urn-equivalence",
        "character case and urn-equivalence",
        "character set",
        "encoding considerations",
        "encoding considerations and lexical equivalence",
    ),
    **_names("assignment", HeadingRole.PART, "", "uniqueness", "persistence"),
    **_names(
        "additional_information",
        HeadingRole.ADDITION,
        "",
        *REFERENCES,
    ),
}


def find_section_name(text: str) -> SectionName | None:
    """The section with this name."""
    name = " ".join(text.split())
    if _OWN_ASSIGNMENT.fullmatch(name):
        return SectionName("assignment", HeadingRole.SECTION)
    return SECTION_NAMES.get(canonical_name(name))


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


_SECTION_ROLES = (HeadingRole.SECTION, HeadingRole.REGISTRATION)


def add_missing_sections(
    in_style: Sequence[Heading], candidates: Sequence[Heading], lines: Sequence[Line]
) -> list[Heading]:
    """The headings in the style of the document, and others of sections that would be missing without them."""
    found = {each.key for each in in_style if each.role in _SECTION_ROLES}
    has_registration = "registration" in found
    found |= {"registration"} if found & {"version", "date"} else set()
    found |= {each.name for each in in_style if each.role is HeadingRole.PART}
    is_older = form_of(in_style) == "3406"
    numbers = {each.line.number for each in in_style}
    added: list[Heading] = []
    for at, other in _others(numbers, candidates, lines):
        is_part = is_older and other.role is HeadingRole.PART and other.form == "3406"
        identity = other.name if is_part else other.key
        if identity in found or not (is_part or other.role in _SECTION_ROLES):
            continue
        before = _last_before(other, in_style, added)
        if has_registration and _is_in_registration(other, before):
            continue
        if _is_separate(other, before, is_below_blank=_is_blank(lines, at - 1)):
            added.append(other)
            found.add(identity)
    return sorted([*in_style, *added], key=lambda each: each.line.number)


def _others(
    numbers: Container[int], candidates: Sequence[Heading], lines: Sequence[Line]
) -> Iterator[tuple[int, Heading]]:
    """The possible headings in another style, with their index. Without a colon, a heading stands alone."""
    with_mark = {each.line.number: each for each in candidates}
    for at, line in enumerate(lines):
        if line.number in numbers:
            continue
        heading = with_mark.get(line.number)
        if heading is not None and ":" in line.text:
            yield at, heading
        elif _is_blank(lines, at + 1) and (bare := find_bare_heading(line)):
            yield at, bare


def _is_separate(heading: Heading, before: Heading | None, *, is_below_blank: bool) -> bool:
    """Whether a line is no part of the text above it.

    A name that only one form has, with a colon at the end of the line, is a heading even directly below a text.
    """
    if before is None:
        return heading.key == "namespace_identifier"
    is_unambiguous = bool(heading.form) and heading.line.text.endswith(":")
    return is_below_blank or is_unambiguous or before.key in ONE_LINE_SECTIONS


def _is_in_registration(heading: Heading, before: Heading | None) -> bool:
    """Whether this is a version or a date in the Registration Information, or in a text."""
    is_beside = before is not None and before.key in ("version", "date")
    return heading.key in ("version", "date") and not is_beside


def _last_before(heading: Heading, in_style: Sequence[Heading], added: Sequence[Heading]) -> Heading | None:
    """The last heading above this one. `added` contains only headings above it."""
    at = bisect(in_style, heading.line.number, key=lambda each: each.line.number)
    above = [*in_style[max(0, at - 1) : at], *added[-1:]]
    return max(above, key=lambda each: each.line.number) if at else None


def _is_blank(lines: Sequence[Line], at: int) -> bool:
    return not 0 <= at < len(lines) or lines[at].is_blank
