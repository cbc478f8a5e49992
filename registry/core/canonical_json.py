"""The JSON Canonicalization Scheme of RFC 8785: one text for one JSON value, which everyone can compute.

`digests.canonical_json` sorts and writes numbers as Python does. Digests that were made with it stay as they are.
"""

import math
from collections.abc import Mapping
from http import HTTPStatus
from json.encoder import encode_basestring
from typing import Any

from registry.core.exceptions import RegistryError

LARGEST_INTEGER = 2**53 - 1  # RFC 8785, Section 3.2.2.3 and RFC 7493, Section 2.2
LITERALS = {None: "null", True: "true", False: "false"}
# ECMA-262, Number::toString: the exponents, in the form 0.d * 10^n, between which a number is written without one.
LARGEST_PLAIN, SMALLEST_PLAIN = 21, -6


class NotCanonical(RegistryError):
    """A value has no canonical JSON."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "No canonical JSON"


def canonical(value: Any) -> str:
    """Return the canonical JSON of a value (RFC 8785). Raises NotCanonical.

    A value that is not JSON, an integer that other programs would round, and a text with half a surrogate pair have none.
    """
    if value is None or value is True or value is False:
        return LITERALS[value]
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        # In ASCII, code units have the order of characters.
        order = None if all(isinstance(name, str) and name.isascii() for name in value) else _utf_16
        members = (f"{_string(name)}:{canonical(value[name])}" for name in sorted(value, key=order))
        return f"{{{','.join(members)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(canonical, value))}]"
    raise NotCanonical(
        f"A {type(value).__name__} is not a value of JSON, so it has no canonical form (RFC 8785)."
    )


def _string(text: str) -> str:
    """Python escapes the same characters as RFC 8785, Section 3.2.2.2, in the same form."""
    if not text.isascii():
        _utf_16(text)
    return encode_basestring(text)


def _utf_16(text: Any) -> bytes:
    """The code units by which names are sorted (RFC 8785, Section 3.2.3)."""
    try:
        return str.encode(text, "utf-16-be")
    except (UnicodeEncodeError, TypeError) as fault:
        raise NotCanonical(
            f"{text!r} is not a text in Unicode, so it has no canonical form (RFC 8785)."
        ) from fault


def _integer(number: int) -> str:
    if abs(number) <= LARGEST_INTEGER:
        return int.__repr__(number)
    try:
        nearest = float(number)
    except OverflowError:
        nearest = math.inf
    if nearest != number:
        raise NotCanonical(
            f"{number} has no canonical form (RFC 8785): programs with 64-bit floating point would round it."
        )
    return _number(nearest)


def _number(number: float) -> str:
    """ECMA-262, Number::toString. The shortest digits that read back as the number are those of `repr()`."""
    if not math.isfinite(number):
        raise NotCanonical(f"{number} is not a number of JSON, so it has no canonical form (RFC 8785).")
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    significant = digits.lstrip("0")
    point -= len(digits) - len(significant)
    significant = significant.rstrip("0")
    return sign + _placed(significant, point)


def _placed(digits: str, point: int) -> str:
    """Return 0.`digits` * 10^`point` as ECMA-262 writes it."""
    if len(digits) <= point <= LARGEST_PLAIN:
        return digits + "0" * (point - len(digits))
    if 0 < point <= LARGEST_PLAIN:
        return f"{digits[:point]}.{digits[point:]}"
    if SMALLEST_PLAIN < point <= 0:
        return f"0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"
