"""Labels of sections in other forms than “Label:”, such as Markdown, tables, bullets and lower case."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from registry.registration_template.parsing.headings import (
    SECTION_NAMES,
    HeadingRole,
    SectionName,
    canonical_name,
    find_heading,
    find_section_name,
)
from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.parsing.registrant import label_of
from registry.registration_template.restoration.changes import SPACE, UNSEEN_IN_LABELS, Kind, Log
from registry.registration_template.sections import SECTION_BY_KEY, SECTIONS

_OTHER_COLON = "other colon"
_COLON = "[:\uff1a\ufe55\u2236\ua789]"
_BULLETS = "-*+\u00a7\u00b7\u2010-\u2015\u2022\u2023\u203b\u2043\u2190-\u21ff\u2212\u2219\u25a0-\u27bf\u27a1\uf000-\uf0ff\U0001f300-\U0001faff"
_LOOSE = re.compile(
    rf"""
    (?P<indent>[ \t]*)
    (?P<mark>(?:(?:[{_BULLETS}][ \t]+(?:\[[ xX]\][ \t]+)?|\*{{2,6}}[ \t]+|\.(?=[A-Z])
        |[\u2022\u00b7\u25e6\uf0b7\uf0a7\uf0d8]
        |\#{{1,6}}[ \t]*|={{1,6}}[ \t]*|\|{{1,2}}[ \t]*|![ \t]*|;[ \t]*|h[1-6]\.[ \t]+|:(?=[A-Za-z*_]))){{0,3}})
    (?P<number>(?:(?:section[ \t]+)?[0-9]{{1,2}}(?:\.[0-9]{{1,2}}){{0,3}}(?:[.):]|[ \t]+[-\u2013])?
        |\([0-9a-z]{{1,4}}\)|\[[0-9]{{1,2}}\]|[a-zA-Z][.)]|[ivxIVX]{{2,5}}[.)])[ \t]+)?
    (?P<emphasis>[*_`]{{1,3}}|"|)
    (?P<name>[A-Za-z][A-Za-z0-9 /&(),-]{{1,69}}?)[ ]*+
    (?:
        (?P<inner>{_COLON}{{1,2}})[ \t]*(?P=emphasis)[ \t]*
        |(?P=emphasis)(?P<sep>[ \t]*{_COLON}{{1,2}}|(?<=[ \t])(?:[-=]?>|\u2192|=|-|\u2013|\u2014)(?=[ \t]|\Z)|[ \t]*;(?=[ \t]|\Z)|[ \t]*(?:\|{{1,2}}|!!)|\t[ \t]*+)
        |(?P=emphasis)[ \t]*+[=\#]{{0,6}}[ \t]*+(?:\{{[^{{}}]{{1,60}}\}}[ \t]*)?\Z
        |(?<=[a-z0-9)])(?P<close>[*_`]{{1,3}}|")[ \t]+
    )
    [ \t]*(?P<rest>.*)""",
    re.VERBOSE | re.IGNORECASE,
)
_NAME = "[A-Za-z][A-Za-z0-9 /&(),:-]{1,69}"
# A name in brackets or quotation marks, as a link, or in bold of a wiki
_WRAPPED = re.compile(
    rf"(?P<before>[^A-Za-z\[\"'\u201c\u201e<]{{0,40}})(?:\[(?P<bracketed>{_NAME})\](?:\([^()\s]{{0,200}}\))?"
    rf"|[\"\u201c\u201e](?P<quoted>{_NAME})[\"\u201c\u201d]|'{{2,5}}(?P<bold>{_NAME})'{{2,5}}|<(?P<angled>{_NAME})>)"
)
_SEPARATOR_ROW = re.compile(r"[ \t]*(?:(?=.*[-=])[|+][ \t:|+=-]*|\{\|.*|\|[-}].*)")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_VALUE_MARK = re.compile(r"[ \t]*[:|](?:[ \t]+|\Z)")
_RULE = re.compile(r"([=~^\"'*+#-])\1{2,}[ \t]*")
_ENOUGH = 3
_BEGINS_SECTION = (HeadingRole.SECTION, HeadingRole.ADDITION)


_LABEL_ALONE = ("", "", "", False)
_TITLE = ("title", "", "", False)  # a label alone, in a table that tabs divide or a text with titles only
_ENOUGH_ALONE = 8  # which the table of contents of a template would not have


@dataclass(frozen=True, slots=True)
class Label:
    """A line that may begin a section, in a style that others may share."""

    key: str
    role: HeadingRole
    name: str
    indent: str
    rest: str
    style: tuple[str, str, str, bool]

    @property
    def is_marked(self) -> bool:
        """Whether the line has a mark that prose has not."""
        mark, emphasis, separator, _ = self.style
        return (
            bool(mark and (separator or mark in "#="))
            or emphasis not in ("", '"')
            or separator == _OTHER_COLON
        )


def plain(text: str) -> str:
    """The text with ordinary spaces, and without invisible characters."""
    return text if text.isascii() else SPACE.sub(" ", UNSEEN_IN_LABELS.sub("", text))


def find_label(text: str) -> Label | None:
    """The label of a section at the beginning of a line, in any form."""
    typed = plain(text)
    return _label_in(typed) if _BEGINNING.match(typed) else None


# Six passes ask for the labels of the same lines. No text has more lines that may be labels.
@lru_cache(maxsize=1 << 17)
def _label_in(typed: str) -> Label | None:
    if wrapped := _WRAPPED.match(typed):
        name = next(filter(None, wrapped.group("bracketed", "quoted", "bold", "angled")))
        typed = f'{wrapped["before"]}"{name}"{typed[wrapped.end() :]}'
    match = _LOOSE.match(typed)
    if match is None:
        return None
    found = find_section_name(match["name"])
    if match["close"] and not match["emphasis"]:
        return None
    if (
        found is None
        and (match["mark"] or match["emphasis"])
        and (key := _NEAR.get(canonical_name(match["name"])))
    ):
        found = SectionName(key, HeadingRole.ADDITION)  # which `read_near_names` may read
    if found is None:
        return None
    return Label(found.key, found.role, match["name"], match["indent"], _rest(match), _style(match))


def forget_labels() -> None:
    """Free the memory of `find_label`, which holds lines of people's texts."""
    _label_in.cache_clear()


