"""Mail: messages with a header, transfer encodings, quoting, signatures and the footers of lists."""

import re
from collections import deque
from collections.abc import Iterable, Sequence
from email import message_from_bytes
from email.message import Message
from itertools import pairwise, takewhile
from quopri import decodestring

from registry.core.validators import UNSTORABLE
from registry.registration_template.normal_form import LINE_BREAK, dedent
from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.restoration.changes import Kind, Log
from registry.registration_template.restoration.labels import find_label, keys_of, plain

_FIELD = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9-]{1,40}):(?:[ \t]|$)")
_TRANSPORT = frozenset(
    {
        "message-id",
        "mime-version",
        "received",
        "return-path",
        "content-type",
        "content-transfer-encoding",
        "dkim-signature",
        "list-id",
        "in-reply-to",
    }
)
_PEOPLE = frozenset({"from", "to", "cc", "subject", "sent", "reply-to", "sender"})
_BOUNDARY = re.compile(r"--(?P<boundary>\S.{0,68}\S)\s*")


_TEXTS = ("text/plain", "text/html")
# `email` reads nested parts by recursion, and a long field in quadratic time. No message with a template has more.
_MAX_PARTS = 100
_MAX_DASHES = 1_000  # lines that may divide parts
_MAX_FIELD = 2_000
_CONTENT_TYPE = re.compile(r"^content-type:.*(?:\n[ \t].*)*", re.IGNORECASE | re.MULTILINE)


def decode_message(log: Log, lines: list[Line]) -> list[Line]:
    """The part of a message with the template. Its plain text is preferred to its HTML."""
    start = next((at for at, line in enumerate(lines) if line.text.strip()), len(lines))
    head = list(takewhile(lambda line: line.text.strip(), lines[start:]))
    source = "\n".join(line.text for line in lines[start:])
    if head and (boundary := _BOUNDARY.fullmatch(head[0].text)) and _names(head[1:]) & _TRANSPORT:
        source = f'Content-Type: multipart/mixed; boundary="{boundary["boundary"]}"\n\n{source}'
    elif not _is_header(head):
        return lines
    fields = _CONTENT_TYPE.findall(source)
    is_too_large = len(fields) > _MAX_PARTS or source.count("\n--") > _MAX_DASHES
    if is_too_large or any(len(field) > _MAX_FIELD for field in fields):
        return lines
    message = message_from_bytes(source.encode())
    parts = [(part, part.get_content_type()) for part in message.walk()]
    texts = [(_text_of(part), content_type) for part, content_type in parts if content_type in _TEXTS]
    decoded, _ = max(texts, key=_likeliness, default=("", ""))
    if not decoded or UNSTORABLE.search(decoded):
        return lines
    log.removed(Kind.MAIL, head)
    return align(decoded, lines[start + len(head) :])


def _names(lines: Iterable[Line]) -> set[str]:
    return {match["name"].lower() for line in lines if (match := _FIELD.match(line.text))}


def _is_header(head: Sequence[Line]) -> bool:
    """Whether the first paragraph is the header of a message, not the beginning of a template."""
    if not head or _FIELD.match(head[0].text) is None:
        return False
    names = _names(head)
    is_template = "namespace_identifier" in keys_of(head)
    return not is_template and (bool(names & _TRANSPORT) or len(names & _PEOPLE) >= 2)


def _likeliness(text: tuple[str, str]) -> tuple[int, bool]:
    """How many sections a text of a message has, and whether it is plain."""
    content, content_type = text
    lines = [Line(number, line) for number, line in enumerate(LINE_BREAK.split(content), start=1)]
    return len(keys_of(lines)), content_type == "text/plain"


def _text_of(body: "Message[str, str]") -> str:
    """The text of a part. What has no transfer encoding is decoded already."""
    octets = body.get_payload(decode=True)
    if not isinstance(octets, bytes):
        return ""
    is_encoded = str(body.get("Content-Transfer-Encoding", "")).lower() in ("quoted-printable", "base64")
    charsets = [body.get_content_charset("utf-8"), "utf-8", "cp1252"] if is_encoded else ["utf-8"]
    for charset in charsets:
        try:
            return octets.decode(charset)
        except (UnicodeError, LookupError):
            continue
    return octets.decode("latin-1")


