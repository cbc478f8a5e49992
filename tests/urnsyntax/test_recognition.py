"""What a text is that is not a URN: relative references (RFC 8141, Section 4.3) and UDIs (1992)."""

import pytest

from tests.urnsyntax.udi.test_udi import EXAMPLES
from urnsyntax.recognition import recognise


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("#today", "urn:example:a/b#today, which is a URN"),
        ("../c", "urn:/c, which is not a URN"),
        ("./c", "urn:example:a/c, which is a URN"),
        ("/c", "urn:/c, which is not a URN"),
        ("//example.org/c", "urn://example.org/c, which is not a URN"),
        ("?=q", "urn:example:a/b?=q, which is a URN"),
        ("?q", "urn:example:a/b?q, which is not a URN"),
        (".", "urn:example:a/, which is a URN"),
    ],
)
def test_a_relative_reference_is_explained_by_its_target(text, target):
    found = recognise(text)
    assert found.kind == "a relative reference"
    assert f"it refers to {target}." in found.explanation
    assert ("Section 4.3" in found.explanation) == (not text.startswith("#"))


@pytest.mark.parametrize("text", EXAMPLES)
def test_each_udi_of_the_proposal_is_recognised_by_its_label(text):
    found = recognise(f"UDI={text}")
    assert found.kind == "a Universal Document Identifier"
    assert found.parts[0] == ("Scheme", text.partition(":")[0])


@pytest.mark.parametrize(
    "text",
    ["wais://quake.think.com/archives?lynch", "news:alt.hypertext", "gopher://h/0a", "telnet://me@h:23"],
)
def test_schemes_of_udis_are_recognised_without_a_label(text):
    assert recognise(text).kind == "a Universal Document Identifier"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a book",
        "isbn:0451450523",
        "https://example.org/",
        "wais:",
        "#a b",
        "...",
        "9780451450524",
        "UDI=",
        "a/b",
    ],
)
def test_other_texts_are_not(text):
    assert recognise(text) is None
