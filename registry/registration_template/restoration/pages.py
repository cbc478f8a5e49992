"""Documents around a template: pages of RFCs, drafts and PDF files, Markdown fences, and later sections of a draft."""

import re
from collections import Counter
from collections.abc import Container
from itertools import pairwise

from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.restoration.changes import Kind, Log
from registry.registration_template.restoration.labels import find_label, keys_of

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
FOOTER = re.compile(
    r"\S.{0,120}\[Page [0-9ivxl]+\][ \t]*|[ \t]*\[?Page [0-9]+(?: ?(?:of|/) ?[0-9]+)?\]?[ \t]*", re.IGNORECASE
)
HEADER = re.compile(
    rf"[ \t]*(?:RFC [0-9]+|Internet[- ]Draft)[ \t]{{2,60}}\S.{{0,120}}[ \t]{{2,60}}(?:[0-9]{{1,2}} )?{_MONTH} [0-9]{{4}}[ \t]*",
    re.IGNORECASE,
)
_NUMBER_ALONE = re.compile(
    r"[ \t]*(?:- ?)?[0-9]{1,4}(?: ?(?:of|/) ?[0-9]{1,4})?(?: ?-)?[ \t]*", re.IGNORECASE
)
_LONG = 50
_ENOUGH = 2  # of pages
_DIGITS = re.compile("[0-9]{1,4}")
_ENDS_SENTENCE = re.compile(r"[.:;!?)\"\u201d][ \t]*$")


def remove_pages(log: Log, lines: list[Line], feeds: Container[int] = ()) -> list[Line]:
    """The lines without footers, headers and form feeds. `feeds` are the lines that a form feed begins."""
    feeds = {*(line.number for line in lines if line.number in feeds), *_below_shown_feeds(lines)}
    removed = _page_lines(lines, feeds)
    below_feeds = [line.number for line in lines if line.number in feeds]
    if not removed and not below_feeds:
        return lines
    kept: list[Line] = []
    gap: list[Line] = []  # blank lines and what was removed, below the last line that stays
    for at, line in enumerate(lines):
        if at in removed:
            log.note(Kind.PAGES, line.number, line.text, is_certain=removed[at])
            gap.append(line)
        elif not line.text.strip():
            gap.append(line)
        else:
            kept += _between(kept, gap, line, feeds)
            gap = []
            kept.append(line)
    for number in below_feeds:
        log.note(Kind.PAGES, number, "form feed")
    return kept


_SHOWN_FEED = re.compile(r"[ \t]*\^L[ \t]*")


def _below_shown_feeds(lines: list[Line]) -> list[int]:
    """The numbers of the lines below form feeds that a program wrote as “^L”."""
    return [below.number for line, below in pairwise(lines) if _SHOWN_FEED.fullmatch(line.text)]


def _between(kept: list[Line], gap: list[Line], following: Line, feeds: Container[int]) -> list[Line]:
    """The blank lines that stay between two lines of text: one or none where a page ended."""
    is_page_break = (
        any(line.text.strip() or line.number in feeds for line in gap) or following.number in feeds
    )
    if not is_page_break:
        return gap
    is_within_paragraph = (
        bool(kept)
        and len(kept[-1].text) >= _LONG
        and _ENDS_SENTENCE.search(kept[-1].text) is None
        and find_label(following.text) is None
    )
    if is_within_paragraph:
        return []
    blank = next((line for line in gap if not line.text.strip()), None)
    return [blank] if blank else []


def _page_lines(lines: list[Line], feeds: Container[int]) -> dict[int, bool]:
    """The indexes of footers and headers, and whether it is certain that they are."""
    footers = [at for at, line in enumerate(lines) if FOOTER.fullmatch(line.text)]
    headers = [at for at, line in enumerate(lines) if HEADER.fullmatch(line.text)]
    edges = [at for at, line in enumerate(lines) if line.number in feeds]
    # One such line alone may be a citation, and headers without footers a list of RFCs.
    has_pages = bool(edges or (footers and headers) or len(footers) >= _ENOUGH)
    removed = dict.fromkeys([*footers, *headers], has_pages)
    removed |= dict.fromkeys((at for at, line in enumerate(lines) if _SHOWN_FEED.fullmatch(line.text)), True)
    above = [_nearest(lines, at - 1, -1) for at in edges]
    below = [_nearest(lines, at, 1) for at in edges]
    running = Counter(_words(lines[at].text) for at in (*above, *below) if at is not None)
    for side in (above, below):
        for page, at in enumerate(side):
            if at is None or at in removed or find_label(lines[at].text):
                continue
            if _NUMBER_ALONE.fullmatch(lines[at].text):
                is_certain = any(_follows(lines, side, page, step) for step in (-1, 1))
                if is_certain or not _is_value(lines, at):
                    removed[at] = is_certain
            elif running[_words(lines[at].text)] >= _ENOUGH:
                removed[at] = False
    return removed


def _follows(lines: list[Line], side: list[int | None], page: int, step: int) -> bool:
    """Whether the number at one page and that at the page beside it count pages."""
    own, beside = side[page], side[page + step] if 0 <= page + step < len(side) else None
    if own is None or beside is None:
        return False
    first, second = (_DIGITS.search(lines[at].text) for at in (own, beside))
    return bool(first and second) and int(second[0]) == int(first[0]) + step  # type: ignore[index]


