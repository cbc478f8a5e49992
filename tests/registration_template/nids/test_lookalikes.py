"""Identifiers that look alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.registration_template.nids.lookalikes import (
    find_lookalikes,
    is_one_edit_apart,
    one_edit_away,
    shape_of,
)

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
    assert is_one_edit_apart(a, b) is (b in _edits_of(a))


@given(NIDS)
def test_a_shape_is_its_own_shape(nid: str) -> None:
    assert shape_of(shape_of(nid)) == shape_of(nid)


def _edits_of(word: str) -> set[str]:
    """Every word one edit away, made one by one."""
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    letters = "abo01il-"
    edits = {a + b[1:] for a, b in splits if b}
    edits |= {a + c + b for a, b in splits for c in letters}
    edits |= {a + c + b[1:] for a, b in splits if b for c in letters}
    edits |= {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
    return edits - {word}


@given(st.text("abl10-", max_size=8))
def test_what_is_one_edit_away_is_what_is_one_edit_apart(nid: str) -> None:
    away = one_edit_away(nid)
    assert all(is_one_edit_apart(nid, other) for other in away)
    assert nid not in away


@given(st.text("abl10-", max_size=6), st.text("abl10-", max_size=6))
def test_nothing_one_edit_apart_is_missed(a: str, b: str) -> None:
    assert is_one_edit_apart(a, b) is (b in one_edit_away(a))
