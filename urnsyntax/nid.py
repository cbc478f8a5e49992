"""Namespace identifiers: well-formed (RFC 8141, section 2.1), and what sections 5.1 and 5.2 say of them.

"Well-formed, but not registrable" is an answer of its own. ``urn:x-local:a`` is a URN; ``x-local`` is a NID
that nobody can register.
"""

from dataclasses import dataclass
from enum import StrEnum

from .errors import InvalidNID
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
    "is_well_formed",
]


class NIDKind(StrEnum):
    """What a text is, taken as a NID."""

    MALFORMED = "malformed"
    """It is no NID at all (section 2.1)."""
    FORMAL = "formal"
    """Its letters allow it to be registered for a formal namespace (section 5.1)."""
    INFORMAL = "informal"
    """It is of the form ``urn-N``, which the registry assigns (section 5.2)."""
    RESERVED = "reserved"
    """It is set aside by another document, whatever its letters."""
    UNREGISTRABLE = "unregistrable"
    """It is well-formed, and section 5.1 forbids to register it."""


@dataclass(frozen=True, slots=True)
class NIDStatus:
    """The answer of `classify`.

    ``section`` is such as ``"5.1 (3)"``, with the number of the constraint; ``reason`` is a full sentence.
    ``by_syntax`` is the answer of RFC 8141 alone; it differs from ``kind`` for reserved NIDs only.
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
        """Whether a registrant may ask for it as the NID of a formal namespace (section 5.1, 2 to 4)."""
        return self.kind is NIDKind.FORMAL


RESERVED_NIDS = {
    "urn": (
        "RFC 2141, section 2.1",
        'The NID "urn" is reserved, so that it is not confused with the scheme.',
    ),
    "example": ("RFC 6963", 'The NID "example" is taken: it is set aside for examples in documentation.'),
}
"""NIDs that other documents set aside, in lower case, each with the document and the reason."""


def is_well_formed(text: str) -> bool:
    """Say whether a text is a NID (RFC 8141, section 2.1).

    >>> is_well_formed("isbn"), is_well_formed("isbn-")
    (True, False)
    """
    return match_nid(text) is not None


def check_well_formed(text: str) -> str:
    """Return the NID as it is given, or raise `InvalidNID` (RFC 8141, section 2.1).

    >>> check_well_formed("ISBN")
    'ISBN'
    >>> check_well_formed("is bn")
    Traceback (most recent call last):
    ...
    urnsyntax.errors.InvalidNID: "is bn" is not a NID: at position 2, a NID consists of ASCII letters, digits \
and hyphens; a space is not allowed (RFC 8141, section 2.1, NID).
    """
    if not is_well_formed(text):
        raise InvalidNID(text)
    return text


def classify(nid: str) -> NIDStatus:
    """Say what a text is as a NID: malformed, formal, informal, reserved or unregistrable.

    Whether a NID is registered already, 5.1 (1), is for a registry to say. No error is raised for any text.

    >>> classify("de-isbn").kind, classify("de-isbn").section
    (<NIDKind.UNREGISTRABLE: 'unregistrable'>, '5.1 (3)')
    >>> classify("urn-7").kind, classify("urn-07").section
    (<NIDKind.INFORMAL: 'informal'>, '5.1 (2)')
    """
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
            "The NID may be registered for a formal namespace, if nobody has it yet.",
        )
    if lower.startswith("urn-"):
        section = "5.1 (2)"
        reason = (
            'A formal NID must not start with "urn-", and an informal one continues with a number without '
            "leading zeros (5.2)."
        )
    elif len(nid) == 2:
        section, reason = "5.1 (3)", "A formal NID must be more than two characters long."
    elif lower.startswith("x-"):
        section, reason = "5.1 (4)", 'A formal NID must not start with "X-", once used for experiments.'
    elif lower[2:4] == "--":
        section = "5.1 (3)"
        reason = 'A formal NID must not start with two letters and two hyphens, such as "xn--".'
    else:
        section = "5.1 (3)"
        reason = "A formal NID must not start with two letters and a hyphen: they are kept for country codes."
    return NIDKind.UNREGISTRABLE, section, reason
