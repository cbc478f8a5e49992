"""Somebody's own words, made fit for a line or a paragraph of a mail in plain text."""

import re
import textwrap

_BREAK_OR_CONTROL = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


def one_line(text: object) -> str:
    """The text on one line: every run of white space and control characters becomes one space."""
    return _BREAK_OR_CONTROL.sub(" ", str(text)).strip()


def indented(text: object) -> str:
    """Wrapped, and set in by four columns, so that it can't be taken for the registry's words.

    Words longer than a line, such as an address of a page, stay whole.
    """
    wrapper = textwrap.TextWrapper(
        width=76,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(wrapper.fill(line) for line in str(text).strip().splitlines())
