"""Classification and similarity of namespace identifiers (RFC 8141, Sections 2.1, 5.1 and 5.2).

A NID can be well-formed without being registrable: ``urn:x-local:a`` is a URN, but the NID ``x-local`` cannot
be registered.
"""

import string
from dataclasses import dataclass
from enum import StrEnum

from .errors import InvalidNID, refuse_type
from .faults import fault_of_nid
from .grammar import (
    FORMAL_NID_PATTERN,
    INFORMAL_NID_PATTERN,
    NID_PATTERN,
    match_formal_nid,
    match_informal_nid,
    match_nid,
)

__all__ = [
    "FORMAL_NID_PATTERN",
    "INFORMAL_NID_PATTERN",
    "NID_PATTERN",
    "RESERVED_NIDS",
    "NIDKind",
    "NIDStatus",
    "check_well_formed",
    "classify",
    "is_one_edit_apart",
    "is_well_formed",
    "one_edit_away",
]

_ALPHABET = string.ascii_lowercase + string.digits + "-"


class NIDKind(StrEnum):
    """The classes of texts that `classify` distinguishes."""

    MALFORMED = "malformed"
    """The text is not a NID (Section 2.1)."""
    FORMAL = "formal"
    """The syntax allows registration for a formal namespace (Section 5.1)."""
    INFORMAL = "informal"
    """The NID has the form ``urn-N``, which the registry assigns (Section 5.2)."""
    RESERVED = "reserved"
    """Another document reserves the NID."""
    UNREGISTRABLE = "unregistrable"
    """The NID is well-formed, but Section 5.1 forbids its registration."""


@dataclass(frozen=True, slots=True)
class NIDStatus:
    """The result of `classify`.

    ``section`` includes the number of the constraint, as in ``"5.1 (3)"``; ``reason`` is a full sentence.
    ``by_syntax`` is the kind by RFC 8141 alone; it differs from ``kind`` for reserved NIDs only.
    """

    nid: str
    kind: NIDKind
    by_syntax: NIDKind
    section: str
    reason: str

    @property
    def is_well_formed(self) -> bool:
        """Whether the text is a NID, registrable or not."""
        return self.kind is not NIDKind.MALFORMED

    @property
    def is_registrable(self) -> bool:
        """Whether it can be requested for a formal namespace (Section 5.1, constraints 2 to 4)."""
        return self.kind is NIDKind.FORMAL


RESERVED_NIDS = {
    "urn": (
        "RFC 2141, Section 2.1",
        'The NID "urn" is reserved to avoid confusion with the scheme.',
    ),
    "example": ("RFC 6963", 'The NID "example" is reserved for examples in documentation.'),
}
"""NIDs in lower case that other documents reserve, with the document and the reason."""


def is_well_formed(text: str) -> bool:
    """Return whether a text is a NID (RFC 8141, Section 2.1).

    >>> is_well_formed("isbn"), is_well_formed("isbn-")
    (True, False)
    """
    return match_nid(text) is not None


def check_well_formed(text: str) -> str:
    """Return the NID as it is given, or raise `InvalidNID` (RFC 8141, Section 2.1).

    >>> check_well_formed("ISBN")
    'ISBN'
    >>> check_well_formed("is bn")
    Traceback (most recent call last):
    ...
    urnsyntax.errors.InvalidNID: "is bn" is not a NID: at position 2, a space is not allowed in a NID; \
use ASCII letters, digits and hyphens (RFC 8141, Section 2.1, NID).
    """
    if not is_well_formed(text):
        raise InvalidNID(text)
    return text


def classify(nid: str) -> NIDStatus:
    """Classify a text as a malformed, formal, informal, reserved or unregistrable NID.

    It does not check whether the NID is already registered, 5.1 (1). No text raises an error; anything but a
    `str` raises `TypeError`.

    >>> classify("de-isbn").kind, classify("de-isbn").section
    (<NIDKind.UNREGISTRABLE: 'unregistrable'>, '5.1 (3)')
    >>> classify("urn-7").kind, classify("urn-07").section
    (<NIDKind.INFORMAL: 'informal'>, '5.1 (2)')
    """
    if not isinstance(nid, str):
        refuse_type("classify", nid)
    if fault := fault_of_nid(nid):
        malformed = NIDKind.MALFORMED
        return NIDStatus(nid, malformed, malformed, fault.section, str(InvalidNID(nid, fault)))
    by_syntax, section, reason = _by_syntax(nid)
    if reserved := RESERVED_NIDS.get(nid.lower()):
        return NIDStatus(nid, NIDKind.RESERVED, by_syntax, *reserved)
    return NIDStatus(nid, by_syntax, by_syntax, section, reason)


def _by_syntax(nid: str) -> tuple[NIDKind, str, str]:
    lower = nid.lower()
    if match_informal_nid(nid):
        return NIDKind.INFORMAL, "5.2", "The registry assigns this NID to an informal namespace."
    if match_formal_nid(nid):
        return (
            NIDKind.FORMAL,
            "5.1",
            "The NID can be registered for a formal namespace if it is not yet registered.",
        )
    if lower.startswith("urn-"):
        section = "5.1 (2)"
        reason = (
            'A formal NID must not start with "urn-"; in an informal NID, a number without leading zeros '
            "must follow (5.2)."
        )
    elif len(nid) == 2:
        section, reason = "5.1 (3)", "A formal NID must be more than two characters long."
    elif lower.startswith("x-"):
        section, reason = "5.1 (4)", 'A formal NID must not start with "X-", a prefix for experiments.'
    elif lower[2:4] == "--":
        section = "5.1 (3)"
        reason = 'A formal NID must not start with two letters and two hyphens, such as "xn--".'
    else:
        section = "5.1 (3)"
        reason = "A formal NID must not start with two letters and a hyphen, reserved for country codes."
    return NIDKind.UNREGISTRABLE, section, reason


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
        or (rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:])
    )


def one_edit_away(nid: str) -> frozenset[str]:
    """All texts of NID characters for which `is_one_edit_apart` from `nid` is true, for a lookup in the database."""
    return edits_of(nid.lower(), _ALPHABET)


def edits_of(text: str, alphabet: str) -> frozenset[str]:
    """All texts that differ from a text as in `is_one_edit_apart`, with characters of an alphabet.

    >>> sorted(edits_of("ab", "x"))
    ['a', 'abx', 'ax', 'axb', 'b', 'ba', 'xab', 'xb']
    """
    parts = [(text[:at], text[at:]) for at in range(len(text) + 1)]
    removed = {a + b[1:] for a, b in parts if b}
    swapped = {a + b[1] + b[0] + b[2:] for a, b in parts if len(b) > 1}
    replaced = {a + letter + b[1:] for a, b in parts if b for letter in alphabet}
    added = {a + letter + b for a, b in parts for letter in alphabet}
    return frozenset((removed | swapped | replaced | added) - {text})
