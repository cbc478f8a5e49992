"""The examples of RFC 2141, and what its sections say in passing."""

import itertools

import pytest

from urnsyntax.rfc2141 import is_urn, lexically_equivalent, parse, translate

# Section 6: "URNs 1, 2, and 3 are all lexically equivalent. URN 4 is not … URNs 5 and 6 are only lexically
# equivalent to each other."
EXAMPLES = [
    (1, "URN:foo:a123,456"),
    (1, "urn:foo:a123,456"),
    (1, "urn:FOO:a123,456"),
    (4, "urn:foo:A123,456"),
    (5, "urn:foo:a123%2C456"),
    (5, "URN:FOO:a123%2c456"),
]


@pytest.mark.parametrize(("a", "b"), list(itertools.product(EXAMPLES, EXAMPLES)))
def test_the_six_examples_of_lexical_equivalence(a, b):
    assert lexically_equivalent(a[1], b[1]) == (a[0] == b[0])


def test_the_namespace_identifier_is_case_insensitive():  # Section 2.1
    assert parse("urn:ISBN:1").normalized() == parse("urn:isbn:1").normalized()


def test_a_literal_percent_sign_is_written_as_25():  # Section 2.3.1
    assert translate("%") == "%25"
    assert not is_urn("urn:foo:%")
