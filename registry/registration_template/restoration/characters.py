"""Characters that were read in a wrong encoding, that cannot be seen, or that typesetting replaced."""

import re
from unicodedata import normalize

from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.parsing.registrant import label_of
from registry.registration_template.restoration.changes import INVISIBLE, SPACE, UNSEEN_IN_LABELS, Kind, Log
from registry.registration_template.restoration.labels import find_label, plain

_ANY_SPACE = rf"(?:[ \t]|{SPACE.pattern})"
_MARGIN = re.compile(f"{_ANY_SPACE}+")
_END = re.compile(rf"(?<![ \t])(?<!{SPACE.pattern}){_ANY_SPACE}+\Z")
_UNSEEN = rf"(?:{_ANY_SPACE}|{UNSEEN_IN_LABELS.pattern})"
_AFTER_COLON = re.compile(rf"[^:\uff1a]*[:\uff1a]{_UNSEEN}*")

# Octets of UTF-8 as windows-1252 or as ISO 8859-1 shows them: one that begins a character, and those that follow it.
_OCTET_OF = {chr(octet): octet for octet in range(0x80, 0xC0)} | {
    shown: octet for octet in range(0x80, 0xA0) if (shown := bytes([octet]).decode("cp1252", "ignore"))
}
_FOLLOWING = "".join(_OCTET_OF)
_OCTET_OF |= {chr(octet): octet for octet in range(0xC0, 0x100)}
# Spaces, quotation marks and dashes also follow a small letter at the end of a word, as in “« été\u00a0»”.
_AFTER_WORD = "\u00a0\u00ab\u00bb\u2013\u2014\u2018-\u201a\u201c-\u201e\u2026\u2039\u203a"
WRONGLY_READ = re.compile(
    f"[\u00c2\u00c3\u00d0\u00d1][{_FOLLOWING}]"
    f"|[\u00e0-\u00ef](?![{_AFTER_WORD}]{{2}})[{_FOLLOWING}]{{2}}"
    f"|[\u00f0-\u00f4](?![{_AFTER_WORD}]{{3}})[{_FOLLOWING}]{{3}}"
)


def decode_wrongly_read(log: Log, lines: list[Line]) -> list[Line]:
    """The lines with the characters whose octets of UTF-8 were taken for those of another encoding."""
    return [
        _changed(log, Kind.ENCODING, line, WRONGLY_READ.sub(_decoded, line.text), is_certain=False)
        for line in lines
    ]


def _decoded(found: re.Match[str]) -> str:
    try:
        return bytes(map(_OCTET_OF.__getitem__, found[0])).decode()
    except UnicodeDecodeError:
        return found[0]


def remove_invisible(log: Log, lines: list[Line]) -> list[Line]:
    """The lines without characters that have no glyph. A word that a soft hyphen divides is joined."""
    kept: list[Line] = []
    is_divided = False
    for line in lines:
        text = line.text if line.text.isascii() else _without_invisible(line.text)
        cleaned = _changed(log, Kind.INVISIBLE, line, text)
        joins = is_divided and text.strip(" \t") and find_label(text) is None
        is_divided = line.text.rstrip(" \t").endswith("\u00ad")
        if joins:
            word, _, rest = text.strip(" \t").partition(" ")
            kept[-1] = Line(kept[-1].number, kept[-1].text + word)
            log.note(Kind.INVISIBLE, line.number, line.text, rest)
            if not rest:  # a blank line would end the paragraph
                continue
            cleaned = Line(line.number, rest)
        kept.append(cleaned)
    return kept


def _without_invisible(text: str) -> str:
    seen = INVISIBLE.sub("", text)
    if UNSEEN_IN_LABELS.search(seen) is None or find_label(seen) is None:
        return seen
    after_colon = _AFTER_COLON.match(seen)
    length = after_colon.end() if after_colon else len(seen)
    return UNSEEN_IN_LABELS.sub("", seen[:length]) + seen[length:]


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


_LIGATURES = str.maketrans({code: normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)})
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d", "-"))
_ONE_LINE = frozenset({"namespace_identifier", "date"})


def normalise_typography(log: Log, lines: list[Line]) -> list[Line]:
    """The lines with letters in place of ligatures, and ordinary hyphens in the identifier and the date."""
    normal: list[Line] = []
    key = ""
    for line in lines:
        text = line.text
        if not text.isascii():
            text = text.translate(_LIGATURES)
        label = find_label(text)
        key = label.key if label else key
        if key in _ONE_LINE and not text.isascii():
            start = len(text) - len(label.rest) if label else 0
            text = text[:start] + text[start:].translate(_HYPHENS)
        key = key if not text.strip() or (label and not label.rest) else ""
        normal.append(_changed(log, Kind.TYPOGRAPHY, line, text))
    return normal


def _changed(log: Log, kind: Kind, line: Line, text: str, *, is_certain: bool = True) -> Line:
    if text == line.text:
        return line
    log.note(kind, line.number, line.text, text, is_certain=is_certain)
    return Line(line.number, text)