def align(text: str, lines: Sequence[Line]) -> list[Line]:
    """A decoded text as lines, with the numbers of the original lines that they are from, as far as these are known."""
    places: dict[str, deque[int]] = {}
    for at, line in enumerate(lines):
        places.setdefault(line.text.strip(), deque()).append(at)
    aligned: list[Line] = []
    at = 0
    for content in LINE_BREAK.split(text):
        found = places.get(content.strip()) if content.strip() else None
        while found and found[0] < at:
            found.popleft()
        at = found[0] if found else at
        aligned.append(Line(lines[min(at, len(lines) - 1)].number if lines else 1, content))
    return aligned


# “=3DIGIT” is ABNF.
_ENCODED = re.compile(r"=(?:(?![0-9]DIGIT)[0-9A-F]{2}|[ \t]*$)")
_STRAY = re.compile(r"=(?!(?![0-9]DIGIT)[0-9A-F]{2}|[ \t]*$)")
# “=” itself, a space before a break, and characters of several octets.
QUOTED_PRINTABLE = re.compile(
    r"=3D(?!IGIT)|=20$|=09$|(?:=C[2-9A-F]|=D[0-9A-F]|=E[0-9A-F]=[89AB][0-9A-F])=[89AB][0-9A-F]", re.MULTILINE
)
_SOFT_BREAK = re.compile(r".{60,75}=[ \t]*")
# What looks like code in the query of an address may be a value, such as “?id=3D4F”.
_IN_QUERY = re.compile(r"[?&;][\w.-]{1,60}=(?=[0-9A-F]{2})", re.ASCII)


def decode_quoted_printable(log: Log, lines: list[Line]) -> list[Line]:
    """The decoded text. Only lines with code are decoded where “=” also occurs as itself."""
    evidence = sum(QUOTED_PRINTABLE.search(line.text) is not None for line in lines)
    soft = sum(_SOFT_BREAK.fullmatch(line.text) is not None for line in lines)
    if not evidence and not soft:
        return lines
    is_whole = not any(_STRAY.search(line.text) for line in lines)
    if not evidence and not (is_whole and soft > 1):
        return lines
    is_certain = is_whole and (
        soft > 0 or any(QUOTED_PRINTABLE.search(_IN_QUERY.sub("", line.text)) for line in lines)
    )
    decoded: list[Line] = []
    parts: list[Line] = []
    for line in lines:
        has_code = _ENCODED.search(line.text) is not None and _STRAY.search(line.text) is None
        if not parts and not (has_code if is_whole else has_code and QUOTED_PRINTABLE.search(line.text)):
            decoded.append(line)
            continue
        parts.append(line)
        if not line.text.rstrip(" \t").endswith("="):
            decoded += _decoded(log, parts, is_certain=is_certain)
            parts = []
    return decoded + (_decoded(log, parts, is_certain=is_certain) if parts else [])


def _decoded(log: Log, parts: Sequence[Line], *, is_certain: bool) -> list[Line]:
    """One line from the lines that soft breaks divide, or these lines, if they are not code."""
    joined = "".join(line.text.rstrip(" \t").removesuffix("=") for line in parts[:-1]) + parts[-1].text
    octets = decodestring(joined.encode())
    for charset in ("utf-8", "cp1252"):
        try:
            text = octets.decode(charset)
        except UnicodeDecodeError:
            continue
        if text == parts[0].text or UNSTORABLE.search(text) or LINE_BREAK.search(text):
            break
        for line in parts:
            log.note(Kind.QUOTED_PRINTABLE, line.number, line.text, text, is_certain=is_certain)
        return [Line(parts[0].number, text)]
    return list(parts)


# Mailers mark quoted lines with “>”, some with the initials of the author before it, or in HTML.
_MARK = r"(?:[A-Za-z]{0,10}>|&gt;|[\u00bb\u203a}])"
_LONG = 60


