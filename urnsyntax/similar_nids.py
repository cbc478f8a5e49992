"""Namespace identifiers that differ by one typing error."""

import string

_ALPHABET = string.ascii_lowercase + string.digits + "-"


def is_one_edit_apart(a: str, b: str) -> bool:
    """Whether two texts in lower case differ by one character that is added, removed or replaced, or by two neighbours
    that are swapped.

    >>> is_one_edit_apart("ibsn", "isbn"), is_one_edit_apart("isb", "isbn"), is_one_edit_apart("issn", "isbn")
    (True, True, True)
    >>> is_one_edit_apart("isbn", "isbn"), is_one_edit_apart("ab", "isbn")
    (False, False)
    """
    if a == b or abs(len(a) - len(b)) > 1:
        return False
    start = next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    rest_a, rest_b = a[start:], b[start:]
    return (
        rest_a[1:] == rest_b[1:]
        or rest_a[1:] == rest_b
        or rest_a == rest_b[1:]
        or (rest_a[:2] == rest_b[1::-1] and len(rest_a) > 1 and rest_a[2:] == rest_b[2:])
    )


def one_edit_away(nid: str) -> frozenset[str]:
    """All texts of NID characters for which `is_one_edit_apart` from `nid` is true, for a lookup in the database."""
    own = nid.lower()
    parts = [(own[:at], own[at:]) for at in range(len(own) + 1)]
    removed = {a + b[1:] for a, b in parts if b}
    swapped = {a + b[1] + b[0] + b[2:] for a, b in parts if len(b) > 1}
    replaced = {a + letter + b[1:] for a, b in parts if b for letter in _ALPHABET}
    added = {a + letter + b for a, b in parts for letter in _ALPHABET}
    return frozenset((removed | swapped | replaced | added) - {own})
