"""Namespace identifiers that could be confused with each other (RFC 8141, Section 5.1)."""

import string
from collections.abc import Iterable
from dataclasses import dataclass

_ALPHABET = string.ascii_lowercase + string.digits + "-"
_SAME_SHAPE = str.maketrans({"0": "o", "1": "i", "l": "i", "-": None})


@dataclass(frozen=True, slots=True)
class Lookalike:
    """A similar identifier, and the reason."""

    nid: str
    reason: str


def find_lookalikes(nid: str, known: Iterable[str]) -> tuple[Lookalike, ...]:
    """The known identifiers that look like `nid`, in alphabetical order, without `nid` itself."""
    own = nid.lower()
    found = (_compare(own, other) for other in sorted({each.lower() for each in known} - {own}))
    return tuple(each for each in found if each is not None)


def shape_of(nid: str) -> str:
    """An identifier without the differences of case, hyphens and look-alike characters (0/o, 1/l/i)."""
    return nid.lower().translate(_SAME_SHAPE)


def one_edit_away(nid: str) -> frozenset[str]:
    """All texts of NID characters for which `is_one_edit_apart` from `nid` is true, for a lookup in the database."""
    own = nid.lower()
    parts = [(own[:at], own[at:]) for at in range(len(own) + 1)]
    removed = {a + b[1:] for a, b in parts if b}
    swapped = {a + b[1] + b[0] + b[2:] for a, b in parts if len(b) > 1}
    replaced = {a + letter + b[1:] for a, b in parts if b for letter in _ALPHABET}
    added = {a + letter + b for a, b in parts for letter in _ALPHABET}
    return frozenset((removed | swapped | replaced | added) - {own})


def _compare(nid: str, other: str) -> Lookalike | None:
    if shape_of(nid) == shape_of(other):
        return Lookalike(
            other, "differs only in hyphens, or in similar characters such as 0 and o, or 1, l and i"
        )
    if is_one_edit_apart(nid, other):
        return Lookalike(other, "differs in one character")
    return None


def is_one_edit_apart(a: str, b: str) -> bool:
    """Whether the texts differ by one character that is added, removed or replaced, or by two that are swapped."""
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
