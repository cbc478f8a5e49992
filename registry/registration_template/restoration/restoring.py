"""Restores a completed template that was damaged on its way: by mail, a word processor, a web page or a document.

Each pass undoes one kind of damage, and notes what it changed. A text without damage passes unchanged.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial

from registry.registration_template.normal_form import LINE_BREAK
from registry.registration_template.parsing.line_folding import Line
from registry.registration_template.restoration.changes import Change, Kind, Log
from registry.registration_template.restoration.characters import (
    decode_wrongly_read,
    normalise_spaces,
    normalise_typography,
    remove_invisible,
)
from registry.registration_template.restoration.labels import forget_labels, read_labels, read_near_names
from registry.registration_template.restoration.mail import (
    decode_message,
    decode_quoted_printable,
    remove_list_footer,
    remove_quoting,
    remove_signature,
)
from registry.registration_template.restoration.markup import flatten_markup, remove_escapes
from registry.registration_template.restoration.pages import remove_afterwards, remove_fence, remove_pages

_Pass = Callable[[Log, list[Line]], list[Line]]
_PASSES: dict[Kind, _Pass] = {
    Kind.MAIL: decode_message,
    Kind.QUOTED_PRINTABLE: decode_quoted_printable,
    Kind.QUOTING: remove_quoting,
    Kind.HTML: flatten_markup,
    Kind.FENCE: remove_fence,
    Kind.ESCAPES: remove_escapes,
    Kind.LIST_FOOTER: remove_list_footer,
    Kind.SIGNATURE: remove_signature,
    Kind.AFTERWARDS: remove_afterwards,
    Kind.ENCODING: decode_wrongly_read,
    Kind.INVISIBLE: remove_invisible,
    Kind.SPACES: normalise_spaces,
    Kind.TYPOGRAPHY: normalise_typography,
    Kind.LABELS: read_labels,
    Kind.NAMES: read_near_names,
}


@dataclass(frozen=True, slots=True)
class RestoredText:
    """A text whose damage is undone. `origins` are the lines of the original text that its lines are from."""

    text: str
    origins: tuple[int, ...]
    changes: tuple[Change, ...]


def restore(text: str, keep: Collection[str] = ()) -> RestoredText:
    """The text without damage. The kinds in `keep` stay as they are."""
    whole = text.lstrip("\ufeff")
    lines = [Line(number, line) for number, line in enumerate(LINE_BREAK.split(whole), start=1)]
    log = Log()
    passes = _PASSES | {Kind.PAGES: partial(remove_pages, feeds=_lines_after_form_feeds(whole))}
    try:
        for kind in Kind:
            if kind.value not in keep:
                lines = passes[kind](log, lines) or [Line(1, "")]  # a text has at least one line
    finally:
        forget_labels()
    changes = log.changes()
    if not changes:
        return RestoredText(text, (), ())
    return RestoredText("\n".join(line.text for line in lines), tuple(line.number for line in lines), changes)


def _lines_after_form_feeds(text: str) -> frozenset[int]:
    """The numbers of the lines that begin below a form feed."""
    breaks = enumerate(LINE_BREAK.finditer(text), start=2)
    return frozenset(number for number, found in breaks if found[0] == "\f")
