"""The errors of this package: position, rule and section of the fault in a text.

Every error is a `ValueError` that holds the text. The fault is located on first access, so rejecting a text
costs no more than raising the error.
"""

from functools import cached_property
from typing import NoReturn, cast

from .faults import Fault, fault_of_namestring, fault_of_nid

_SHOWN_BEFORE, _SHOWN_AFTER = 60, 20


class InvalidIdentifier(ValueError):
    """Base class of the errors of this package: a text that does not match the grammar."""

    kind = "an identifier"

    @property
    def text(self) -> str:
        """The complete invalid text."""
        text: str = self.args[0]
        return text

    @cached_property
    def fault(self) -> Fault:
        """The first fault of the text, located on first access if the error was raised without one."""
        fault = self.args[1] if len(self.args) > 1 else self._find_fault(self.text)
        if fault is None:
            raise TypeError(f"{type(self).__name__} was raised for a text without fault: {self.text!r}")
        return cast(Fault, fault)

    def _find_fault(self, text: str) -> Fault | None:
        """Return the first fault of the text. Subclasses that are raised without a fault implement it."""
        return None

    @property
    def position(self) -> int:
        """The 0-based index of the first invalid character; the length of the text if the end is missing."""
        return self.fault.position

    @property
    def rule(self) -> str:
        """The name of the ABNF rule that is broken, such as ``"NID"``."""
        return self.fault.rule

    @property
    def section(self) -> str:
        """The section that contains or explains the rule, such as ``"2.3.2"``."""
        return self.fault.section

    @property
    def document(self) -> str:
        """The document that contains the section, such as ``"RFC 8141"``."""
        return self.fault.document

    @property
    def reason(self) -> str:
        """The problem and how to correct it, as a clause without a full stop."""
        return self.fault.reason

    def __str__(self) -> str:
        fault = self.fault
        shown, _ = _excerpt(self.text, fault.position)
        return (
            f'"{shown}" is not {self.kind}: at position {fault.position}, {fault.reason} '
            f"({fault.document}, Section {fault.section}, {fault.rule})."
        )

    def with_caret(self) -> str:
        """Return the text with a caret and the reason below the first invalid character.

        >>> print(InvalidURN("urn:example:a b").with_caret())
        urn:example:a b
                     ^ a space is not allowed in the NSS; write it as "%20"
        """
        return with_caret(self.text, self.position, self.reason)


class InvalidURN(InvalidIdentifier):
    """The text is not a URN (RFC 8141, Section 2).

    >>> error = InvalidURN("urn:example:a?=")
    >>> error.position, error.rule, error.section
    (15, 'q-component', '2.3.2')
    >>> print(error)
    "urn:example:a?=" is not a URN: at position 15, the q-component is empty; it needs at least one \
character (RFC 8141, Section 2.3.2, q-component).
    """

    kind = "a URN"

    def _find_fault(self, text: str) -> Fault | None:
        return fault_of_namestring(text)


class InvalidNID(InvalidIdentifier):
    """The text is not a well-formed namespace identifier (RFC 8141, Sections 2 and 2.1).

    >>> error = InvalidNID("my_names")
    >>> error.position, error.section
    (2, '2.1')
    """

    kind = "a NID"

    def _find_fault(self, text: str) -> Fault | None:
        return fault_of_nid(text)


def refuse_type(function: str, text: object) -> NoReturn:
    """Raise the `TypeError` of a function that takes a text, for an argument of another type."""
    actual = (
        "bytes; decode them first"
        if isinstance(text, bytes | bytearray | memoryview)
        else type(text).__name__
    )
    raise TypeError(f"{function} takes a str, not {actual}.") from None


def with_caret(text: str, position: int, reason: str) -> str:
    """Return the text around a position with a caret and a reason below it."""
    shown, column = _excerpt(text, position)
    return f"{shown}\n{' ' * column}^ {reason}"


def _excerpt(text: str, position: int) -> tuple[str, int]:
    """Return the text around a position as one printable line, and the column of the position in it."""
    start = position - _SHOWN_BEFORE if position > _SHOWN_BEFORE + 1 else 0
    end = position + _SHOWN_AFTER if len(text) > position + _SHOWN_AFTER + 1 else len(text)
    before = ("…" if start else "") + printable(text[start:position])
    after = printable(text[position:end]) + ("…" if end < len(text) else "")
    return before + after, len(before)


def printable(text: str) -> str:
    """Return a text as one line without control characters, safe to print on a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
