"""Texts of results, with the words of the search marked."""

import re
from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from registry.namespaces.search_terms.words import Term

EXCERPT = 30  # words
BEFORE = 8  # words before the first one that is marked
WORD_OR_OTHER = re.compile(r"([^\W_]+)")


def marked(text: str, terms: Sequence[Term]) -> SafeString:
    """The text with the terms in `<mark>`."""
    return format_html_join("", "{}", ((each,) for each in _parts(text, terms)))


def _parts(text: str, terms: Sequence[Term]) -> list[str]:
    """The words and what is between them."""
    return [
        format_html("<mark>{}</mark>", part)
        if place % 2 and any(each.matches(part) for each in terms)
        else part
        for place, part in enumerate(WORD_OR_OTHER.split(text))
    ]


def excerpt(text: str, terms: Sequence[Term]) -> str:
    """The words around the first term in a text, with an ellipsis for what is left out."""
    words = text.split()
    first = next((place for place, word in enumerate(words) if any(each.is_in(word) for each in terms)), 0)
    start = max(0, min(first - BEFORE, len(words) - EXCERPT))
    end = start + EXCERPT
    return " ".join(["…"] * (start > 0) + words[start:end] + ["…"] * (end < len(words)))