def remove_quoting(log: Log, lines: list[Line]) -> list[Line]:
    """The quoted template, without what the reply added above, between and below."""
    lines = _without_forwarding(log, _without_line_numbers(log, lines))
    mark = _shared_mark(lines) or _MARK
    quote = re.compile(rf"[ \t]?(?P<marks>{mark}(?:[ \t]?{mark})*)(?P<space>[ \t]?)(?P<text>.*)")
    quoted = {at: match for at, line in enumerate(lines) if (match := quote.fullmatch(plain(line.text)))}
    labels = {at: label.key for at, match in quoted.items() if (label := find_label(match["text"]))}
    own = keys_of([line for at, line in enumerate(lines) if at not in quoted])
    if len({*labels.values()} - own) < 2 or len({*labels.values()}) <= len(own):
        return _without_earlier_message(log, lines)
    depth = min(len(re.findall(mark, quoted[at]["marks"])) for at in labels)
    has_space = all(match["space"] or not match["text"] for match in quoted.values())
    space = "[ \t]?" if has_space else ""
    prefix = re.compile(rf"[ \t]?(?:{mark}[ \t]?){{{depth - 1}}}{mark}{space}")
    first = min(quoted)
    kept: list[Line] = []
    for at, line in enumerate(lines):
        match = quoted.get(at)
        if match and (found := prefix.match(plain(line.text))):
            kept.append(Line(line.number, line.text[found.end() :]))
            log.note(Kind.QUOTING, line.number, line.text, kept[-1].text or ">")
        elif not line.text.strip() or (
            at - 1 in quoted and at + 1 in quoted and _ends_long_line(lines[at - 1].text, line.text)
        ):
            kept.append(line)
        else:
            log.removed(Kind.QUOTING, [line], is_certain=at < first)
    return kept


_SHARED_MARK = re.compile(r"[ \t]*(?P<mark>\+|[#%/;:|*!\u2022\u00b7-]{1,3}(?=[ \t]|\Z))")
_LINE_NUMBER = re.compile(r"[ \t]*(?P<number>[0-9]{1,6})(?:[ \t:|]+|\Z)")


def _shared_mark(lines: Sequence[Line]) -> str:
    """The pattern of a mark that all lines begin with, such as that of comments or of added lines; "" without one."""
    found = [_SHARED_MARK.match(line.text) for line in lines if line.text.strip()]
    marks = [match["mark"] if match else "" for match in found]
    first, last = min(marks, default=""), max(marks, default="")
    shared = "".join(
        one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    )
    return re.escape(shared) if len(found) > 1 else ""


def _without_line_numbers(log: Log, lines: list[Line]) -> list[Line]:
    """The lines without the numbers that an editor or a document shows before each of them."""
    found = [(line, _LINE_NUMBER.match(line.text)) for line in lines if line.text.strip()]
    numbers = [int(match["number"]) for _, match in found if match]
    if len(found) < 3 or len(numbers) < len(found) or any(b <= a for a, b in pairwise(numbers)):
        return lines
    ends = {line.number: match.end() for line, match in found if match}
    bare = dedent([line.text[ends.get(line.number, 0) :] for line in lines])
    if len(keys_of([Line(1, text) for text in bare])) < 2:
        return lines
    for line, text in zip(lines, bare, strict=True):
        if line.text.strip():
            log.note(Kind.QUOTING, line.number, line.text, text)
    return [Line(line.number, text) for line, text in zip(lines, bare, strict=True)]


def _ends_long_line(quoted: str, text: str) -> bool:
    """Whether a text is the end of a quoted line that was too long, and not a remark on it."""
    begins_sentence = quoted.rstrip()[-1] in ".:;!?" and text[:1].isupper()
    return len(quoted) >= _LONG and not begins_sentence


_FORWARDED = re.compile(
    r"[ \t]*(?:-{2,}[ \t]*(?:Forwarded message|Original message|Forwarded by)\b.*|Begin forwarded message:)[ \t]*",
    re.IGNORECASE,
)