def _is_value(lines: list[Line], at: int) -> bool:
    before = _nearest(lines, at - 1, -1)
    return before is not None and find_label(lines[before].text) is not None


def _nearest(lines: list[Line], at: int, step: int) -> int | None:
    while 0 <= at < len(lines) and not lines[at].text.strip():
        at += step
    return at if 0 <= at < len(lines) else None


def _words(text: str) -> str:
    """The text without what differs from page to page."""
    return " ".join(re.sub(r"[0-9]+", "", text).split())


FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})[ \t]*[A-Za-z0-9_+-]*[ \t]*")


def remove_fence(log: Log, lines: list[Line]) -> list[Line]:
    """The template inside a Markdown fence, or without a fence that only closes. Fences within sections stay."""
    lines = _without_blocks(log, lines)
    fences = [
        at for at, line in enumerate(lines) if FENCE.fullmatch(line.text) and not _is_underline(lines, at)
    ]
    labels = [at for at, line in enumerate(lines) if find_label(line.text)]
    if not fences or not labels:
        return lines
    before = [at for at in fences if at < labels[0]]
    after = [at for at in fences if at > labels[-1]]
    opening = before[-1] if before else None
    closing = after[-1] if after and (len(fences) % 2 or opening is not None) else None
    if opening is None and closing is None:
        return lines
    if closing is not None and any(each.text.strip() for each in lines[closing + 1 :]):
        log.removed(Kind.FENCE, lines[closing + 1 :], is_certain=False)
    log.removed(Kind.FENCE, [lines[at] for at in (opening, closing) if at is not None])
    return [line for at, line in enumerate(lines) if at != opening and (closing is None or at < closing)]


_BLOCK = re.compile(
    r"[ \t]*(?:(?P<delimiter>[-=.+]{4,})|</?details\b[^<>]{0,100}>|<summary>.{0,200}</summary>)[ \t]*"
)


def _without_blocks(log: Log, lines: list[Line]) -> list[Line]:
    """The lines without what begins and ends a block around the template, in AsciiDoc and in HTML on web sites."""
    blocks = {at: match for at, line in enumerate(lines) if (match := _BLOCK.fullmatch(line.text))}
    labels = [at for at, line in enumerate(lines) if blocks and find_label(line.text)]
    last = next((at for at in range(len(lines) - 1, -1, -1) if lines[at].text.strip()), -1)
    if not labels or last not in blocks or last <= labels[-1]:
        return lines
    delimiter = blocks[last]["delimiter"]
    around = [at for at in blocks if (at < labels[0] or at == last) and blocks[at]["delimiter"] == delimiter]
    if len(around) < 2:
        return lines
    log.removed(Kind.FENCE, [lines[at] for at in around])
    return [line for at, line in enumerate(lines) if at not in around]


def _is_underline(lines: list[Line], at: int) -> bool:
    """Whether a line of tildes is below a title, as in reStructuredText."""
    label = find_label(lines[at - 1].text) if at and lines[at].text.startswith("~") else None
    return label is not None and not label.rest


_NUMBERED = re.compile(
    r"[ \t]*(?:[0-9]{1,2}(?:\.[0-9]{1,2})*\.?|Appendix [A-Z][.:]?|[A-Z]\.)[ \t]+(?P<title>[A-Z][^.:]{2,70})[ \t]*"
)
_UNNUMBERED = re.compile(
    r"(?:Author(?:'s|s'|\u2019s|s\u2019) Address(?:es)?|Acknowledge?ments?|Contributors?|Full Copyright Statement|Intellectual Property(?: Statement)?"
    r"|(?:Normative |Informative )References|Index|Status of This Memo|Copyright Notice)[ \t]*"
)


def remove_afterwards(log: Log, lines: list[Line]) -> list[Line]:
    """The lines above the sections of a draft that follow the template."""
    labels = [at for at, line in enumerate(lines) if find_label(line.text)]
    last = next((at for at in reversed(labels) if not _is_title(lines, at)), None)
    if last is None or len(keys_of(lines[: last + 1])) < 8:
        return lines
    start = next((at for at in range(last + 1, len(lines)) if _is_title(lines, at)), None)
    if start is None or not _is_in_document(lines, labels[0], start):
        return lines
    log.removed(Kind.AFTERWARDS, lines[start:], is_certain=False)
    return lines[:start]


def _is_title(lines: list[Line], at: int) -> bool:
    text = lines[at].text
    stands_alone = (at == 0 or not lines[at - 1].text.strip()) and (
        at + 1 == len(lines) or not lines[at + 1].text.strip()
    )
    return stands_alone and (_NUMBERED.fullmatch(text) or _UNNUMBERED.fullmatch(text.strip())) is not None


def _is_in_document(lines: list[Line], first: int, start: int) -> bool:
    """Whether numbered sections are above the template, or several titles below it."""
    above = any(_is_title(lines, at) for at in range(first))
    below = sum(_is_title(lines, at) for at in range(start, len(lines)))
    return above or below > 1 or _UNNUMBERED.fullmatch(lines[start].text.strip()) is not None
