"""The canonical JSON of RFC 8785, with the values of its Section 3.2 and of its Appendix B."""

import json
import struct
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.core.canonical_json import NotCanonical, canonical

# Appendix B: a number as IEEE 754 double in hexadecimal, and its canonical form.
NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}
# Section 3.2.3: names in the order of their UTF-16 code units, which is not that of code points.
SORTED_NAMES = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


class Verb(StrEnum):
    SUBMIT = "submit"


@pytest.mark.parametrize(("octets", "text"), NUMBERS.items())
def test_numbers_are_those_of_appendix_b(octets: str, text: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(octets))
    assert canonical(number) == text


def test_the_example_of_section_3_2_2() -> None:
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
        "literals": [None, True, False],
    }
    assert canonical(value) == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_names_are_sorted_by_code_units() -> None:
    text = canonical(dict.fromkeys(reversed(SORTED_NAMES), 0))
    assert list(json.loads(text)) == SORTED_NAMES


def test_characters_have_the_escapes_of_section_3_2_2_2() -> None:
    assert canonical("\b\t\n\f\r\x00\x1f\x7f\u2028") == '"\\b\\t\\n\\f\\r\\u0000\\u001f\x7f\u2028"'


@given(VALUES)
def test_what_is_read_back_has_the_same_canonical_form(value: Any) -> None:
    text = canonical(value)
    assert json.loads(text, parse_int=float) == value
    assert canonical(json.loads(text, parse_int=float)) == text


def test_values_of_python_that_json_writes_alike_are_alike() -> None:
    assert canonical({"a": (1, Verb.SUBMIT)}) == canonical({"a": [1.0, "submit"]}) == '{"a":[1,"submit"]}'


@pytest.mark.parametrize(
    "value",
    [
        2**53 + 1,
        -(2**53) - 1,
        10**400,
        float("nan"),
        float("inf"),
        "\ud800",
        {"\udc00": 1},
        {1: 2},
        pytest.param(object(), id="object"),
        b"",
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(NotCanonical):
        canonical({"in": [value]})
