"""The greedy form of patterns, for older Pythons, matches the same texts as the possessive form."""

import re
from typing import Any

import pytest

from tests.urnsyntax.vectors import vectors
from urnsyntax import bulk, grammar, rfc2141
from urnsyntax.regex import compile_pattern, make_greedy

PATTERNS = [grammar.NAMESTRING_PARTS, grammar.NSS_RUN, grammar.R_RUN, grammar.Q_RUN, grammar.F_COMPONENT]


def every_text() -> list[str]:
    files = ("urn-8141.jsonl", "urn-2141.jsonl")
    return [vector["input"] for name in files for vector in vectors(name)]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_both_forms_match_the_same(pattern: str) -> None:
    sound, old = compile_pattern(pattern), re.compile(make_greedy(pattern))
    for text in every_text():
        for start in (0, 4, 12):
            expected, got = sound.match(text, start), old.match(text, start)
            assert (got and (got.span(), got.groups())) == (expected and (expected.span(), expected.groups()))


def test_bulk_finds_the_same_bad_lines() -> None:
    lines = "".join(f"{text}\n" for text in every_text() if "\n" not in text)
    sound, old = re.compile(bulk._GOOD_LINES_THEN_A_BAD_ONE), re.compile(bulk._GREEDY)
    assert bad_lines(old, lines) == bad_lines(sound, lines) != []


@pytest.mark.parametrize(
    "text", ["", "urn:example:a\n", "urn:example:a\nurn:example:b%2f?=c\n", "\n", "no\n"]
)
def test_a_good_last_line_is_not_given_back(text: str) -> None:
    assert bad_lines(re.compile(bulk._GREEDY), text) == bad_lines(
        re.compile(bulk._GOOD_LINES_THEN_A_BAD_ONE), text
    )


def bad_lines(pattern: Any, lines: str) -> list[tuple[int, int]]:
    return [match.span(1) for match in iter(pattern.scanner(lines).match, None)]


def test_character_classes_are_not_changed() -> None:
    assert make_greedy(f"[{grammar.PCHAR}]*+") == f"[{grammar.PCHAR}]*+"
    assert make_greedy(rfc2141._URN_CHARS).count("*+") == rfc2141._URN_CHARS.count("*+") - 1
