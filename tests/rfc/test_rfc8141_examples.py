"""Every URN that RFC 8141 prints, and what it says of it."""

import itertools

import pytest

from urnsyntax import URN, classify, equivalent, is_urn
from urnsyntax.encoding import encode_name


def test_a_hierarchical_name_is_placed_in_the_nss():  # Section 2.2
    assert encode_name("1/406/47452/2") == URN.parse("urn:example:1/406/47452/2").nss


def test_the_r_component_example():  # Section 2.3.1
    urn = URN.parse("urn:example:foo-bar-baz-qux?+CCResolve:cc=uk")
    assert (urn.nss, urn.r_component, urn.q_component) == ("foo-bar-baz-qux", "CCResolve:cc=uk", None)
    assert [note.section for note in urn.notes] == ["2.3.1"]


def test_the_q_component_example():  # Section 2.3.2
    query = "op=map&lat=39.56&lon=-104.85&datetime=1969-07-21T02:56:15Z"
    urn = URN.parse(f"urn:example:weather?={query}")
    assert (urn.nss, urn.q_component, urn.notes) == ("weather", query, ())


def test_the_f_component_example():  # Section 2.3.3
    urn = URN.parse("urn:example:foo-bar-baz-qux#somepart")
    assert (urn.nss, urn.f_component) == ("foo-bar-baz-qux", "somepart")


def test_colons_make_no_structure():  # Section 5
    assert URN.parse("urn:example:apple:pear:plum:cherry").nss == "apple:pear:plum:cherry"


def test_nids_of_the_text():  # Sections 2.1, 4.4, 5.1 and 5.2
    assert equivalent("urn:ISBN:0", "urn:isbn:0")
    assert is_urn("urn:xmpp:a")
    assert not is_urn("xmpp:a")
    assert classify("urn-7").kind == "informal"
    assert classify("xn--a").section == "5.1 (3)"
    assert classify("X-a").section == "5.1 (4)"


# Section 3.2. Within a class all are equivalent; between classes none is.
SAME = [
    "urn:example:a123,z456",
    "URN:example:a123,z456",
    "urn:EXAMPLE:a123,z456",
    "urn:example:a123,z456?+abc",
    "urn:example:a123,z456?=xyz",
    "urn:example:a123,z456#789",
]
CLASSES = [
    SAME,
    ["urn:example:a123,z456/foo"],
    ["urn:example:a123,z456/bar"],
    ["urn:example:a123,z456/baz"],
    ["urn:example:a123%2Cz456", "URN:EXAMPLE:a123%2cz456"],
    ["urn:example:A123,z456"],
    ["urn:example:a123,Z456"],
    ["urn:example:%D0%B0123,z456"],
]
NUMBERED = [(number, text) for number, texts in enumerate(CLASSES) for text in texts]


@pytest.mark.parametrize(("a", "b"), list(itertools.product(NUMBERED, NUMBERED)))
def test_the_examples_of_equivalence(a, b):
    assert equivalent(a[1], b[1]) == (a[0] == b[0])
    assert (URN.parse(a[1]).normalized() == URN.parse(b[1]).normalized()) == (a[0] == b[0])
