"""The one-line sections: the identifier, the version and the date, as they stand in real templates."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from registry.appendix_a.folding import Line
from registry.appendix_a.submission import MAX_VERSION

_NID = "[A-Za-z0-9][A-Za-z0-9-]*"
_BARE = re.compile(rf"({_NID})\.?")
_QUOTED = re.compile(rf"[\"'`\u201c\u2018]({_NID})[\"'`\u201d\u2019]")
_REQUESTED = re.compile(rf"({_NID})[ \t]+(?:is[ \t]+)?(?:requested\b|[(\[])", re.IGNORECASE)
_NOT_YET = re.compile(
    r"(?:(?:to be |is )?(?:assigned|requested)(?: (?:by|of) (?:the )?IANA)?|none|n/?a|tbd|tba)\.?",
    re.IGNORECASE,
)
_SAYS_NO_MORE = re.compile(
    r"(?:requested|request|string|of|by|iana|the|namespace|id|nid|is|to|be|assigned|\W)*", re.IGNORECASE
)
# A line that has one word besides these asks for that word.
_WORDS_OF_A_REQUEST = frozenset(
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
_BETWEEN_WORDS = re.compile(r"[\s\"'`\u2018\u2019\u201c\u201d.,;:()<>\[\]]+|(?<!\S)[-\u2013\u2014]+(?!\S)")
_LONGEST = 64

_VERSION = re.compile(
    r"(?:(?:registration[ \t]+)?version(?:[ \t]+number)?[ \t]*+:?[ \t]*+)?([0-9]{1,10})(\.[0-9]+)?(?![0-9-])",
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
_SAYS_MORE = re.compile(r"[^\W\d_]{3,}|[0-9]")


@dataclass(slots=True)
class Reading:
    """What was read of the one-line sections, and the lines that have no place there."""

    identifier: str = ""
    version: int | None = None
    date: str = ""
    left: list[tuple[Line, str]] = field(default_factory=list)
    remarks: list[tuple[Line, str]] = field(default_factory=list)


def format_identifier(identifier: str) -> str:
    """The identifier as a line from which `read_identifier` gets it back: in quotes unless it is plain."""
    if not identifier:
        return ""
    reading = Reading()
    read_identifier([Line(1, identifier)], reading)
    is_plain = reading.identifier == identifier and not reading.left
    return identifier if is_plain else f'"{identifier}"'


def read_identifier(lines: Sequence[Line], reading: Reading) -> None:
    """The identifier out of “mrn”, “"dev" requested”, “ISBN Requested of IANA.” or a sentence above it."""
    filled = [line for line in lines if not line.is_blank]
    for at, line in enumerate(filled):
        text = line.text.strip(" \t")
        found = _identifier_in(text)
        if found is not None:
            reading.identifier = found
            if found and not _SAYS_NO_MORE.fullmatch(text.replace(found, "", 1)):
                reading.left.append((line, "says more than the identifier"))
            _read_beside(filled[at + 1 :], reading)
            if found != found.lower():
                reading.remarks.append(
                    (line, f"The identifier is written {found}; the registry keeps lower case.")
                )
            return
        if at + 1 == len(filled) and at == 0 and len(text) <= _LONGEST:
            reading.identifier = _asked_for(text) or text
            return
        reading.left.append((line, "names no identifier"))


def _read_beside(lines: Sequence[Line], reading: Reading) -> None:
    """What stands below the identifier: some give version and date there without a heading."""
    for line in lines:
        if _REGISTERED.match(line.text.strip(" \t")):
            read_registration([line], reading)
        else:
            reading.left.append((line, "stands beside the identifier"))


def _identifier_in(text: str) -> str | None:
    """The identifier in one line; empty when there is none yet, None when the line doesn't speak of it."""
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1]
    if _NOT_YET.fullmatch(text):
        return ""
    if match := _BARE.fullmatch(text) or _QUOTED.search(text) or _REQUESTED.match(text):
        return match[1]
    return None


def _asked_for(text: str) -> str:
    """The one word that a line asks for, as in “The NID wxn is requested”; empty when there isn't just one."""
    words = [word for word in _BETWEEN_WORDS.split(text) if word and word.lower() not in _WORDS_OF_A_REQUEST]
    return words[0] if len(words) == 1 and _BARE.fullmatch(words[0]) else ""


def read_version(lines: Sequence[Line], reading: Reading) -> None:
    """The number out of “1”, “1.0”, “Version 2” or “2 (revision of …)”."""
    filled = [line for line in lines if not line.is_blank]
    for line in filled:
        text = line.text.strip(" \t")
        match = _VERSION.match(text) if reading.version is None else None
        if match is None or int(match[1]) > MAX_VERSION:
            reading.left.append((line, "is no version number"))
            continue
        _set_version(match, line, reading)
        rest = text[match.end() :].strip(" \t.;,")
        if date := _REGISTERED_DATE.search(rest):
            reading.date = reading.date or date[1]
        elif rest:
            reading.left.append((line, "says more than the version"))


def _set_version(match: re.Match[str], line: Line, reading: Reading) -> None:
    reading.version = int(match[1])
    if match[2]:
        reading.remarks.append(
            (line, f"The version is written {match[1]}{match[2]}; the registry counts whole versions.")
        )


def read_date(lines: Sequence[Line], reading: Reading) -> None:
    """The date as it is typed: the first line of the section."""
    filled = [line for line in lines if not line.is_blank]
    for line in filled[:1]:
        reading.date = line.text.strip(" \t")
    reading.left += [(line, "stands beside the date") for line in filled[1:]]


def read_registration(lines: Sequence[Line], reading: Reading) -> None:
    """Version and date out of the older form's Registration Information, on one line or on several."""
    for line in _with_values_beside_labels([line for line in lines if not line.is_blank]):
        rest = _read_registration_line(line, reading)
        if rest is None:
            reading.left.append((line, "is neither a version nor a date"))
        elif _SAYS_MORE.search(rest):
            reading.left.append((line, "says more than the version and the date"))


def _read_registration_line(line: Line, reading: Reading) -> str | None:
    """What a line says besides version and date; None when it has neither."""
    rest = line.text.strip(" \t")
    version = _REGISTERED_VERSION.search(rest) if reading.version is None else None
    if version and int(version[1]) <= MAX_VERSION:
        _set_version(version, line, reading)
        rest = f"{rest[: version.start()]} {rest[version.end() :]}"
    else:
        version = None
    date = _REGISTERED_DATE.search(rest) or _DATE_ALONE.fullmatch(rest)
    date = date or (_DATE_AFTER_VERSION.search(rest) if version else None)
    if date is None or reading.date:
        return rest if version else None
    reading.date = date[date.re.groups]
    return f"{rest[: date.start()]} {rest[date.end() :]}"


def _with_values_beside_labels(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines; a label that stands alone comes together with the value below it."""
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
