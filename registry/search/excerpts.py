"""Texts of results, with the words of the search marked."""

from collections.abc import Sequence

from django.utils.html import escape, format_html_join
from django.utils.safestring import SafeString

from registry.namespaces.search_terms.words import WORD, Term

EXCERPT = 30  # words
BEFORE = 8  # words before the first one that is marked


def marked(text: str, terms: Sequence[Term]) -> SafeString:
    """The text with the terms in `<mark>`."""
    parts, end = [], 0
    for word in WORD.finditer(text):
        if any(term.matches(word[0]) for term in terms):
            parts.append((text[end : word.start()], word[0]))
            end = word.end()
    return format_html_join("", "{}<mark>{}</mark>", parts) + escape(text[end:])


def excerpt(text: str, terms: Sequence[Term]) -> str:
    """The words around the first term in a text, with an ellipsis for what is left out."""
    words = text.split()
    first = next((place for place, word in enumerate(words) if any(each.is_in(word) for each in terms)), 0)
    start = max(0, min(first - BEFORE, len(words) - EXCERPT))
    end = start + EXCERPT
    return " ".join(["…"] * (start > 0) + words[start:end] + ["…"] * (end < len(words)))
