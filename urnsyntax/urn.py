"""The class `URN`: an immutable URN and its parts (RFC 8141, Section 2)."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import total_ordering
from types import EllipsisType
from typing import Any, final

from . import grammar
from .errors import InvalidURN, refuse_type
from .faults import fault_of_nid, fault_of_part
from .notes import Note, notes_on_parts
from .regex import compile_pattern
from .resolution.parameters import Parameters

_match_parts = grammar.match_parts
_match_no_namestring = grammar.match_no_namestring
_new = object.__new__
_TRIPLETS = compile_pattern(f"(?:{grammar.PCT_ENCODED})++")


def is_urn(text: str) -> bool:
    """Return whether a text is a URN (RFC 8141, Section 2), without creating an object.

    Raises `TypeError` for anything but a `str`.

    >>> is_urn("urn:example:weather?=op=map"), is_urn("urn:example:a?=")
    (True, False)
    """
    try:
        return _match_no_namestring(text) is None
    except TypeError:
        refuse_type("is_urn", text)


@final
@total_ordering
class URN:
    """A Uniform Resource Name (RFC 8141, Section 2). Create one with `URN.parse` or `URN.build`.

    URNs are immutable and hashable. Two URNs are equal (``==``) if their texts are equal, and are ordered as their
    texts; use `equivalent` to compare them by the rules of Section 3.

    >>> urn = URN.parse("URN:Example:a%2fb?+r?=q=1#f")
    >>> urn.nid, urn.nss, urn.r_component, urn.q_component, urn.f_component
    ('Example', 'a%2fb', 'r', 'q=1', 'f')
    >>> str(urn), urn.assigned_name
    ('URN:Example:a%2fb?+r?=q=1#f', 'URN:Example:a%2fb')
    >>> urn.normalized()
    URN.parse('urn:example:a%2Fb')
    """

    __slots__ = ("_match",)
    _match: re.Match[str]

    def __init__(self, *_args: object, **_kwargs: object) -> None:
        """Raise `TypeError`: a URN is created with `URN.parse` or `URN.build`."""
        raise TypeError("Create a URN with URN.parse(text) or URN.build(nid, nss).")

    @staticmethod
    def parse(text: str) -> URN:
        """Parse a URN (RFC 8141, Section 2).

        Raises `InvalidURN` with the position of the first fault, and `TypeError` for anything but a `str`.

        >>> URN.parse("urn:isbn:0451450523").nss
        '0451450523'
        >>> URN.parse("urn:isbn:")
        Traceback (most recent call last):
        ...
        urnsyntax.errors.InvalidURN: "urn:isbn:" is not a URN: at position 9, the NSS is empty; it needs at \
least one character (RFC 8141, Section 2.2, NSS).
        """
        try:
            match = _match_parts(text)
        except TypeError:
            refuse_type("URN.parse", text)
        if match is None:
            raise InvalidURN(text)
        urn = _new(URN)
        urn._match = match
        return urn

    @staticmethod
    def build(
        nid: str,
        nss: str,
        *,
        r_component: str | None = None,
        q_component: str | None = None,
        f_component: str | None = None,
    ) -> URN:
        """Build a URN from its parts, as strictly as `parse` (RFC 8141, Section 2).

        Every part must match its own rule: an NSS that would begin a component is rejected. Raises
        `InvalidURN`; its position refers to the complete text.

        >>> str(URN.build("example", "a", q_component="b=1", f_component=""))
        'urn:example:a?=b=1#'
        >>> URN.build("example", "a#b")
        Traceback (most recent call last):
        ...
        urnsyntax.errors.InvalidURN: "urn:example:a#b" is not a URN: at position 13, "#" is not allowed in \