def _style(match: re.Match[str]) -> tuple[str, str, str, bool]:
    separator = (match["inner"] or match["sep"] or "").strip(" ")
    if re.fullmatch(_COLON, separator[:1]) and separator != ":":
        separator = _OTHER_COLON
    return match["mark"].strip()[:1], match["emphasis"], separator, match["name"][0].islower()


def _rest(match: re.Match[str]) -> str:
    rest = match["rest"]
    if "|" in (match["sep"] or "") or match["mark"].startswith("|"):
        rest = rest.rstrip(" \t").rstrip("|").rstrip(" \t")
    return rest.strip(" \t")


def keys_of(lines: Sequence[Line]) -> set[str]:
    """The sections that labels of any form begin."""
    return {
        each.key for line in lines if (each := find_label(line.text)) and each.role is HeadingRole.SECTION
    }


def own_keys(lines: Sequence[Line]) -> set[str]:
    """The sections whose headings the parser reads."""
    return {
        heading.key
        for line, following in zip(lines, [*lines[1:], None], strict=True)
        if (heading := find_heading(line, following, is_numbered=True))
        and heading.role is not HeadingRole.PART
    }


def read_labels(log: Log, lines: list[Line]) -> list[Line]:
    """Write each label as “Label: text”, if its form is that of several labels or has a mark."""
    lines = _without_overlines(log, list(_join_definitions(lines)))
    own = own_keys(lines)
    if "registration" in own:
        own |= {"version", "date"}
    labels = {line.number: label for line in lines if (label := find_label(line.text))}
    by_style: dict[tuple[str, str, str, bool], set[str]] = defaultdict(set)
    for label in labels.values():
        is_new = label.key not in own or label.style[2] == _OTHER_COLON
        if label.role is HeadingRole.SECTION and is_new:
            by_style[_shape(label)].add(label.key)
    accepted = {style for style, keys in by_style.items() if len(keys) >= _ENOUGH}
    has_cells = any(separator == "\t" for _, _, separator, _ in accepted)
    if has_cells or (not own and len(by_style[_LABEL_ALONE]) >= _ENOUGH_ALONE):
        accepted.add(_TITLE)
    if not by_style:
        return lines
    rewritten: list[Line] = []
    current = ""
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        heading = find_heading(line, following, is_numbered=True)
        label = labels.get(line.number)
        if label and _is_read(label, accepted, own, has_heading=heading is not None):
            current = label.key
            rewritten += _write(log, line, label)
        elif heading:
            current = heading.key
            rewritten.append(line)
        else:
            rewritten += _write_other(log, line, current, accepted, following)
    return rewritten


