import pytest

from urnsyntax import is_urn, rfc2141
from urnsyntax.compatibility import check_compatibility

from .random_texts import random_texts

BOTH, NEW, OLD, NONE = ("RFC 8141", "RFC 2141"), ("RFC 8141",), ("RFC 2141",), ()


@pytest.mark.parametrize(
    ("text", "accepted_by", "words"),
    [
        ("urn:example:a", BOTH, ""),
        ("urn:example:a/b", BOTH, ""),
        ("urn:example:a?=b", BOTH, "part of the NSS"),
        ("urn:example-:a", OLD, "at the end of the NID"),
        ("urn:e:a", OLD, "two characters"),
        ("urn:example:/a", OLD, '"/"'),
        ("urn:example:a?b", OLD, '"?" and "#"'),
        ("urn:example:#a", OLD, '"?" and "#"'),
        ("urn:example:a#b#c", OLD, '"?" and "#"'),
        ("urn:example:a?=/b", OLD, '"?" and "#"'),
        ("urn:example:a~b", NEW, '"~" and "&"'),
        ("urn:example:a&b", NEW, '"~" and "&"'),
        ("urn:example:a?=b&c", NEW, '"~" and "&"'),
        ("urn:urn:a", NEW, "reserved"),
        ("urn:example:a\n", NONE, "Neither RFC accepts this"),
        ("urn:example:é", NONE, "Neither RFC accepts this"),
        ("", NONE, "Neither RFC accepts this"),
    ],
    ids=ascii,
)
def test_each_generation_gives_its_verdict_and_the_difference_is_explained(text, accepted_by, words):
    verdict = check_compatibility(text)
    assert verdict.accepted_by == accepted_by
    assert words in verdict.difference
    assert bool(words) == bool(verdict.difference)
    if len(accepted_by) == 1:
        assert "RFC 2141, Section 2.1" in verdict.difference or "Appendix B.1" in verdict.difference


def test_every_difference_is_explained():
    seen = set()
    for text in random_texts(30_000, seed="generations"):
        verdict = check_compatibility(text)
        assert ("RFC 8141" in verdict.accepted_by) == is_urn(text)
        assert ("RFC 2141" in verdict.accepted_by) == rfc2141.is_urn(text)
        seen.add(verdict.difference)
        assert verdict.difference or len(verdict.accepted_by) == 2
    assert len(seen) == 9
