"""Paragraphs of hard-wrapped text: for pages, and for comparisons.

Templates have lines of about 70 columns. On pages, the lines of a paragraph or of a list item are joined if every line
break is due to the line length. Grammars, tables and addresses are left unchanged, and aligned columns are set in a
monospaced font. The plain text of a version is always shown as registered.

For comparisons, the lines of prose are joined however they are wrapped: a line that was edited by hand is longer or shorter
than the others.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from registry.core.links import with_links

NARROWEST, WIDEST = 56, 100
# Lines that are broken by hand may be this much shorter than the longest line.
WRAP_TOLERANCE = 6
# What begins a list item: a bullet, a number or a letter.
_ITEM = re.compile(r"[ \t]*(?:[-*•+o]|\(?(?:[0-9]{1,3}|[A-Za-z]|[ivx]{1,4})[.)])[ \t]+")
_NEW_BLOCK = re.compile(
    r"\S+[ \t]*(=|:=|::=)[ \t]"  # a rule of a grammar
    r"|[A-Z][^\s:]*(?:[ \t][^\s:]+){0,2}:(?:[ \t]|$)"  # a label
)
_ALIGNED = re.compile(
    r"^[ \t]*\S+[ \t]*(?:=|:=|::=)[ \t]"  # a rule of a grammar
    r"|[^\s.?!:][ \t]{2,}\S",  # columns, but not two spaces after a sentence
    re.MULTILINE,
)


def rewrapped_html(text: str) -> SafeString:
    """The text with each hard-wrapped paragraph or list item on one line, URLs as links, and aligned columns in `<code>`.

    The enclosing element must keep line breaks.
    """
    paragraphs = re.split(r"\n[ \t]*\n", text)
    return format_html_join("\n\n", "{}", ((_paragraph_html(each.split("\n")),) for each in paragraphs))


def _paragraph_html(lines: list[str]) -> SafeString:
    items = list(_items(lines))
    shown = format_html_join("\n", "{}", ((_item_html(each),) for each in items))
    is_aligned = any(_is_aligned(each) for each in items)
    return format_html("<code>{}</code>", shown) if is_aligned else shown


def _is_aligned(item: list[str]) -> bool:
    """Whether a line after the marker of the item has columns, or is a rule of a grammar."""
    text = "\n".join(item)
    marker = _ITEM.match(text)
    return _ALIGNED.search(text[marker.end() :] if marker else text) is not None


def _items(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of each list item, and first those before it, if there are any."""
    item: list[str] = []
    for line in lines:
        if item and _begins_item(line, item):
            yield item
            item = []
        item.append(line)
    yield item


def _begins_item(line: str, above: list[str]) -> bool:
    """Whether a list item begins with `line`, and no wrapped line of a sentence, such as one that begins with an initial."""
    marker, marker_above = _ITEM.match(line), _ITEM.match(above[0])
    if marker is None:
        return False
    is_next = marker_above is not None and _kind(marker[0]) == _kind(marker_above[0])
    return is_next or above[-1].rstrip().endswith((":", ";", "."))


def _kind(marker: str) -> str:
    return re.sub("[0-9]+", "1", re.sub("[A-Za-z]+", "a", marker.strip()))


def _item_html(lines: list[str]) -> SafeString:
    marker = _ITEM.match(lines[0])
    if marker is None:
        return with_links(_joined(lines))
    # Its lines are compared without the marker, as if all had the same indentation.
    indentation = " " * (_indentation(lines[1]) if len(lines) > 1 else 0)
    text = _joined([indentation + lines[0][marker.end() :], *lines[1:]])
    return format_html('<span class="item">{}{}</span>', marker[0], with_links(text[len(indentation) :]))


def _joined(lines: list[str]) -> str:
    """The text with lines joined if every break between them is due to the line length. A line with a colon at its end ends a
    part, which is judged for itself.
    """
    parts: list[list[str]] = [[]]
    for line in lines:
        parts[-1].append(line)
        if line.rstrip().endswith(":"):
            parts.append([])
    return "\n".join(_joined_part(each) for each in parts if each)


def _joined_part(lines: list[str]) -> str:
    if not _is_wrapped(lines):
        return "\n".join(lines)
    return " ".join([lines[0].rstrip(), *(line.strip() for line in lines[1:])])


def _is_wrapped(lines: list[str]) -> bool:
    width = max(map(len, lines))
    if not NARROWEST <= width <= WIDEST:
        return False
    return all(_continues(line, following, width) for line, following in pairwise(lines))


def _continues(line: str, following: str, width: int) -> bool:
    """Whether `following` continues `line`: same indent, no item, rule or label, and too long for the line above."""
    rest = following.strip()
    if not rest or " " not in line.strip() or _indentation(line) != _indentation(following):
        return False
    if _NEW_BLOCK.match(rest) or _ITEM.match(rest):
        return False
    return len(line) + 1 + len(rest.split(maxsplit=1)[0]) > width - WRAP_TOLERANCE


def _indentation(line: str) -> int:
    line = line.expandtabs()
    return len(line) - len(line.lstrip())


# Lines of prose: the longest has so many characters, and all together have so many words a line.
LEAST_IN_LINE, LEAST_WORDS = 40, 4
# A longer paragraph is compared by its lines. What is common to two lines of this length is found within the limits of a comparison.
LONGEST_PARAGRAPH = 10_000


def unwrapped_lines(lines: Sequence[str]) -> list[str]:
    """The lines of a text with each paragraph and list item of prose on one line, and one blank line between them. Other lines
    stay as they are. Two texts that differ only in the wrapping of their prose have the same result, unless a line of one of
    them ends with a colon, or begins like a list item or a label (“3.”, “A.”, “Note:”): such a line is not joined.
    """
    result: list[str] = []
    for is_filled, block in groupby(lines, key=lambda line: bool(line.strip())):
        result += (line for item in _items(list(block)) for line in _unwrapped(item)) if is_filled else [""]
    return result


def _unwrapped(item: list[str]) -> list[str]:
    words = sum(len(line.split()) for line in item)
    is_prose = max(map(len, item)) >= LEAST_IN_LINE and words >= LEAST_WORDS * len(item)
    if not is_prose or sum(map(len, item)) > LONGEST_PARAGRAPH or _is_aligned(item):
        return item
    parts = [[item[0]]]
    for number, (line, following) in enumerate(pairwise(item)):
        # What follows the marker of an item may hang.
        is_hanging = number == 0 and _ITEM.match(line) is not None
        if _follows(line, following, is_hanging=is_hanging):
            parts[-1].append(following)
        else:
            parts.append([following])
    return [_spaced(part) for part in parts]


def _follows(line: str, following: str, *, is_hanging: bool) -> bool:
    """Whether `following` continues the sentence of `line`, however long the two are."""
    rest = following.strip()
    if not is_hanging and _indentation(line) != _indentation(following):
        return False
    is_list_of_names = rest.startswith("urn:") and line.lstrip().startswith("urn:")
    is_new = is_list_of_names or _NEW_BLOCK.match(rest) or _ITEM.match(rest)
    return not is_new and not line.endswith(":")


def _spaced(lines: list[str]) -> str:
    indentation = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    return indentation + " ".join(word for line in lines for word in line.split())