def _shape(label: Label) -> tuple[str, str, str, bool]:
    """The style without what differs between a label alone and one with a text."""
    mark, emphasis, separator, is_lower = label.style
    return mark, emphasis, "" if mark or emphasis else separator, is_lower


def _is_read(
    label: Label, accepted: set[tuple[str, str, str, bool]], own: set[str], *, has_heading: bool
) -> bool:
    if has_heading and label.style[2] != _OTHER_COLON:
        return False
    if _shape(label) in accepted and label.style != _LABEL_ALONE:
        return True
    if label.style == _LABEL_ALONE and not label.rest and _TITLE in accepted and label.key not in own:
        return True
    return label.is_marked and label.role in _BEGINS_SECTION and label.key not in own


def _write(log: Log, line: Line, label: Label) -> Iterator[Line]:
    name = label.name[0].upper() + label.name[1:]
    rest = _BREAK.split(label.rest)
    rest = rest if len(rest) == 1 else ["", *rest]
    text = f"{label.indent}{name}: {rest[0].strip()}".rstrip()
    if text != line.text.rstrip():
        log.note(Kind.LABELS, line.number, line.text, text)
    yield Line(line.number, text)
    for more in rest[1:]:
        yield Line(line.number, more.strip())


def _write_other(
    log: Log, line: Line, current: str, accepted: set[tuple[str, str, str, bool]], following: Line | None
) -> Iterator[Line]:
    """A line that is no label of a section: a row of the table, or a label of the registrant."""
    has_table = any("|" in style[0] or "|" in style[2] or "!" in style[0] for style in accepted)
    match = _LOOSE.match(plain(line.text))
    is_row = has_table and line.text.lstrip(" \t").startswith("|")
    if has_table and (_SEPARATOR_ROW.fullmatch(line.text) or _is_head(line, following)):
        log.note(Kind.LABELS, line.number, line.text)
    elif (
        current == "registrant"
        and match
        and (match["emphasis"] or match["mark"])
        and _is_detail(match["name"])
    ):
        text = f"{match['name']}: {_rest(match)}".rstrip()
        log.note(Kind.LABELS, line.number, line.text, text)
        yield Line(line.number, text)
    elif is_row:
        text = " ".join(cell for cell in map(str.strip, line.text.strip().strip("|").split("|")) if cell)
        log.note(Kind.LABELS, line.number, line.text, text)
        for part in _BREAK.split(text):
            yield Line(line.number, part.strip())
    else:
        yield line


def _is_detail(name: str) -> bool:
    label = label_of(Line(1, f"{name}:"))
    return label is not None and bool(label.field or label.group)


def _is_head(line: Line, following: Line | None) -> bool:
    return "|" in line.text and following is not None and _SEPARATOR_ROW.fullmatch(following.text) is not None


def _without_overlines(log: Log, lines: list[Line]) -> list[Line]:
    """The lines without rules above titles that have one below too, as in reStructuredText."""
    kept: list[Line] = []
    for at, line in enumerate(lines):
        below = [each.text.rstrip(" \t") for each in lines[at + 1 : at + 3]]
        is_rule = _RULE.fullmatch(line.text) is not None
        if is_rule and len(below) == 2 and below[1] == line.text.rstrip(" \t") and find_label(below[0]):
            log.note(Kind.LABELS, line.number, line.text)
        else:
            kept.append(line)
    return kept


