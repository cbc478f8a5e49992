"""The headings of sections that have no heading in the style of the document.

Such a heading is indented, numbered or punctuated in another way than the others, or stands alone without a colon.
In a text with the heading of its section, the same line is text.
"""

from bisect import bisect
from collections.abc import Container, Iterator, Sequence

from registry.registration_template.parsing.headings import Heading, find_bare_heading, form_of
from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.parsing.section_names import ONE_LINE_SECTIONS, HeadingRole

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
