import pytest

from urnsyntax import is_urn, rfc2141
from urnsyntax.text_search import find

from .random_texts import random_texts


@pytest.mark.parametrize(
    ("text", "urns", "trimmed"),
    [
        ("", [], []),
        ("See urn:isbn:0451450523.", ["urn:isbn:0451450523."], ["urn:isbn:0451450523"]),
        ("(urn:ab:c(d)), or urn:ab:c?", ["urn:ab:c(d)),", "urn:ab:c"], ["urn:ab:c(d)", "urn:ab:c"]),
        ("<urn:ab:c?+r?=q#f>", ["urn:ab:c?+r?=q#f"], ["urn:ab:c?+r?=q#f"]),
        ("urn:ab:c?=.", ["urn:ab:c?=."], ["urn:ab:c"]),
        ("urn:ab:c?+.?=.", ["urn:ab:c?+.?=."], ["urn:ab:c"]),
        ("urn:ab:c#.", ["urn:ab:c#."], ["urn:ab:c#"]),
        ("urn:ab:...", ["urn:ab:..."], ["urn:ab:."]),
        ("urn:ab-:c urn:a:b", [], []),
        ("urn:ab:%zz urn:ab:c?=%zz urn:ab:c?+%z", ["urn:ab:c", "urn:ab:c"], ["urn:ab:c", "urn:ab:c"]),
        ("urn:ab:c?+d?=%4", ["urn:ab:c?+d"], ["urn:ab:c?+d"]),
        ("xurn:ab:c", [], []),
        ("urn:ab:c\nurn:ab:dé", ["urn:ab:c", "urn:ab:d"], ["urn:ab:c", "urn:ab:d"]),
    ],
)
def test_urns_are_found_with_and_without_the_punctuation_of_the_sentence(text, urns, trimmed):
    found = list(find(text))
    assert [each.urn for each in found] == urns
    assert [each.without_punctuation().urn for each in found] == trimmed
    for each in (*found, *(each.without_punctuation() for each in found)):
        assert text[each.start : each.end] == each.urn
        assert is_urn(each.urn)


@pytest.mark.parametrize(
    "before",
    [
        "é",
        "e\N{COMBINING ACUTE ACCENT}",
        "ж",
        "語",
        "\N{ARABIC-INDIC DIGIT THREE}",
        "ह\N{DEVANAGARI VOWEL SIGN I}",
        *("_", "my-", "x9", "info:", "view-source:", "z39.50r:", "a+b:", "info:urn:", "info:12:"),
    ],
)
def test_a_urn_does_not_begin_in_a_word_or_in_another_uri(before):
    assert list(find(f"{before}urn:ab:c")) == list(rfc2141.find(f"{before}urn:ab:c"))
    assert [each.urn for each in find(f"{before}urn:ab:c urn:ab:d")][-1:] == ["urn:ab:d"]
    assert "urn:ab:c" not in [each.urn for each in find(f"{before}urn:ab:c")]


@pytest.mark.parametrize(
    "before", ["«", "“", "(", "=", "/", ".", "—", "：", " :", "\N{ZERO WIDTH SPACE}", "🙂", "12:", "-:", "é:"]
)
def test_a_urn_begins_after_any_other_character(before):
    assert [each.urn for each in find(f"{before}urn:ab:c")] == ["urn:ab:c"]
    assert [each.urn for each in rfc2141.find(f"{before}urn:ab:c")] == ["urn:ab:c"]


@pytest.mark.parametrize("before", ["é", "e\N{COMBINING ACUTE ACCENT}"])
def test_an_accent_is_part_of_a_word_in_any_normalization_form(before):
    assert [each.urn for each in find(f"{before}urn:ab:c,urn:ab:d")] == ["urn:ab:d"]
    for search in (find, rfc2141.find):
        assert list(search(f"{before}urn:urn:ab:c")) == []


def test_urns_inside_words_and_other_uris_are_passed_in_linear_time():
    for text in ("a:urn:ab:", "e\N{COMBINING ACUTE ACCENT}urn:ab:c", "urn:ab:%"):
        assert list(find(text * 100_000)) == []
    assert list(find("a" * 1_000_000 + ":urn:ab:c")) == []


def test_every_match_is_a_urn_trimmed_or_not():
    count = 0
    for text in random_texts(20_000, seed="finding"):
        for found in find(f"{text} {text})."):
            count += 1
            assert is_urn(found.urn), ascii(text)
            assert is_urn(found.without_punctuation().urn), ascii(text)
    assert count > 5_000
