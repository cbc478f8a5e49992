"""Texts of others on a terminal, which executes control characters: it can be cleared, renamed, or made to show other words."""

import re

from urnsyntax.errors import printable

NOT_ASCII = re.compile(r"[^\n\t\x20-\x7e]+")


def for_terminal(text: str) -> str:
    """Return the text with its lines and tabs, and with all other control and invisible characters escaped."""
    return NOT_ASCII.sub(lambda found: printable(found[0]), text)
