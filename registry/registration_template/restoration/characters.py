"""Invisible characters, and spaces other than U+0020 where a template has syntax."""

import re

from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.parsing.registrant import label_of
from registry.registration_template.restoration.changes import INVISIBLE, SPACE, Kind, Log
from registry.registration_template.restoration.labels import find_label, plain

_ANY_SPACE = rf"(?:[ \t]|{SPACE.pattern})"
_MARGIN = re.compile(f"{_ANY_SPACE}+")
_END = re.compile(rf"(?<![ \t])(?<!{SPACE.pattern}){_ANY_SPACE}+\Z")
_AFTER_COLON = re.compile(rf"[^:\uff1a]*[:\uff1a]{_ANY_SPACE}*")


def remove_invisible(log: Log, lines: list[Line]) -> list[Line]:
    """The lines without characters that have no glyph."""
    return [_changed(log, Kind.INVISIBLE, line, INVISIBLE.sub("", line.text)) for line in lines]


def normalise_spaces(log: Log, lines: list[Line]) -> list[Line]:
    """Ordinary spaces at both ends of a line, and in labels. Within a text, other spaces are the author's."""
    return [_changed(log, Kind.SPACES, line, _with_plain_spaces(line.text)) for line in lines]


def _with_plain_spaces(text: str) -> str:
    if not SPACE.search(text):
        return text
    start, end = _MARGIN.match(text), _END.search(text)
    at, to = start.end() if start else 0, end.start() if end else len(text)
    if at >= to:
        return SPACE.sub(" ", text)
    body = text[at:to]
    if find_label(body) or label_of(Line(1, plain(body))):
        after_colon = _AFTER_COLON.match(body)
        length = after_colon.end() if after_colon else len(body)
        body = SPACE.sub(" ", body[:length]) + body[length:]
    return SPACE.sub(" ", text[:at]) + body + SPACE.sub(" ", text[to:])


def _changed(log: Log, kind: Kind, line: Line, text: str) -> Line:
    if text == line.text:
        return line
    log.note(kind, line.number, line.text, text)
    return Line(line.number, text)
