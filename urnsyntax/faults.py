"""The first fault of a text that is not a URN or a NID: position, rule, section and correction.

This code does not run while parsing. A fault is located when an attribute of an error is read.
"""

import re
from dataclasses import dataclass

from . import grammar
from .percent_encoding import percent_encoded
from .regex import compile_pattern

RFC8141 = "RFC 8141"
RFC2141 = "RFC 2141"

_MAX_NID_LENGTH = 32


@dataclass(frozen=True, slots=True)
class Fault:
    """The first invalid character of a text, with the rule that it breaks and the reason.

    ``position`` counts characters from 0; it is the length of the text if something is missing at the end.
    ``rule`` is the name of the ABNF rule, ``section`` the section of ``document`` that contains or explains it.

    >>> Fault(4, "NID", "2.1", "the NID is empty")
    Fault(position=4, rule='NID', section='2.1', reason='the NID is empty', document='RFC 8141')
    """

    position: int
    rule: str
    section: str
    reason: str
    document: str = RFC8141


@dataclass(frozen=True, slots=True)
class _Component:
    rule: str
    section: str
    introducer: str
    ends_before: tuple[str, ...]
    run: re.Pattern[str]
    may_be_empty: bool = False


_COMPONENTS = (
    _Component("NSS", "2.2", ":", ("?+", "?=", "#"), compile_pattern(grammar.NSS_RUN)),
    _Component("r-component", "2.3.1", "?+", ("?=", "#"), compile_pattern(grammar.R_RUN)),
    _Component("q-component", "2.3.2", "?=", ("#",), compile_pattern(grammar.Q_RUN)),
    _Component("f-component", "2.3.3", "#", (), compile_pattern(grammar.F_COMPONENT), may_be_empty=True),
)
_LDH_RUN = re.compile(r"[A-Za-z0-9\-]*+")


def describe(character: str) -> str:
    """Describe a character in printable form, also if it is invisible or a control character.

    >>> describe("_"), describe("\\n"), describe("é"), describe("\\ud800")
    ('"_"', 'U+000A', '"é" (U+00E9)', 'U+D800')
    """
    if character == " ":
        return "a space"
    code = f"U+{ord(character):04X}"
    if not character.isprintable():
        return code
    quoted = f'"{character}"' if character != '"' else "'\"'"
    return quoted if character.isascii() else f"{quoted} ({code})"


def fault_of_namestring(text: str) -> Fault | None:
    """Return the first fault of a text that should be a URN, None if it is one (RFC 8141, Section 2).

    >>> fault_of_namestring("urn:example:a?b").position
    13
    """
    return fault_of_scheme(text) or fault_of_nid_at(text, 4) or _fault_after_nid(text)


def fault_of_scheme(text: str, document: str = RFC8141) -> Fault | None:
    """Return the fault of a text that does not start with "urn:" in upper or lower case."""
    for position, expected in enumerate(("Uu", "Rr", "Nn", ":")):
        found = text[position : position + 1]
        if not found or found not in expected:
            rule = "assigned-name" if document == RFC8141 else "URN"
            return Fault(position, rule, "2", 'the text must start with "urn:"', document)
    return None


def fault_of_nid(text: str) -> Fault | None:
    """Return the first fault of a text that should be a NID, None if it is one (RFC 8141, 2 and 2.1).

    >>> fault_of_nid("ab-").reason
    'a NID must not end with a hyphen'
    """
    return fault_of_nid_at(text, 0, alone=True)


def fault_of_nid_at(text: str, start: int, document: str = RFC8141, *, alone: bool = False) -> Fault | None:
    """Return the first fault of the NID from `start` to a colon, or to the end of the text if `alone`.

    RFC 2141 allows NIDs of one character and NIDs that end with a hyphen.
    """
    end = _end(_LDH_RUN, text, start)
    following = text[end : end + 1]
    may_follow = "" if alone else ":"
    strict = document == RFC8141

    def fault(position: int, reason: str) -> Fault:
        return Fault(position, "NID", "2.1", reason, document)

    if end == start and following in ("", ":"):
        return fault(start, "the NID is empty")
    if end == start or text[start] == "-":
        return fault(
            start, f"a NID must start with an ASCII letter or digit, not with {describe(text[start])}"
        )
    if end - start > _MAX_NID_LENGTH:
        return fault(start + _MAX_NID_LENGTH, f"a NID must not be longer than {_MAX_NID_LENGTH} characters")
    if not following and not alone:
        rule = "assigned-name" if strict else "URN"
        return Fault(end, rule, "2", 'the text ends where ":" and an NSS must follow the NID', document)
    if following != may_follow:
        return fault(
            end, f"{describe(following)} is not allowed in a NID; use ASCII letters, digits and hyphens"
        )
    if strict and end - start == 1:
        return fault(end, "a NID must have at least two characters")
    if strict and text[end - 1] == "-":
        return fault(end - 1, "a NID must not end with a hyphen")
    return None


def fault_of_part(part: str, rule: str) -> Fault | None:
    """Return the first fault of a text that should match the ABNF rule of one component.

    >>> fault_of_part("a?=b", "r-component").position
    1
    """
    component = next(component for component in _COMPONENTS if component.rule == rule)
    if fault := _fault_of_first_character(part, 0, component):
        return fault
    end = _end(component.run, part, 0)
    return _fault_of_stray_character(part, end, component) if end < len(part) else None


def _fault_after_nid(text: str) -> Fault | None:
    end = text.index(":", 4)
    inside = _COMPONENTS[0]
    for component in _COMPONENTS:
        if text.startswith(component.introducer, end):
            inside = component
            start = end + len(component.introducer)
            if fault := _fault_of_first_character(text, start, component):
                return fault
            end = _end(component.run, text, start)
    return _fault_of_stray_character(text, end, inside) if end < len(text) else None


def _fault_of_first_character(text: str, start: int, component: _Component) -> Fault | None:
    if component.may_be_empty:
        return None
    rule, section = component.rule, component.section
    if start == len(text) or text.startswith(component.ends_before, start):
        return Fault(start, rule, section, f"the {rule} is empty; it needs at least one character")
    if text[start] == "/" or (text[start] == "?" and rule != "NSS"):
        reason = f'the first character of the {rule} must not be "{text[start]}"; write it as '
        return Fault(start, rule, section, f'{reason}"{percent_encoded(text[start])}"')
    return None


def _fault_of_stray_character(text: str, position: int, component: _Component) -> Fault:
    character = text[position]
    if character == "%":
        return Fault(position, "pct-encoded", component.section, REASON_OF_LONE_PERCENT)
    if character == "?" and text[position + 1 : position + 2] not in ("+", "="):
        reason = '"?" must be followed by "+" or "=" here; write "%3F" for the character itself'
        return Fault(position, "rq-components", "2", reason)
    reason = f"{describe(character)} is not allowed in the {component.rule}; {advice(character)}"
    return Fault(position, component.rule, component.section, reason)


REASON_OF_LONE_PERCENT = (
    '"%" must be followed by two hexadecimal digits; write "%25" for the character itself '
    "(RFC 3986, Section 2.1)"
)


def advice(character: str) -> str:
    """Return how to correct a character that is not allowed unencoded."""
    encoded = percent_encoded(character)
    return f'write it as "{encoded}"' if encoded else "UTF-8 cannot encode it, so leave it out"


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start
