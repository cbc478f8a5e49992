"""Comments as HTML: CommonMark (https://spec.commonmark.org/0.31.2/), without HTML, images and headings."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

import nh3
from django.utils.html import format_html
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from registry.core.links import REFERENCE, REL, links_in, titles_in, with_references

HELP = (
    "Write *emphasis*, **strong**, lists with “-”, and `code`, also around ABNF (CommonMark). RFC sections, cases, URNs and web "
    "addresses become links. Files can\u2019t be attached: give the address of a document."
)
AS_IN_COMMENTS = "You can write CommonMark, as in comments."
# What the rules that stay can write.
TAGS = {"a", "blockquote", "br", "code", "em", "hr", "li", "ol", "p", "pre", "strong", "ul"}
ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}
# Each of these costs up to 20 microseconds. What people write has hundreds; a text with more is shown as it is.
MARKS, MAX_MARKS = "*_`[]()<>&!\\\n", 4_000
# Code and addresses in angle brackets stay as they are. Elsewhere, what is between letters is no emphasis: neither in an address nor
# in ABNF such as 1*DIGIT.
_CODE = r"(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)|<(?:https?|mailto):[^<>\s]*>"
_SHIELDED = re.compile(
    rf"{_CODE}|(?P<shielded>{REFERENCE.pattern}|(?<=\w)[*_](?=\w))", re.IGNORECASE | re.DOTALL
)


def marks_in(text: str) -> int:
    """How many characters of a text can have a meaning, and so take time to render."""
    return sum(map(text.count, MARKS))


def as_html(text: str, titles: Mapping[str, str] | None = None) -> SafeString:
    """A comment as HTML. Line breaks are kept, and what it refers to becomes a link.

    `titles` has the addresses of sections that a comment can name, by their titles.
    """
    if marks_in(text) > MAX_MARKS:
        return format_html('<p class="prose">{}</p>', with_references(text))
    html = _PARSER.render(text, {"titles": titles or {}})
    # The parser escapes HTML already. This is a second lock: other tags and addresses do not pass.
    clean = nh3.clean(html, tags=TAGS, attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel=REL)
    return SafeString(clean)  # nosec B703  # cleaned above


def _shield(state: StateCore) -> None:
    """Escape asterisks and underscores in references, and between letters."""
    for block in state.tokens:
        if block.type == "inline":
            block.content = _SHIELDED.sub(_escaped, block.content)


def _escaped(match: re.Match[str]) -> str:
    return re.sub(r"[*_]", r"\\\g<0>", match[0]) if match["shielded"] else match[0]


def _link_references(state: StateCore) -> None:
    """Make links of what texts outside links and code refer to."""
    titles: Mapping[str, str] = state.env["titles"]
    for block in state.tokens:
        is_in_link, children = False, list[Token]()
        for token in block.children or ():
            if token.type in {"link_open", "link_close"}:
                is_in_link = token.type == "link_open"
            if token.type == "text" and not is_in_link:
                children += _with_references(token.content, titles)
            else:
                children.append(token)
        block.children = children


def _with_references(text: str, titles: Mapping[str, str]) -> Iterator[Token]:
    for part, address in links_in(text):
        for words, place in [(part, address)] if address else titles_in(part, titles):
            written = Token("text", "", 0, content=words)
            opening, closing = Token("link_open", "a", 1, attrs={"href": place}), Token("link_close", "a", -1)
            yield from (opening, written, closing) if place else (written,)


def _is_allowed(address: str) -> bool:
    try:
        return urlsplit(address).scheme in {"", *SCHEMES}
    except ValueError:
        return False


# Headings would stand between those of the page, and images would be loaded from elsewhere.
_PARSER = MarkdownIt("commonmark", {"html": False}).disable(["heading", "lheading", "image"])
_PARSER.validateLink = _is_allowed  # type: ignore[method-assign,assignment]
_PARSER.core.ruler.before("inline", "shield", _shield)
_PARSER.core.ruler.push("references", _link_references)
# The style of the page keeps spaces and line breaks in paragraphs: one break is enough, without another in the text.
for _break in ("softbreak", "hardbreak"):
    _PARSER.add_render_rule(_break, lambda *_: "<br>")
