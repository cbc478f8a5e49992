"""Marked words, and excerpts of long texts."""

import pytest

from registry.namespaces.search_terms import Term
from registry.namespaces.subject_words import SYNONYMS, subject_named, subjects_named
from registry.search.results import EXCERPT, excerpt, marked
from urnsyntax.profiles.profile import SUBJECTS

LIBRARY = Term("library", "librari")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A library.", "A <mark>library</mark>."),
        ("Libraries, and a LIBRARY", "<mark>Libraries</mark>, and a <mark>LIBRARY</mark>"),
        ("<b>library</b> & Co", "&lt;b&gt;<mark>library</mark>&lt;/b&gt; &amp; Co"),
        ("librarianship", "librarianship"),
        ("", ""),
    ],
)
def test_words_are_marked_in_their_forms(text: str, expected: str) -> None:
    assert marked(text, [LIBRARY]) == expected


def test_accents_do_not_count() -> None:
    assert marked("Réseau", [Term("reseau", "reseau")]) == "<mark>Réseau</mark>"


def test_a_short_stem_marks_its_own_word_only() -> None:
    assert marked("is isbn", [Term("is", "")]) == "<mark>is</mark> <mark>isbn</mark>"
    assert marked("bus business", [Term("buss", "bu")]) == "bus business"


@pytest.mark.parametrize("place", [0, 5, 50, 99])
def test_an_excerpt_has_the_word(place: int) -> None:
    words = [f"w{number}" for number in range(100)]
    words[place] = "library"
    shown = excerpt(" ".join(words), [LIBRARY]).split()
    assert "library" in shown
    assert len([each for each in shown if each != "…"]) == EXCERPT
    assert (shown[0] == "…", shown[-1] == "…") == (place > 8, place < 92)


def test_a_short_text_is_shown_whole() -> None:
    assert excerpt("Names of books", [LIBRARY]) == "Names of books"


def test_words_name_subjects_in_the_plural_too() -> None:
    assert subjects_named("Medical LIBRARIES, banks") == {
        "medical": "health",
        "libraries": "bibliography",
        "banks": "finance",
    }
    assert all(subject_named(subject) == subject for subject in SUBJECTS)
    assert subject_named("buses") == subject_named("lorries") == "transport"
    assert not any(subject_named(word) for word in ("lighthouse", "cares"))


def test_every_subject_has_three_other_words_and_no_word_names_two() -> None:
    assert set(SYNONYMS) == set(SUBJECTS)
    assert all(len(set(words.split()) - {subject}) >= 3 for subject, words in SYNONYMS.items())
    words = [word for words in SYNONYMS.values() for word in words.split()] + list(SUBJECTS)
    assert len(words) == len(set(words))
