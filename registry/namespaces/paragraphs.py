"""Rewrapping of hard-wrapped text for pages.

Templates have lines of about 70 columns. The lines of a paragraph are joined if every line break is due to the line
length. Grammars, lists, tables and addresses are left unchanged, and aligned columns are set in a monospaced font.
The plain text of a version is always shown as registered.
"""

import re
from itertools import pairwise

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from registry.core.links import with_links

NARROWEST, WIDEST = 56, 100
# Lines that are broken by hand may be this much shorter than the longest line.
WRAP_TOLERANCE = 6
_NEW_BLOCK = re.compile(
    r"[-*•+o][ \t]"  # a list item
    r"|\(?[0-9A-Za-z]{1,3}[.)][ \t]"  # a numbered list item
    r"|\S+[ \t]*(=|:=|::=)[ \t]"  # a rule of a grammar
    r"|[A-Z][^\s:]*(?:[ \t][^\s:]+){0,2}:(?:[ \t]|$)"  # a label
)
_ALIGNED = re.compile(
    r"^[ \t]*\S+[ \t]*(?:=|:=|::=)[ \t]"  # a rule of a grammar
    r"|[^\s.?!:][ \t]{2,}\S",  # columns, but not two spaces after a sentence
    re.MULTILINE,
)


def rewrapped_html(text: str) -> SafeString:
    """The text with each hard-wrapped paragraph on one line, URLs as links, and aligned columns in `<code>`.

    The enclosing element must keep line breaks.
    """
    paragraphs = [_joined(each) for each in re.split(r"\n[ \t]*\n", text)]
    return format_html_join(
        "\n\n",
        "{}",
        (
            (format_html("<code>{}</code>", linked) if _ALIGNED.search(each) else linked,)
            for each, linked in ((each, with_links(each)) for each in paragraphs)
        ),
    )


def _joined(paragraph: str) -> str:
    lines = paragraph.split("\n")
    return lines[0] + "".join(f" {line.strip()}" for line in lines[1:]) if _is_wrapped(lines) else paragraph


def _is_wrapped(lines: list[str]) -> bool:
    width = max(map(len, lines))
    if not NARROWEST <= width <= WIDEST:
        return False
    return all(_continues(line, following, width) for line, following in pairwise(lines))


def _continues(line: str, following: str, width: int) -> bool:
    """Whether `following` continues `line`: same indent, no list item or label, and too long for the line above."""
    rest = following.strip()
    if not rest or " " not in line.strip() or _indent(line) != _indent(following):
        return False
    if _NEW_BLOCK.match(rest) or line.endswith(":"):
        return False
    return len(line) + 1 + len(rest.split(maxsplit=1)[0]) > width - WRAP_TOLERANCE


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
