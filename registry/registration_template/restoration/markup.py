"""HTML and the XML of RFCs as lines of text, and the escapes of Markdown and HTML."""

import re
from html import unescape
from html.parser import HTMLParser

from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.restoration.changes import Kind, Log
from registry.registration_template.restoration.labels import find_label, keys_of
from registry.registration_template.restoration.pages import FENCE

_BLOCKS = frozenset(
    [
        "address",
        "article",
        "artwork",
        "aside",
        "blockquote",
        "body",
        "center",
        "dd",
        "div",
        "dl",
        "dt",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "label",
        "legend",
        "li",
        "main",
        "name",
        "ol",
        "p",
        "para",
        "pre",
        "section",
        "sourcecode",
        "summary",
        "t",
        "table",
        "tbody",
        "thead",
        "title",
        "tr",
        "ul",
    ]
)
_AS_TYPED = frozenset({"pre", "artwork", "sourcecode", "textarea"})
_LABELS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "label", "legend", "name", "summary", "title"})
# Labels in version 2 of the XML of RFCs (RFC 7749, Sections 2.38 and 2.40)
_LABEL_ATTRIBUTES = {"section": "title", "t": "hangtext"}
_UNSEEN = frozenset({"script", "style", "head", "template"})
_CELLS = frozenset({"td", "th"})
# Tags that need no end (HTML Living Standard, Sections 13.1.2 and 13.1.2.4), and that are no blocks.
_WITHOUT_END = frozenset({"br", "col", "hr", "html", "img", "input", "link", "meta", "wbr"})
_END_TAG = re.compile(r"</([^\s<>/]+)")
# A “<” that begins no markup. Of what never ends, `html.parser` takes quadratic time or raises AssertionError.
_LITERAL = re.compile(
    r"<(?!(?:/?[A-Za-z]|\?|!(?!\[))[^<>]{0,1000}>|!--|!\[CDATA\[|!\[(?:if|endif)(?=[ \]])[^<>\]]{0,1000}\]>)"
)
_WITH_END = (("<!--", "-->"), ("<![CDATA[", "]]>"))
_LESS_THAN = "\0"  # which no text contains: U+0000 is refused
TAG = re.compile(
    r"</?(?:html|head|body|title|p|div|br|span|table|tr|t[dh]|d[ltd]|h[1-6]|li|ul|ol|pre|strong|section|name|artwork|figure|list|t|title|para|summary|label|legend|o:p)(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_ENOUGH = 3


class _Flattener(HTMLParser):
    """Collects the lines of a text, with the line of the source in which each begins."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self._ended = {name.lower() for name in _END_TAG.findall(source)}
        self.lines: list[tuple[int, str]] = []
        self._parts: list[str] = []
        self._at = 1
        self._is_begun = False
        self._as_typed = 0
        self._unseen: str = ""
        self._is_first_cell = True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unseen:
            return
        if self._is_text(tag, attrs):
            self._add(self.get_starttag_text() or "")
        elif tag in _UNSEEN:
            self._unseen = tag
        elif tag == "br":
            self._end_line(is_blank=True)
        elif tag in _CELLS:
            self._parts.append("" if self._is_first_cell else " ")
        elif tag in _BLOCKS:
            self._end_line()
            self._is_first_cell = tag == "tr"
        if label := dict(attrs).get(_LABEL_ATTRIBUTES.get(tag, "")):
            self._add(label)
            self._mark_label()
            self._parts.append(" ")
            if tag == "section":
                self._end_line()
        self._as_typed += tag in _AS_TYPED

    def _is_text(self, tag: str, attrs: list[tuple[str, str | None]]) -> bool:
        """Whether a name in angle brackets is none of a tag, such as in grammar."""
        is_known = tag in _BLOCKS | _UNSEEN | _CELLS | _WITHOUT_END
        return not (attrs or is_known or tag in self._ended)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._unseen:
            self._unseen = ""
        if self._unseen:
            return
        if tag in _LABELS or (tag in _CELLS and self._is_first_cell):
            self._mark_label()
        if tag in _CELLS:
            self._is_first_cell = False
        elif tag in _BLOCKS:
            self._end_line()
        if tag in _AS_TYPED:
            self._as_typed = max(0, self._as_typed - 1)

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        if self._as_typed:
            first, *others = data.split("\n")
            self._add(first)
            for number, other in enumerate(others, start=1):
                self._end_line(is_blank=True)
                self._add(other, number)
        else:
            self._add(re.sub(r"[ \t\r\n\f]+", " ", data))

    def unknown_decl(self, data: str) -> None:
        if data.startswith("CDATA["):
            self.handle_data(data.removeprefix("CDATA["))

    def close(self) -> None:
        super().close()
        self._end_line()

    def _add(self, text: str, below: int = 0) -> None:
        if not self._is_begun:
            self._at = self.getpos()[0] + below
            self._is_begun = not text.isspace()
        self._parts.append(text)

    def _mark_label(self) -> None:
        text = "".join(self._parts).strip()
        if find_label(f"{text.rstrip(':')}:") and not text.endswith(":"):
            self._parts = [text, ": "]

    def _end_line(self, *, is_blank: bool = False) -> None:
        text = "".join(self._parts).replace(_LESS_THAN, "<")
        self._parts, self._is_begun = [], False
        text = text.rstrip() if self._as_typed else re.sub(" +", " ", text).strip(" ")
        if text or is_blank:
            self.lines.append((self._at if text else self.getpos()[0], text))


def _with_literals(source: str) -> str:
    """The source with U+0000 in place of each “<” that begins no markup which ends."""
    source = _LITERAL.sub(_LESS_THAN, source)
    for opening, closing in _WITH_END:
        cut = max(0, source.rfind(closing) - len(opening) + 1)
        source = source[:cut] + source[cut:].replace(opening, _LESS_THAN + opening[1:])
    return source


def flatten_markup(log: Log, lines: list[Line]) -> list[Line]:
    """The text of HTML or XML, if its tags hide the labels of sections, or most lines have tags."""
    tagged = [line for line in lines if TAG.search(line.text)]
    if sum(len(TAG.findall(line.text)) for line in tagged) < _ENOUGH:
        return lines
    source = "\n".join(line.text for line in lines)
    flattener = _Flattener(source)
    flattener.feed(_with_literals(source))
    flattener.close()
    flat = [Line(lines[min(number, len(lines)) - 1].number, text) for number, text in flattener.lines]
    gained = len(keys_of(flat)) - len(keys_of(lines))
    filled = [line for line in lines if line.text.strip()]
    if gained < 0 or (
        gained == 0 and len(tagged) < len(filled) / 2 and TAG.match(filled[0].text.strip()) is None
    ):
        return lines
    for line in tagged:
        log.note(Kind.HTML, line.number, line.text, TAG.sub("", line.text))
    return flat


_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
# What nothing but Markdown escapes. In other languages, a letter or a digit may follow a backslash.
OF_MARKDOWN = re.compile(r"\\[_*<>#~`]|(?<=[0-9])\\-(?=[0-9])|\\\"[^\"]{0,200}\\\"")
_OF_OTHERS = re.compile(r"\\(?![!-/:-@\[-`{-~])(?=.)|(?<=\")\\(?=\")")
_HARD_BREAK = re.compile(r"(?<!\\)\\[ \t]*\Z")
_ENTITY = re.compile(
    r"&(?:quot|amp|lt|gt|nbsp|apos|[lr][sd]quo|[nm]dash|hellip|shy|[a-zA-Z](?:acute|grave|circ|uml|cedil|tilde|slash|ring)|szlig|#(?:34|39|160|82(?:11|12|16|17|20|21)|x27|x22));"
)

_AMPERSAND = re.compile("&")


def remove_escapes(log: Log, lines: list[Line]) -> list[Line]:
    """The lines with the characters that Markdown or HTML escaped, if the text has no other backslashes.

    A backslash at the end of several lines is a line break of Markdown. Within a fence, nothing is escaped.
    """
    has_others = any(_OF_OTHERS.search(line.text) for line in lines)
    has_escapes = not has_others and any(OF_MARKDOWN.search(line.text) for line in lines)
    has_breaks = (
        not has_others and sum(_HARD_BREAK.search(line.text) is not None for line in lines) >= _ENOUGH
    )
    # A text about entities has few of them, and “&” alone too.
    is_all = all(
        _ENTITY.match(line.text, found.start()) for line in lines for found in _AMPERSAND.finditer(line.text)
    )
    has_entities = is_all or sum(_ENTITY.search(line.text) is not None for line in lines) >= _ENOUGH
    read: list[Line] = []
    is_fenced = False
    for line in lines:
        is_fenced ^= FENCE.fullmatch(line.text) is not None
        if is_fenced:
            read.append(line)
            continue
        text = _HARD_BREAK.sub("", line.text) if has_breaks else line.text
        text = _ESCAPE.sub(r"\1", text) if has_escapes else text
        text = _ENTITY.sub(lambda found: unescape(found[0]), text) if has_entities else text
        if text != line.text:
            log.note(Kind.ESCAPES, line.number, line.text, text, is_certain=False)
        read.append(Line(line.number, text))
    return read
