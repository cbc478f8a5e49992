"""NIDs that differ by one typing error."""

from hypothesis import given
from hypothesis import strategies as st

from urnsyntax.nid import is_one_edit_apart, one_edit_away


def _edits_of(word: str) -> set[str]:
    """Every word one edit away, made one by one."""
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    letters = "abo01il-"
    edits = {a + b[1:] for a, b in splits if b}
    edits |= {a + c + b for a, b in splits for c in letters}
    edits |= {a + c + b[1:] for a, b in splits if b for c in letters}
    edits |= {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
    return edits - {word}


@given(st.text("abo01il-", max_size=6), st.text("abo01il-", max_size=6))
def test_one_edit_apart_is_one_of_all_edits(a: str, b: str) -> None:
    assert is_one_edit_apart(a, b) is (b in _edits_of(a))


@given(st.text("abl10-", max_size=8))
def test_what_is_one_edit_away_is_what_is_one_edit_apart(nid: str) -> None:
    away = one_edit_away(nid)
    assert all(is_one_edit_apart(nid, other) for other in away)
    assert nid not in away


@given(st.text("abl10-", max_size=6), st.text("abl10-", max_size=6))
def test_nothing_one_edit_apart_is_missed(a: str, b: str) -> None:
    assert is_one_edit_apart(a, b) is (b in one_edit_away(a))
