"""Parsers for the one-line sections: identifier, version and date."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from registry.core.validators import shortened
from registry.registration_template.normal_form import MAX_VERSION
from registry.registration_template.parsing.line_folding import Line

_NID = "[A-Za-z0-9][A-Za-z0-9-]*"
_BARE = re.compile(rf"({_NID})\.?")
_QUOTED = re.compile(rf"(?:[\"'`\u201c\u2018]|[*_]{{1,2}})({_NID})(?:[\"'`\u201d\u2019]|[*_]{{1,2}})")
_REQUESTED = re.compile(rf"({_NID})[ \t]+(?:is[ \t]+)?(?:requested\b|[(\[])", re.IGNORECASE)
_NOT_YET = re.compile(
    r"(?:(?:to be |is )?(?:assigned|requested)(?: (?:by|of) (?:the )?IANA)?|none|n/?a|tbd|tba)\.?",
    re.IGNORECASE,
)
_REQUEST_WORDS_ONLY = re.compile(
    r"(?:requested|request|string|of|by|iana|the|namespace|id|nid|is|to|be|assigned|\W)*", re.IGNORECASE
)
# If a line has one other word, that word is the requested identifier.
_REQUEST_WORDS = frozenset(
    [
        "the",
        "a",
        "an",
        "formal",
        "informal",
        "urn",
        "namespace",
        "identifier",
        "nid",
        "id",
        "string",
        "name",
        "is",
        "to",
        "be",
        "as",
        "of",
        "by",
        "for",
        "iana",
        "request",
        "requested",
        "requesting",
        "registration",
        "registered",
        "assigned",
        "assignment",
        "none",
        "tbd",
        "tba",
    ]
)
_WORD_SEPARATOR = re.compile(r"[\s\"'`\u2018\u2019\u201c\u201d.,;:()<>\[\]]+|(?<!\S)[-\u2013\u2014]+(?!\S)")
_MAX_LENGTH = 64

_VERSION = re.compile(
    r"(?:(?:registration[ \t]+)?version(?:[ \t]+number)?[ \t]*+:?[ \t]*+|v(?:er)?\.?[ \t]*+|no\.[ \t]*+|#)?"
    r"([0-9]{1,10})(\.[0-9]+)?(?![0-9-])",
    re.IGNORECASE,
)
_REGISTERED_VERSION = re.compile(
    r"\b(?:registration[ \t]+)?version(?:[ \t]+number)?[ \t]*+:?[ \t]*+([0-9]{1,10})(\.[0-9]+)?(?![0-9-])",
    re.IGNORECASE,
)
_REGISTERED_DATE = re.compile(
    r"\b(?:registration[ \t]+)?date(?:[ \t]*:[ \t]*|[ \t]+(?=[0-9]))(?=[^ \t])(.+)", re.IGNORECASE
)
_REGISTERED = re.compile(r"[-•*]?[ \t]*(?:registration[ \t]+)?(?:version|date)\b", re.IGNORECASE)
_DATE_ALONE = re.compile(r"[0-9]{4}[ -][0-9]{1,2}[ -][0-9]{1,2}\.?")
_DATE_AFTER_VERSION = re.compile(r"(?<![0-9-])[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?![0-9-])")
_LABEL_ALONE = re.compile(
    r"[-•*o]?[ \t]*(?:registration[ \t]+)?(?:version(?:[ \t]+number)?|date)[ \t]*:?", re.IGNORECASE
)
_OTHER_TEXT = re.compile(r"[^\W\d_]{3,}|[0-9]")


@dataclass(slots=True)
class SingleLineFields:
    """The values of the one-line sections, and the lines that are not part of them."""

    identifier: str = ""
    version: int | None = None
    date: str = ""
    unplaced: list[tuple[Line, str]] = field(default_factory=list)
    remarks: list[tuple[Line, str]] = field(default_factory=list)


def read_identifier(lines: Sequence[Line], fields: SingleLineFields) -> None:
    """Read the identifier from “mrn”, “"dev" requested”, “ISBN Requested of IANA.”, or from the line after a sentence."""
    filled = [line for line in lines if not line.is_blank]
    for at, line in enumerate(filled):
        text = line.text.strip(" \t")
        found = _identifier_in(text)
        if found is not None:
            fields.identifier = found
            if found and not _REQUEST_WORDS_ONLY.fullmatch(text.replace(found, "", 1)):
                fields.unplaced.append((line, "more than the identifier"))
            _read_following_lines(filled[at + 1 :], fields)
            if found != found.lower():
                fields.remarks.append(
                    (line, f"The identifier is written {shortened(found)}; the registry uses lower case.")
                )
            return
        if at + 1 == len(filled) and at == 0 and len(text) <= _MAX_LENGTH:
            fields.identifier = _requested_identifier(text) or text
            return
        fields.unplaced.append((line, "not an identifier"))


def _read_following_lines(lines: Sequence[Line], fields: SingleLineFields) -> None:
    """Read the lines below the identifier. Some templates give version and date there without a heading."""
    for line in lines:
        if _REGISTERED.match(line.text.strip(" \t")):
            read_registration([line], fields)
        else:
            fields.unplaced.append((line, "text next to the identifier"))


def _identifier_in(text: str) -> str | None:
    """The identifier in a line; empty if it is not assigned yet, None if the line contains none."""
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1]
    if _NOT_YET.fullmatch(text):
        return ""
    if match := _BARE.fullmatch(text) or _QUOTED.search(text) or _REQUESTED.match(text):
        return match[1]
    return None


def _requested_identifier(text: str) -> str:
    """The requested word in a line such as “The NID wxn is requested”; empty if there is not exactly one."""
    words = [word for word in _WORD_SEPARATOR.split(text) if word and word.lower() not in _REQUEST_WORDS]
    return words[0] if len(words) == 1 and _BARE.fullmatch(words[0]) else ""


def read_version(lines: Sequence[Line], fields: SingleLineFields) -> None:
    """Read the version from “1”, “1.0”, “Version 2” or “2 (revision of …)”."""
    filled = [line for line in lines if not line.is_blank]
    for line in filled:
        text = line.text.strip(" \t")
        match = _VERSION.match(text) if fields.version is None else None
        if match is None or int(match[1]) > MAX_VERSION:
            fields.unplaced.append((line, "not a version number"))
            continue
        _set_version(match, line, fields)
        rest = text[match.end() :].strip(" \t.;,")
        if date := _REGISTERED_DATE.search(rest):
            fields.date = fields.date or date[1]
        elif rest:
            fields.unplaced.append((line, "more than the version"))


def _set_version(match: re.Match[str], line: Line, fields: SingleLineFields) -> None:
    fields.version = int(match[1])
    if match[2]:
        fields.remarks.append(
            (line, f"The version is written {match[1]}{match[2]}; the registry uses whole numbers.")
        )


def read_date(lines: Sequence[Line], fields: SingleLineFields) -> None:
    """Read the date as typed, from the first line of the section. A date that was read before stays."""
    filled = [line for line in lines if not line.is_blank]
    if filled and not fields.date:
        fields.date = filled.pop(0).text.strip(" \t")
    fields.unplaced += [(line, "text next to the date") for line in filled]


def read_registration(lines: Sequence[Line], fields: SingleLineFields) -> None:
    """Read version and date from the Registration Information of RFC 3406, on one line or several."""
    for line in _join_labels_with_values([line for line in lines if not line.is_blank]):
        rest = _read_registration_line(line, fields)
        if rest is None:
            fields.unplaced.append((line, "neither a version nor a date"))
        elif _OTHER_TEXT.search(rest):
            fields.unplaced.append((line, "more than the version and the date"))


def _read_registration_line(line: Line, fields: SingleLineFields) -> str | None:
    """The rest of a line without version and date; None if it has neither."""
    rest = line.text.strip(" \t")
    version = _REGISTERED_VERSION.search(rest) if fields.version is None else None
    if version and int(version[1]) <= MAX_VERSION:
        _set_version(version, line, fields)
        rest = f"{rest[: version.start()]} {rest[version.end() :]}"
    else:
        version = None
    date = _REGISTERED_DATE.search(rest) or _DATE_ALONE.fullmatch(rest)
    date = date or (_DATE_AFTER_VERSION.search(rest) if version else None)
    if date is None or fields.date:
        return rest if version else None
    fields.date = date[date.re.groups]
    return f"{rest[: date.start()]} {rest[date.end() :]}"


def _join_labels_with_values(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines, with each label on its own line joined to the value below it."""
    label: Line | None = None
    for line in lines:
        text = line.text.strip(" \t")
        if label is not None:
            if text[0].isdigit():
                yield Line(label.number, f"{label.text.rstrip(' :')}: {text}")
                label = None
                continue
            yield label
        label = line if _LABEL_ALONE.fullmatch(text) else None
        if label is None:
            yield line
    if label is not None:
        yield label
