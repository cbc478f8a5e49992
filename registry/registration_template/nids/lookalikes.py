"""Namespace identifiers that could be confused with each other (RFC 8141, Section 5.1)."""

from collections.abc import Iterable
from dataclasses import dataclass

from urnsyntax.nid import is_one_edit_apart

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


def _compare(nid: str, other: str) -> Lookalike | None:
    if shape_of(nid) == shape_of(other):
        return Lookalike(
            other, "differs only in hyphens, or in similar characters such as 0 and o, or 1, l and i"
        )
    if is_one_edit_apart(nid, other):
        return Lookalike(other, "differs in one character")
    return None