def _without_forwarding(log: Log, lines: list[Line]) -> list[Line]:
    """The lines without the header of a forwarded message above the template."""
    at = next((at for at, line in enumerate(lines) if _FORWARDED.fullmatch(line.text)), None)
    if at is None or "namespace_identifier" in keys_of(lines[:at]):
        return lines
    start = next((start for start in range(at + 1, len(lines)) if lines[start].text.strip()), len(lines))
    head = list(takewhile(lambda line: line.text.strip(), lines[start:]))
    if not _is_header(head):
        return lines
    log.removed(Kind.QUOTING, [*lines[: at + 1], *head])
    return lines[start + len(head) :]


_WROTE = re.compile(
    r"[ \t]*(?:(?:On|Am|Le|El|Il) .{5,200}|.{3,100}<[^\s<>]{3,200}>.{0,40}) (?:wrote|schrieb|a \u00e9crit|escribi\u00f3|ha scritto)[ \t]*:[ \t]*"
)


def _without_earlier_message(log: Log, lines: list[Line]) -> list[Line]:
    """The lines above the message that a reply with a template quotes below it."""
    unquoted = [Line(each.number, "" if each.text.startswith(">") else each.text) for each in lines]
    for at in range(_after_last_label(unquoted), len(lines)):
        is_wrapped = at + 1 < len(lines) and not _WROTE.fullmatch(lines[at + 1].text)
        both = f"{lines[at].text} {lines[at + 1].text}" if is_wrapped else ""
        introduces = _WROTE.fullmatch(lines[at].text) or _WROTE.fullmatch(both)
        if introduces and _next_text(lines, at + (not _WROTE.fullmatch(lines[at].text))).startswith(">"):
            log.removed(Kind.QUOTING, lines[at:], is_certain=False)
            return lines[:at]
    start = next((at for at, line in enumerate(lines) if _FORWARDED.fullmatch(line.text)), None)
    if start is not None and keys_of(lines[start:]) < keys_of(lines[:start]):
        log.removed(Kind.QUOTING, lines[start:], is_certain=False)
        return lines[:start]
    return lines


def _next_text(lines: Sequence[Line], at: int) -> str:
    return next((line.text for line in lines[at + 1 : at + 4] if line.text.strip()), "")


SIGNATURE = re.compile(r"--[ \t]?")
# Other lines that some people draw above their names.
_DRAWN = re.compile(r"[ \t]*(?:[\u2013\u2014]|[_*~]{2,4}|-{3,4})[ \t]*")
_CLOSING = re.compile(
    r"(?:(?:with )?(?:(?:all )?(?:the )?best|kind|warm|kindest|warmest)(?: (?:regards|wishes))?|regards|(?:yours )?(?:sincerely|faithfully|truly|respectfully)(?: yours)?"
    r"|cheers|thanks(?: in advance| again)?|many thanks|thank you|[bk]?rgds|[bk]r|(?:viele|herzliche|beste|freundliche|liebe|sch\u00f6ne) gr\u00fc\u00dfe"
    r"|mit freundlichen gr\u00fc\u00dfen|mfg|(?:bien )?cordialement|bien \u00e0 vous|salutations|(?:un )?(?:cordial(?:es)? )?saludos?(?: cordiales)?|atentamente"
    r"|cordiali saluti|distinti saluti|atenciosamente|(?:met )?vriendelijke groet(?:en)?|(?:med )?v\u00e4nliga? h\u00e4lsning(?:ar)?"
    r"|(?:med )?venlig hilsen|(?:med )?vennlig hilsen|yst\u00e4v\u00e4llisin terveisin|\u0441 \u0443\u0432\u0430\u0436\u0435\u043d\u0438\u0435\u043c|pozdrawiam|s pozdravem)(?:[ \t]*[,.!]?|,[ \t]+[A-Z][\w.-]*(?: [A-Z][\w.-]*){0,3})"
    r"|(?:sent from|get|envoy\u00e9 de|enviado desde|inviato da|verzonden vanaf) (?:my |mon |mi |mijn )?(?:outlook|iphone|ipad|android|phone|mobile|mail|samsung|yahoo)\b.{0,60}|sent from my .{2,40}"
    r"|von mein\w+ .{2,30} gesendet",
    re.IGNORECASE,
)
_MAX_SIGNATURE = 15
_MAX_CLOSING = 8
_MAX_DRAWN = 5
_MAX_END = 40  # lines of a signature or a footer, with blank ones


