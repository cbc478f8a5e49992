"""Hard-wrapped text, put together for reading on a screen of any width.

Templates come with lines broken at some 70 columns. Where every break of a paragraph is there for want of
room, the lines are joined; grammars, lists, tables and addresses stay as they are, and what is lined up in
columns is set in letters of one width. Only pages show text so: the plain text of a version is what was
registered.
"""

import re
from itertools import pairwise

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

NARROWEST, WIDEST = 56, 100
# Whoever breaks lines by hand leaves a little room.
ROOM_LEFT = 6
_BEGINS_ANEW = re.compile(
    r"[-*•+o][ \t]"  # an item of a list
    r"|\(?[0-9A-Za-z]{1,3}[.)][ \t]"  # a numbered one
    r"|\S+[ \t]*(=|:=|::=)[ \t]"  # a rule of a grammar
    r"|[A-Z][^\s:]*(?:[ \t][^\s:]+){0,2}:(?:[ \t]|$)"  # a label
)
_LINED_UP = re.compile(
    r"^[ \t]*\S+[ \t]*(?:=|:=|::=)[ \t]"  # a rule of a grammar
    r"|[^\s.?!:][ \t]{2,}\S",  # columns; two spaces after a sentence are none
    re.MULTILINE,
)


def reading_html(text: str) -> SafeString:
    """The text with its hard-wrapped paragraphs in one line each, and with what is lined up as `<code>`.

    It is for an element that keeps line breaks.
    """
    paragraphs = [_joined(each) for each in re.split(r"\n[ \t]*\n", text)]
    return format_html_join(
        "\n\n",
        "{}",
        ((format_html("<code>{}</code>", each) if _LINED_UP.search(each) else each,) for each in paragraphs),
    )


def _joined(paragraph: str) -> str:
    lines = paragraph.split("\n")
    return lines[0] + "".join(f" {line.strip()}" for line in lines[1:]) if _is_wrapped(lines) else paragraph


def _is_wrapped(lines: list[str]) -> bool:
    width = max(map(len, lines))
    if not NARROWEST <= width <= WIDEST:
        return False
    return all(_goes_on(line, following, width) for line, following in pairwise(lines))


def _goes_on(line: str, following: str, width: int) -> bool:
    """Whether `following` is the rest of `line`: as far in, no beginning of its own, and without room above."""
    rest = following.strip()
    if not rest or " " not in line.strip() or _indent(line) != _indent(following):
        return False
    if _BEGINS_ANEW.match(rest) or line.endswith(":"):
        return False
    return len(line) + 1 + len(rest.split(maxsplit=1)[0]) > width - ROOM_LEFT


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
