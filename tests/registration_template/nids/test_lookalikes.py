"""Identifiers that look alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.registration_template.nids.rules import find_lookalikes, shape_of

NIDS = st.text(alphabet="abo01il-", max_size=6)


@pytest.mark.parametrize(
    ("nid", "other"),
    [
        ("oasis", "0asis"),
        ("lei", "1ei"),
        ("iso", "lso"),
        ("dsl-forum", "dslforum"),
        ("OASIS", "0as1s"),
        ("isbn", "issn"),
        ("epc", "epcs"),
        ("epcs", "epc"),
        ("isbn", "ibsn"),
    ],
)
def test_these_look_alike(nid: str, other: str) -> None:
    assert [each.nid for each in find_lookalikes(nid, [other])] == [other.lower()]
    assert [each.nid for each in find_lookalikes(other, [nid])] == [nid.lower()]


@pytest.mark.parametrize(
    ("nid", "other"),
    [("isbn", "isbn"), ("isbn", "ISBN"), ("isbn", "doi"), ("isbn", "sibn1"), ("abcd", "badc"), ("", "ab")],
)
def test_these_do_not(nid: str, other: str) -> None:
    assert find_lookalikes(nid, [other]) == ()


def test_each_is_found_once_in_alphabetical_order() -> None:
    assert [each.nid for each in find_lookalikes("isbn", ["issn", "ISSN", "isan", "doi"])] == ["isan", "issn"]


@given(NIDS, NIDS)
def test_looking_alike_goes_both_ways(a: str, b: str) -> None:
    assert bool(find_lookalikes(a, [b])) is bool(find_lookalikes(b, [a]))


@given(NIDS)
def test_a_shape_is_its_own_shape(nid: str) -> None:
    assert shape_of(shape_of(nid)) == shape_of(nid)