_ARMOR = re.compile(r"-----BEGIN PGP (?P<what>SIGNED MESSAGE|SIGNATURE)-----[ \t]*")
_DASH_ESCAPE = re.compile("^- (?=-|From )")


def _without_armor(log: Log, lines: list[Line]) -> list[Line]:
    """The text of a message that is signed in clear (RFC 9580, Section 7)."""
    found = {match["what"]: at for at, line in enumerate(lines) if (match := _ARMOR.fullmatch(line.text))}
    start, end = found.get("SIGNED MESSAGE"), found.get("SIGNATURE", len(lines))
    if start is None or end < start:
        return lines
    body = next((at for at in range(start + 1, end) if not lines[at].text.strip()), end)
    log.removed(Kind.SIGNATURE, [*lines[start:body], *lines[end:]])
    return [*lines[:start], *(Line(line.number, _DASH_ESCAPE.sub("", line.text)) for line in lines[body:end])]


def remove_signature(log: Log, lines: list[Line]) -> list[Line]:
    """The lines above the signature, or above the words that close a letter."""
    lines = _without_armor(log, lines)
    for at in range(max(_after_last_label(lines), _end(lines) - _MAX_END), _end(lines)):
        text = plain(lines[at].text)
        rest = [line for line in lines[at + 1 :] if line.text.strip()]
        is_alone = at == 0 or not lines[at - 1].text.strip() or text.rstrip().endswith(",")
        is_drawn = _DRAWN.fullmatch(text) is not None and len(rest) <= _MAX_DRAWN and is_alone
        if (SIGNATURE.fullmatch(text) or is_drawn) and rest and len(rest) <= _MAX_SIGNATURE:
            log.removed(Kind.SIGNATURE, lines[at:], is_certain=text == "-- ")
            return lines[:at]
        if _CLOSING.fullmatch(text.strip()) and is_alone and len(rest) <= _MAX_CLOSING:
            log.removed(Kind.SIGNATURE, lines[at:], is_certain=False)
            return lines[:at]
    return lines


_RULE = re.compile(r"[ \t]*(?:_{5,}|-{3,}|={5,}|\*{5,}|[-=]{9,}|\u2014)[ \t]*|--[ \t]?")
LIST_FOOTER = re.compile(
    r"\bmailing list\b.{0,80}$|/mailman3?/(?:listinfo|lists)/|\bto unsubscribe\b|\bunsubscribe (?:from|send|visit|at|here)\b|^groups\.io links:"
    r"|\byou (?:received this message|are receiving this) because you\b|-leave@|-request@|^reply to this e-?mail directly\b"
    r"|^(?:this|the information (?:contained )?in this) (?:e-?mail\b|message (?:and any|is intended|is confidential|may contain))|^confidentiality notice\b",
    re.IGNORECASE,
)


def remove_list_footer(log: Log, lines: list[Line]) -> list[Line]:
    """The lines above the footer that the server of a list added, or the notice of a mail system."""
    after = max(_after_last_label(lines), _end(lines) - _MAX_END)
    found = next((at for at in range(after, len(lines)) if LIST_FOOTER.search(lines[at].text)), None)
    if found is None:
        return lines
    rule = next(
        (at for at in range(found, max(after, found - 4) - 1, -1) if _RULE.fullmatch(lines[at].text)), None
    )
    is_alone = found == 0 or not lines[found - 1].text.strip()
    if rule is None and not is_alone:
        return lines
    start = found if rule is None else rule
    log.removed(Kind.LIST_FOOTER, lines[start:], is_certain=rule is not None)
    return lines[:start]


def _after_last_label(lines: Sequence[Line]) -> int:
    """The index of the line below the last label; 0 without labels, as in the text of one section."""
    return next((at + 1 for at in range(len(lines) - 1, -1, -1) if find_label(lines[at].text)), 0)


def _end(lines: Sequence[Line]) -> int:
    """The number of lines without blank lines at the end."""
    return next((at + 1 for at in range(len(lines) - 1, -1, -1) if lines[at].text.strip()), 0)
