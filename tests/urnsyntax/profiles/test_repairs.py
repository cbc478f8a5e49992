"""Suggestions for texts that were meant to be URNs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.urnsyntax.profiles.samples import PROFILES
from urnsyntax.profiles.repairs import MAX_SUGGESTIONS, MAX_TEXT


def suggested(text):
    return [each.urn for each in PROFILES.suggest(text)]


OBVIOUS = [
    # stray spaces, quotation marks and punctuation
    (" urn:isbn:0451450523 ", "urn:isbn:0451450523"),
    ("“urn:isbn:0451450523”", "urn:isbn:0451450523"),
    ("<urn:isbn:0451450523>.", "urn:isbn:0451450523"),
    ("urn:isbn: 0451450523", "urn:isbn:0451450523"),
    ("urn: isbn:0 451 45052 3", "urn:isbn:0451450523"),
    ("urn:isbn:978\u20110\u2011451\u201145052\u20114", "urn:isbn:978-0-451-45052-4"),
    ("urn:oid:1.3.6.1\u00a0", "urn:oid:1.3.6.1"),
    # another or no scheme
    ("isbn:0451450523", "urn:isbn:0451450523"),
    ("ISBN 0-451-45052-3", "urn:isbn:0-451-45052-3"),
    ("ISBN-13: 978-0-451-45052-4", "urn:isbn:978-0-451-45052-4"),
    ("ISBN: 978 0 451 45052 4", "urn:isbn:9780451450524"),
    ("uri:urn:isbn:0451450523", "urn:isbn:0451450523"),
    ("ISSN 0028-0836", "urn:issn:0028-0836"),
    ("uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"),
    # bare identifiers
    ("0451450523", "urn:isbn:0451450523"),
    ("978-0-451-45052-4", "urn:isbn:978-0-451-45052-4"),
    ("0028-0836", "urn:issn:0028-0836"),
    ("{F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6}", "urn:uuid:F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"),
    ("f81d4fae7dec11d0a76500a0c91e6bf6", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"),
    ("1.3.6.1.4.1", "urn:oid:1.3.6.1.4.1"),
    ("7LTWFZYICNSX8D621K86", "urn:lei:7LTWFZYICNSX8D621K86"),
    ("10.1000/182", "urn:doi:10.1000/182"),
    ("https://doi.org/10.1000/182", "urn:doi:10.1000/182"),
    ("doi:10.1000/182", "urn:doi:10.1000/182"),
    # names that break the rules of their namespace
    ("urn:isbn:9780451450523", "urn:isbn:9780451450524"),
    ("urn:lei:7ltwfzyicnsx8d621k86", "urn:lei:7LTWFZYICNSX8D621K86"),
    ("urn:isbn:080442957x", "urn:isbn:080442957X"),
    ("ISBN 9780451450523", "urn:isbn:9780451450524"),
    ("urn:doi:10.1000%2F182", "urn:doi:10.1000/182"),
    ("urn:gvat:12345:example", "urn:gvat:12345/example"),
    ("urn:uuid:f81d4fae_7dec_11d0_a765_00a0c91e6bf6", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"),
    ("urn:fdc:example.com:2002-05-27:a", "urn:fdc:example.com:20020527:a"),
    ("urn:isan:0000-0000-0B4D-0000-G-0000-0000-Q", "urn:isan:0000-0000-0B4D-0000-B-0000-0000-4"),
    # similar identifiers
    ("urn:ibsn:0451450523", "urn:isbn:0451450523"),
    ("urn:uid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"),
    ("urn:isn:0028-0836", "urn:issn:0028-0836"),
]


@pytest.mark.parametrize(("text", "urn"), OBVIOUS)
def test_what_was_meant_is_suggested_first(text, urn):
    assert suggested(text)[:1] == [urn]


@pytest.mark.parametrize(
    "text",
    ["", " ", "hello", "urn:isbn:0451450523", "urn:example:a", "urn:x-unknown:1", "urn:isbn:1", "12345", "9780451450520x",
     "urn:lex:br:federal:lei:2019-13-05;13869", "urn:oid:1.03.6", "https://example.org/", "x" * (MAX_TEXT + 1), "\ud800", "urn:", ":::"],
)  # fmt: skip
def test_nothing_is_suggested_where_nothing_is_obvious(text):
    assert suggested(text) == []


TEXTS = st.text(max_size=60) | st.lists(
    st.sampled_from(
        ["urn:", "isbn", ":", " ", "978", "0451450524", "-", "uuid", "“", "10.", "/", "1.3", "X", "doi"]
    ),
    max_size=8,
).map("".join)


@given(TEXTS)
def test_every_suggestion_is_another_text_that_follows_the_rules(text):
    found = suggested(text)
    assert len(found) <= MAX_SUGGESTIONS
    assert text not in found
    for each in found:
        judgement = PROFILES.judge(each)
        assert judgement is None or judgement.conformant is not False