def _join_definitions(lines: list[Line]) -> Iterator[Line]:
    """The lines, with “Label” above “: text” as one line “:Label: text”. One blank line may be between them."""
    at = 0
    while at < len(lines):
        line = lines[at]
        below = at + 1 if at + 1 < len(lines) and lines[at + 1].text.strip() else at + 2
        label = find_label(line.text)
        mark = _VALUE_MARK.match(lines[below].text) if label and below < len(lines) else None
        has_colons = label and label.style[2] == ":" and mark and ":" in mark[0]
        is_term = (
            label
            and not label.rest
            and (label.style[2] == "" or has_colons)
            and label.style[0] in ("", ";", "!")
        )
        if label and mark and is_term:
            yield Line(line.number, f":{label.name}: {lines[below].text[mark.end() :]}")
            at = below + 1
        else:
            yield line
            at += 1


# Names that registrants use for sections, by the key of the section. Names of the forms are in `headings`.
_NEAR: dict[str, str] = {
    canonical_name(name): key
    for key, names in {
        "namespace_identifier": (
            "nid",
            "urn nid",
            "requested nid",
            "requested namespace",
            "requested namespace identifier",
            "namespace name",
            "namespace",
            "urn namespace",
            "namespace-id",
            "proposed namespace",
            "proposed nid",
        ),
        "version": ("registration version", "version no.", "ver.", "template version", "revision number"),
        "date": (
            "date of registration",
            "date of request",
            "request date",
            "submission date",
            "date submitted",
            "template date",
            "date of submission",
            "last updated",
        ),
        "registrant": (
            "registrant details",
            "registrant contact",
            "registrants",
            "declared registrant",
            "registering organization",
            "registering organisation",
            "applicant",
            "requester",
        ),
        "purpose": (
            "purpose and scope",
            "scope and purpose",
            "purpose of namespace",
            "purpose and use",
            "purposes",
            "intended use",
            "purpose / scope",
            "rationale",
            "motivation",
            "aim",
        ),
        "syntax": (
            "syntax and structure",
            "syntax of nss",
            "syntax of names",
            "structure",
            "nss syntax",
            "syntax and equivalence",
            "syntax rules",
            "namespace syntax",
            "name syntax",
            "grammar",
            "format",
            "structure of names",
            "syntactic structure of names",
        ),
        "assignment": (
            "assignment of names",
            "assignment of identifiers",
            "assignment process",
            "assignment procedure",
            "assignment procedures",
            "assignment rules",
            "assignments",
            "name assignment",
            "assignment and uniqueness",
            "assignment policy",
            "allocation",
            "registration procedure",
        ),
        "security_and_privacy": (
            "security & privacy considerations",
            "security/privacy",
            "security / privacy",
            "security and privacy issues",
            "privacy and security",
            "privacy and security considerations",
            "privacy",
            "privacy considerations",
            "security issues",
        ),
        "interoperability": (
            "interoperability issues",
            "interoperability concerns",
            "interoperation",
            "compatibility",
            "interop",
            "interop considerations",
        ),
        "resolution": (
            "resolution mechanism",
            "resolution process",
            "resolution service",
            "resolution services",
            "resolution considerations",
            "resolution of names",
            "name resolution",
            "urn resolution",
            "resolver",
            "resolvers",
            "resolving",
        ),
        "documentation": (
            "references",
            "normative references",
            "documents",
            "relevant documentation",
            "reference documentation",
            "documentation and references",
            "specification",
            "specifications",
            "published specification",
            "docs",
            "bibliography",
            "related documents",
            "further reading",
        ),
        "additional_information": (
            "additional info",
            "additional notes",
            "additional remarks",
            "other information",
            "further information",
            "additional considerations",
            "additional",
            "additional comments",
            "additional details",
            "comments",
            "miscellaneous",
            "notes",
            "other",
            "remarks",
        ),
        "revision_information": (
            "changes",
            "change log",
            "changelog",
            "revision",
            "revisions",
            "revision notes",
            "revision info",
            "version history",
            "changes from previous version",
            "changes since version 1",
            "changes from version 1",
            "history",
            "updates",
        ),
    }.items()
    for name in names
}
_FIRST_WORDS = {name.split()[0].rstrip("s") for name in (*SECTION_NAMES, *_NEAR)} | {"the", "document"}
# What a label can begin with. Most lines of a text are ruled out by it.
_BEGINNING = re.compile(
    rf"[^A-Za-z]{{0,40}}(?:(?:h[1-6]\.|[A-Za-z][.)]|[ivx]{{2,5}}[.)]|section[ ]|\[x\])[^A-Za-z]{{0,40}})?(?:{'|'.join(sorted(map(re.escape, _FIRST_WORDS)))}"
    r"|[A-Z0-9-]{2,32} assignment)",
    re.IGNORECASE,
)
_NEAR_LABEL = re.compile(
    r"(?P<indent>[ \t]*)(?P<name>[A-Za-z][A-Za-z0-9 /&(),.-]{1,69}?)[ \t]*+:[ \t]*(?P<rest>.*)"
)
_MAX_COMPARED = 100
_TITLES = {canonical_name(each.title): each for each in SECTIONS}


