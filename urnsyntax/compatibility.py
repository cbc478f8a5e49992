"""Comparison of the URN syntaxes of RFC 8141 and RFC 2141 (RFC 8141, Appendix B).

RFC 8141 (2017) replaced RFC 2141 (1997). Most URNs are the same in both; Appendix B.1 lists what changed.
"""

from dataclasses import dataclass

from .faults import Fault, fault_of_namestring
from .rfc2141 import fault_of_urn

_HYPHEN = 'RFC 8141 "disallows "-" at the end of the NID" (Appendix B.1).'
_COMPONENTS = (
    'RFC 8141 allows "?" and "#" only where they begin or continue a component; in RFC 2141 they were '
    "reserved characters of the NSS (Appendix B.1)."
)
_COMPONENTS_OF_BOTH = (
    "Both RFCs accept this URN, but components, which RFC 8141 ignores in comparisons, were part of the NSS "
    "in RFC 2141 (Appendix B.1 and B.2)."
)
_SLASH = (
    'RFC 8141 allows "/" in the NSS except as the first character; in RFC 2141 it was a reserved character '
    "anywhere in the NSS (Appendix B.1)."
)
_SHORT = "RFC 8141 requires at least two characters in a NID, RFC 2141 one (Appendix B.1)."
_TILDE_AND_AMPERSAND = (
    'RFC 8141 allows "~" and "&", which RFC 2141 excluded (Appendix B.1: the "/", "~", and "&" characters).'
)
_RESERVED = 'RFC 2141, Section 2.1, reserved the NID "urn"; RFC 8141 does not repeat this rule.'
_NO_DIFFERENCE = "Neither RFC accepts this text."


@dataclass(frozen=True, slots=True)
class Compatibility:
    """The result of checking a text by both RFCs. The fault is None for an RFC that accepts the text."""

    text: str
    fault8141: Fault | None
    fault2141: Fault | None
    difference: str
    """Why the two disagree, with the place in Appendix B, as a full sentence; "" where they do not."""

    @property
    def accepted_by(self) -> tuple[str, ...]:
        """The documents that accept the text, the newer one first."""
        verdicts = (("RFC 8141", self.fault8141), ("RFC 2141", self.fault2141))
        return tuple(document for document, fault in verdicts if fault is None)


def check_compatibility(text: str) -> Compatibility:
    """Check a text by RFC 8141 and by RFC 2141. No text raises an error.

    >>> verdict = check_compatibility("urn:example-:a")
    >>> verdict.accepted_by, verdict.difference
    (('RFC 2141',), 'RFC 8141 "disallows "-" at the end of the NID" (Appendix B.1).')
    >>> check_compatibility("urn:example:a~b").accepted_by
    ('RFC 8141',)
    """
    newer, older = fault_of_namestring(text), fault_of_urn(text)
    if newer and older:
        difference = _NO_DIFFERENCE
    elif newer:
        difference = _why_no_longer(text, newer)
    elif older:
        difference = _why_not_yet(older)
    else:
        difference = _COMPONENTS_OF_BOTH if "?" in text or "#" in text else ""
    return Compatibility(text, newer, older, difference)


def _why_no_longer(text: str, fault: Fault) -> str:
    if fault.rule == "NID":
        return _HYPHEN if text[fault.position] == "-" else _SHORT
    return _SLASH if text[fault.position : fault.position + 1] == "/" and fault.rule == "NSS" else _COMPONENTS


def _why_not_yet(fault: Fault) -> str:
    return _RESERVED if fault.rule == "NID" else _TILDE_AND_AMPERSAND
