"""Shortening of what a client sent, for messages: they must not grow with the request."""

from collections.abc import Collection
from itertools import islice

MAX_REPEATED = 100  # characters of a text
MAX_LISTED = 10  # errors or names


def shortened(text: str, longest: int = MAX_REPEATED) -> str:
    """The text, or its beginning and an ellipsis if it is longer than `longest` characters."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def first_of(texts: Collection[str], separator: str = ", ") -> str:
    """The first texts of a list, and the number of the others."""
    left_out = len(texts) - MAX_LISTED
    end = f" and {left_out:,} {'other' if left_out == 1 else 'others'}" if left_out > 0 else ""
    return separator.join(islice(texts, MAX_LISTED)) + end