def read_near_names(log: Log, lines: list[Line]) -> list[Line]:
    """Write the title of a section in place of a name that is close to it, if the text has no such section."""
    followings = [*lines[1:], None]
    headings = [
        find_heading(line, below, is_numbered=True) for line, below in zip(lines, followings, strict=True)
    ]
    found = {each.key for each in headings if each and each.role is not HeadingRole.PART}
    found |= {"version", "date"} if "registration" in found else set()
    missing = {each.key for each in SECTIONS} - found
    if not missing or len(missing) > len(SECTIONS) - 2:
        return lines
    titles = [each.line for each in headings if each and each.role is HeadingRole.SECTION]
    margin = min((line.indent for line in titles), default=0)
    last = max((line.number for line in titles), default=0)
    last_but_end = max((each.line.number for each in headings if each and each.key not in _AT_END), default=0)
    compared: dict[str, str] = {}
    rewritten: list[Line] = []
    current = ""
    for line, heading in zip(lines, headings, strict=True):
        match = _NEAR_LABEL.fullmatch(line.text)
        is_own = heading is not None and heading.role in (HeadingRole.SECTION, HeadingRole.REGISTRATION)
        if (
            is_own
            or match is None
            or line.indent > margin + 1
            or (current == "registrant" and _is_detail(match["name"]))
        ):
            current = heading.key if is_own and heading else current
            rewritten.append(line)
            continue
        key = _near_key(match["name"], compared)
        is_addition = heading is not None and line.number > last  # such as the references at the end
        is_early = canonical_name(match["name"]) in _ONLY_AT_END and line.number < last_but_end
        if key not in missing or is_addition or is_early:
            rewritten.append(line)
            continue
        missing.remove(key)
        current = key
        text = f"{match['indent']}{SECTION_BY_KEY[key].title}: {match['rest']}".rstrip(" \t")
        log.note(Kind.NAMES, line.number, line.text, text, is_certain=False)
        rewritten.append(Line(line.number, text))
    return rewritten


_AT_END = ("additional_information", "revision_information")
# Within other sections, these are labels of a paragraph.
_ONLY_AT_END = frozenset(
    ["additional", "comments", "history", "miscellaneous", "notes", "other", "remarks", "updates"]
)
_MAX_WORDS = 5
_AFTER_TITLE = re.compile(
    r"[ ]*(?:[/&,(]|(?:and|or|of|for|in)\b|(?:process|rules?|definition|procedures?|concerns?|issues?|details?|notes?)\b)"
)


def _near_key(name: str, compared: dict[str, str]) -> str:
    """The key of the section with a name like this one, or "". Few names are compared letter by letter."""
    canonical = canonical_name(name)
    if canonical in _NEAR:
        return _NEAR[canonical]
    if canonical not in compared and len(compared) < _MAX_COMPARED:
        close = get_close_matches(canonical, _TITLES, n=1, cutoff=0.85)
        compared[canonical] = _TITLES[close[0]].key if close else _key_of_beginning(name)
    return compared.get(canonical, "")


def _key_of_beginning(name: str) -> str:
    """The key of the section whose title begins a longer name, such as “Resolution and services” or “Syntax (ABNF)”."""
    lower = name.lower()
    if len(lower.split()) > _MAX_WORDS:
        return ""
    titles = (each for each in SECTIONS if lower.startswith(each.title.lower()))
    found = next((each for each in titles if _AFTER_TITLE.match(lower, len(each.title))), None)
    if found is None and lower.startswith(("security", "privacy")):
        return "security_and_privacy" if {"security", "privacy"} <= set(re.findall("[a-z]+", lower)) else ""
    return found.key if found else ""