the NSS; write it as "%23" (RFC 8141, Section 2.2, NSS).
        """
        return _built("urn:", nid, nss, r_component, q_component, f_component)

    def replace(
        self,
        *,
        nid: str | None = None,
        nss: str | None = None,
        r_component: str | EllipsisType | None = ...,
        q_component: str | EllipsisType | None = ...,
        f_component: str | EllipsisType | None = ...,
    ) -> URN:
        """Return a URN with other parts, as strictly as `build`; None removes a component.

        The other parts stay as written, as does the scheme.

        >>> URN.parse("urn:example:a?+r?=q").replace(r_component=None, f_component="f")
        URN.parse('urn:example:a?=q#f')
        """
        return _built(
            self._match[0][: len("urn:")],
            self.nid if nid is None else nid,
            self.nss if nss is None else nss,
            self.r_component if r_component is ... else r_component,
            self.q_component if q_component is ... else q_component,
            self.f_component if f_component is ... else f_component,
        )

    @property
    def nid(self) -> str:
        """The namespace identifier as written (RFC 8141, Section 2.1)."""
        return self._match[1]

    @property
    def nss(self) -> str:
        """The namespace specific string (RFC 8141, Section 2.2)."""
        return self._match[2]

    @property
    def r_component(self) -> str | None:
        """The part between "?+" and "?=", "#" or the end; never empty (RFC 8141, Section 2.3.1)."""
        return self._match[3]

    @property
    def q_component(self) -> str | None:
        """The part between "?=" and "#" or the end; never empty (RFC 8141, Section 2.3.2)."""
        return self._match[4]

    @property
    def f_component(self) -> str | None:
        """The part after "#"; empty after a bare "#", None without "#" (RFC 8141, Section 2.3.3)."""
        return self._match[5]

    @property
    def r_parameters(self) -> Parameters:
        """The r-component as parameters; empty without one."""
        return Parameters(self.r_component)

    @property
    def q_parameters(self) -> Parameters:
        """The q-component as parameters; empty without one.

        >>> URN.parse("urn:example:weather?=op=map&lat=39.56").q_parameters["op"]
        ('map',)
        """
        return Parameters(self.q_component)

    @property
    def assigned_name(self) -> str:
        """Scheme, NID and NSS as written: the URN without its components (Section 2)."""
        return self._match[0][: self._match.end(2)]

    @property
    def notes(self) -> tuple[Note, ...]:
        """Warnings about a valid URN; see `urnsyntax.notes`."""
        return notes_on_parts(self.nss, self.r_component, self.q_component, self.f_component)

    def normalized(self) -> URN:
        """Return the URN that Section 3.1 compares, without components.

        The scheme and the NID are in lower case, the hexadecimal digits of percent-encodings in upper case.
        Nothing is decoded.

        >>> str(URN.parse("URN:EXAMPLE:a123%2cz456?=q").normalized())
        'urn:example:a123%2Cz456'
        """
        text = normal_form(self.nid, self.nss)
        return self if text == self._match[0] else URN.parse(text)

    def __str__(self) -> str:
        return self._match[0]

    def __format__(self, specification: str) -> str:
        return format(self._match[0], specification)

    def __repr__(self) -> str:
        return f"URN.parse({self._match[0]!r})"

    def __eq__(self, other: object) -> bool:
        return self._match[0] == other._match[0] if isinstance(other, URN) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._match[0] < other._match[0] if isinstance(other, URN) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._match[0])

    def __reduce__(self) -> tuple[object, ...]:
        return URN.parse, (self._match[0],)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> dict[str, Any]:
        """Let pydantic accept a URN, or a text that is one, and write it as a text. This module does not import it."""
        parsed = {
            "type": "function-after",
            "function": {"type": "no-info", "function": cls.parse},
            "schema": {"type": "str", "strict": True},
        }
        own_or_parsed = {"type": "union", "choices": [{"type": "is-instance", "cls": cls}, parsed]}
        return {
            "type": "json-or-python",
            "json_schema": parsed,
            "python_schema": own_or_parsed,
            "serialization": {"type": "to-string", "when_used": "json-unless-none"},
        }

    @classmethod
    def __get_pydantic_json_schema__(cls, _schema: object, _handler: object) -> dict[str, Any]:
        return {"type": "string", "format": "uri", "examples": ["urn:example:a"]}


def _built(scheme: str, nid: str, nss: str, r: str | None, q: str | None, f: str | None) -> URN:
    """Join parts that match their rules. Raises `InvalidURN`, and `TypeError` for a part of another type."""
    parts = (
        ("NID", "", nid),
        ("NSS", ":", nss),
        ("r-component", "?+", r),
        ("q-component", "?=", q),
        ("f-component", "#", f),
    )
    text, faults = scheme, []
    for rule, introducer, part in parts:
        if part is None and rule not in ("NID", "NSS"):
            continue
        if not isinstance(part, str):
            refuse_type("URN.build", part)
        text += introducer
        if fault := fault_of_nid(part) if rule == "NID" else fault_of_part(part, rule):
            faults.append(replace(fault, position=len(text) + fault.position))
        text += part
    if faults:
        raise InvalidURN(text, faults[0])
    return URN.parse(text)


def json_default(value: object) -> str:
    """Write a URN as a text: the argument `default` of `json.dumps`. Raises `TypeError` for other types.

    >>> import json
    >>> json.dumps({"name": URN.parse("urn:example:a")}, default=json_default)
    '{"name": "urn:example:a"}'
    """
    if isinstance(value, URN):
        return str(value)
    raise TypeError(f"An object of the type {type(value).__name__} cannot be written as JSON.")


def normal_form(nid: str, nss: str) -> str:
    """Return the normalized URN of a well-formed NID and NSS (Section 3.1)."""
    return f"urn:{nid.lower()}:{normal_nss(nss)}"


def normal_nss(nss: str) -> str:
    """Return the normalized NSS (Section 3.1)."""
    return _TRIPLETS.sub(_upper_case, nss) if "%" in nss else nss


def _upper_case(triplets: re.Match[str]) -> str:
    return triplets[0].upper()
