"""Formatting of user input for plain text mails."""

import re
import textwrap

_BREAK_OR_CONTROL = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")

_SINGLE_QUOTES = str.maketrans('\u201c\u201d\u201e\u201f"', "\u2018\u2019\u201a\u201b'")


def one_line(text: object) -> str:
    """Return the text as one line: runs of white space and control characters become one space."""
    return _BREAK_OR_CONTROL.sub(" ", str(text)).strip()


def quoted(name: object) -> str:
    """Return a name that a person chose, in quotation marks, so that it is not read as a sentence of the registry.

    Double quotation marks in it become single ones.
    """
    return f"“{one_line(name).translate(_SINGLE_QUOTES)}”"


def indented(text: object) -> str:
    """Wrap and indent the text by four columns, so that it is not mistaken for text of the registry.

    Words longer than a line, such as URLs, are not broken.
    """
    wrapper = textwrap.TextWrapper(
        width=76,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(wrapper.fill(line) for line in str(text).strip().splitlines())
