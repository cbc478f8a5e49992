"""What restoring changed in a text: its kinds, with their words for people, and the places."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from registry.core.validators import first_of, shortened
from registry.registration_template.parsing.line_folding import Line

_SAMPLE = 60


class Kind(StrEnum):
    """A kind of damage, in the order in which the passes undo it."""

    MAIL = "mail"
    QUOTED_PRINTABLE = "quoted-printable"
    QUOTING = "quoting"
    HTML = "html"
    PAGES = "pages"
    FENCE = "fence"
    ESCAPES = "escapes"
    LIST_FOOTER = "list-footer"
    SIGNATURE = "signature"
    AFTERWARDS = "afterwards"
    ENCODING = "encoding"
    INVISIBLE = "invisible"
    SPACES = "spaces"
    TYPOGRAPHY = "typography"
    LABELS = "labels"
    NAMES = "names"


WHAT_HAPPENED = {
    Kind.MAIL: "The message was decoded, and its header removed (RFC 5322, RFC 2045)",
    Kind.QUOTED_PRINTABLE: "Quoted-printable code was decoded (RFC 2045, Section 6.7)",
    Kind.QUOTING: "Quote marks, other marks before each line, and lines of the reply were removed (RFC 3676, Section 4.5)",
    Kind.HTML: "HTML or XML was read as text",
    Kind.PAGES: "Page footers, page headers and form feeds were removed (RFC 7322)",
    Kind.FENCE: "The Markdown fence around the template was removed",
    Kind.ESCAPES: "Escapes of Markdown and HTML were read as the characters (CommonMark, Section 2)",
    Kind.SIGNATURE: "A signature or a closing was removed (RFC 3676, Section 4.3)",
    Kind.LIST_FOOTER: "The footer of a mailing list was removed",
    Kind.AFTERWARDS: "Text after the template was removed",
    Kind.ENCODING: "Characters that were read in a wrong encoding were decoded from UTF-8 (RFC 3629)",
    Kind.INVISIBLE: "Invisible characters were removed",
    Kind.SPACES: "Special spaces around labels became ordinary spaces",
    Kind.TYPOGRAPHY: "Ligatures became letters, and special hyphens in the identifier and the date became ordinary ones",
    Kind.LABELS: "Labels in another form were read as headings",
    Kind.NAMES: "Names close to that of a missing section were read as its heading (RFC 8141, Appendix A)",
}
ASK = "Check this: it may be part of your text."


@dataclass(frozen=True, slots=True)
class Change:
    """All changes of one kind: lines of the original text, and what the first of them had and has."""

    kind: Kind
    lines: tuple[int, ...]
    before: str
    after: str
    is_certain: bool

    @property
    def message(self) -> str:
        """What was done, where, and whether it must be checked."""
        became = f" became “{self.after}”" if self.after else ""
        place = f"Line{'s' * (len(self.lines) > 1)} {first_of([f'{line:,}' for line in self.lines])}"
        ask = "" if self.is_certain else f" {ASK}"
        return f"{WHAT_HAPPENED[self.kind]}. {place}: “{self.before}”{became}.{ask}"

    def to_json(self) -> dict[str, Any]:
        """The fields as JSON types, with the message."""
        return {
            "kind": self.kind.value,
            "lines": list(self.lines),
            "before": self.before,
            "after": self.after,
            "is_certain": self.is_certain,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class _Entry:
    line: int
    before: str
    after: str
    is_certain: bool


@dataclass(slots=True)
class Log:
    """The changes so far, line by line."""

    entries: dict[Kind, list[_Entry]] = field(default_factory=dict)

    def note(self, kind: Kind, line: int, before: str, after: str = "", *, is_certain: bool = True) -> None:
        """Add a change of one line."""
        self.entries.setdefault(kind, []).append(_Entry(line, before, after, is_certain))

    def removed(self, kind: Kind, lines: Iterable[Line], *, is_certain: bool = True) -> None:
        """Add the removal of the lines that are not blank."""
        for line in lines:
            if line.text.strip():
                self.note(kind, line.number, line.text, is_certain=is_certain)

    def changes(self) -> tuple[Change, ...]:
        """One change for each kind, in the order of the passes."""
        return tuple(_change(kind, self.entries[kind]) for kind in Kind if kind in self.entries)


def _change(kind: Kind, entries: list[_Entry]) -> Change:
    """The entries as one change. What must be checked is shown first."""
    first = next((each for each in entries if not each.is_certain), entries[0])
    before, after = _samples(*(visible(text.strip(" \t")) for text in (first.before, first.after)))
    lines = tuple(sorted({each.line for each in entries}))
    return Change(kind, lines, before, after, all(each.is_certain for each in entries))


def _samples(before: str, after: str) -> tuple[str, str]:
    """Both texts, shortened so that the first character in which they differ is seen."""
    pairs = enumerate(zip(before, after, strict=False))
    same = next((place for place, (old, new) in pairs if old != new), min(len(before), len(after)))
    start = same - _SAMPLE // 3 if same > _SAMPLE // 2 and before != after else 0
    ellipsis = "…" if start else ""
    return ellipsis + shortened(before[start:], _SAMPLE), ellipsis + shortened(after[start:], _SAMPLE)


# Characters without a glyph. What is spelling in some scripts, such as joiners (U+200C, U+200D), stays, except in labels.
INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]"
)
UNSEEN_IN_LABELS = re.compile(
    rf"{INVISIBLE.pattern}|[\u034f\u115f\u1160\u200c\u200d\u3164\ufe00-\ufe0f\uffa0\U000e0020-\U000e007f]"
)
SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")


def visible(text: str) -> str:
    """The text with code points in place of characters that cannot be seen."""
    return re.sub(f"{INVISIBLE.pattern}|{SPACE.pattern}", lambda found: f"U+{ord(found[0]):04X}", text)
