"""Formatting of user input for plain text mails."""

import re
import textwrap

_BREAK_OR_CONTROL = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")


def one_line(text: object) -> str:
    """Return the text as one line: runs of white space and control characters become one space."""
    return _BREAK_OR_CONTROL.sub(" ", str(text)).strip()


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
