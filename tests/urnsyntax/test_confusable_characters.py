"""Characters that can't be seen or look like others: in notes on URNs, and in their display (UTS #39; RFC 8141, 4.4)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urnsyntax import URN
from urnsyntax.confusable_characters import confusions, is_unseen
from urnsyntax.encoding import display, encode_name

CYRILLIC_PAYPAL = "\u0440\u0430\u0443\u0440\u0430l"


@pytest.mark.parametrize(
    ("name", "position", "said"),
    [
        (CYRILLIC_PAYPAL, 0, "could be mistaken for “paypal”"),
        ("a:\u0441\u043e\u0440\u0435", 2, "could be mistaken for “cope”"),
        ("\uff46ull", 0, "could be mistaken for “full”"),
        ("M\u043e\u0441\u043a\u0432\u0430", 1, "mixes scripts: “\u043e” is U+043E (CYRILLIC SMALL LETTER O)"),
        ("\u03b1\u03b2b", 12, "mixes scripts: “b” is U+0062 (LATIN SMALL LETTER B)"),
        ("1\u20442", 1, "“\u2044” is U+2044 (FRACTION SLASH), which looks like “/”"),
        ("L\u2019Europe", 1, "looks like “'”"),
        ("a\u202eb", 1, "U+202E (RIGHT-TO-LEFT OVERRIDE) can't be seen"),
        ("a\u200bb", 1, "U+200B (ZERO WIDTH SPACE) can't be seen"),
        ("a\u3164b", 1, "U+3164 (HANGUL FILLER) can't be seen"),
        ("a\u2066b", 1, "U+2066 (LEFT-TO-RIGHT ISOLATE) can't be seen"),
        ("50%\u0430", 5, "could be mistaken for “a”"),
    ],
    ids=ascii,
)
def test_a_note_says_what_could_be_mistaken_and_where(name, position, said):
    (note,) = URN.build("example", encode_name(name)).notes
    assert note.position == position
    assert said in note.message
    assert "UTS #39, Section" in note.message


@pytest.mark.parametrize(
    "name",
    [
        "paypal",
        "Größe",
        "naïve",
        "\u041c\u043e\u0441\u043a\u0432\u0430",
        "\u041c\u043e\u0441\u043a\u0432\u0430/Moscow",
        "Ελλάδα",
        "日本語のテスト",
        "日本a",
        "한국어",
        "शिक्षा",
        "شركة",
        "עברית",
        "5µm",
    ],
)
def test_a_word_of_one_script_has_no_note(name):
    assert URN.build("example", encode_name(name)).notes == ()


def test_each_component_has_few_notes():
    urn = URN.build(
        "example", "a", q_component=encode_name("\u0430-" * 100), f_component=encode_name("\u0430")
    )
    assert [note.component for note in urn.notes] == ["q-component"] * 5 + ["f-component"]


def test_octets_that_are_not_utf8_keep_their_note_only():
    (note,) = URN.parse("urn:example:caf%E9").notes
    assert "not UTF-8" in note.message


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\u0301x", "%CC%81x"),  # an accent on the colon
        ("/\u0338", "%2F%CC%B8"),
        ("\u00e9" + "\u0333" * 9, "é" + "\u0333" * 4 + "%CC%B3" * 5),
        ("\u0915\u093e", "\u0915\u093e"),
    ],
    ids=ascii,
)
def test_marks_do_not_cover_what_is_beside_them(name, shown):
    assert display(URN.build("example", encode_name(name))) == f"urn:example:{shown}"


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_what_is_displayed_is_safe_and_every_unseen_character_has_a_note(name):
    shown = display(URN.build("example", encode_name(name)))
    assert not any(
        is_unseen(each) or unicodedata.bidirectional(each) in {"RLO", "LRO", "RLE"} for each in shown
    )
    found = {each.position for each in confusions(name)}
    assert {at for at, each in enumerate(name) if is_unseen(each) and not each.isascii()} <= found
