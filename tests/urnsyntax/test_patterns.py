"""The greedy form of a pattern, which older engines get, reads every text as the sound possessive one does."""

import json
import re

import pytest

from tests.shared_data import shared
from urnsyntax import bulk, grammar, rfc2141
from urnsyntax.patterns import compiled, greedy

PATTERNS = [grammar.NAMESTRING_PARTS, grammar.NSS_RUN, grammar.R_RUN, grammar.Q_RUN, grammar.F_COMPONENT]


def every_text() -> list[str]:
    files = ("urn-8141.jsonl", "urn-2141.jsonl")
    lines = [line for name in files for line in (shared("data/vectors") / name).read_text().splitlines()]
    return [json.loads(line)["input"] for line in lines]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_both_forms_match_the_same(pattern: str) -> None:
    sound, old = compiled(pattern), re.compile(greedy(pattern))
    for text in every_text():
        for start in (0, 4, 12):
            expected, got = sound.match(text, start), old.match(text, start)
            assert (got and (got.span(), got.groups())) == (expected and (expected.span(), expected.groups()))


def test_bulk_finds_the_same_bad_lines() -> None:
    lines = "".join(f"{text}\n" for text in every_text() if "\n" not in text)
    sound, old = compiled(bulk._GOOD_LINES_THEN_ONE), re.compile(greedy(bulk._GOOD_LINES_THEN_ONE))
    assert [m.span(1) for m in old.finditer(lines)] == [m.span(1) for m in sound.finditer(lines)]


def test_the_characters_of_a_class_are_left_alone() -> None:
    assert greedy(f"[{grammar.PCHAR}]*+") == f"[{grammar.PCHAR}]*+"
    assert greedy(rfc2141._URN_CHARS).count("*+") == rfc2141._URN_CHARS.count("*+") - 1
