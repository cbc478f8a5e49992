"""Filters for mails in plain text."""

import textwrap

from django import template

register = template.Library()


@register.filter
def indented(text: str) -> str:
    """Somebody's own words, wrapped and set in by four columns, their lines and addresses kept whole."""
    return "\n".join(_wrapped(line) for line in str(text).strip().splitlines())


def _wrapped(line: str) -> str:
    return textwrap.fill(
        line,
        width=76,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
