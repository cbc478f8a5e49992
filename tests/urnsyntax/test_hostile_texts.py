"""Texts of a megabyte that cause backtracking in naive patterns. A parser that is not linear would not finish."""

import pytest

from urnsyntax import URN, InvalidURN, classify, equivalent, is_urn, rfc2141, udi
from urnsyntax.bulk import check_lines
from urnsyntax.compatibility import check_compatibility
from urnsyntax.encoding import display, encode_name
from urnsyntax.text_search import find

MEGABYTE = 1_000_000
BAD = [
    "",
    "u" * MEGABYTE,
    "urn" * MEGABYTE,
    "urn:" + "a" * MEGABYTE,
    "urn:" + "a-" * (MEGABYTE // 2) + ":b",
    "urn:" + "-" * MEGABYTE,
    "urn:ab:" + "a" * MEGABYTE + "\n",
    "urn:ab:" + "%41" * (MEGABYTE // 3) + "%4",
    "urn:ab:" + "a%41" * (MEGABYTE // 4) + "\ud800",
    "urn:ab:" + "/" * MEGABYTE,
    "urn:ab:a" + "/" * MEGABYTE + "\0",
    "urn:ab:a?+" + "?" * MEGABYTE + " ",
    "urn:ab:a?+" + "a?+" * (MEGABYTE // 3) + " ",
    "urn:ab:a?=" + "a?=" * (MEGABYTE // 3) + " ",
    "urn:ab:a?+a" + "?=" * (MEGABYTE // 2) + " ",
    "urn:ab:a#" + "?/" * (MEGABYTE // 2) + "#",
    "urn:ab:a" + "#" * MEGABYTE,
    "urn:ab:a" + "?" * MEGABYTE,
    "urn:ab:" + "%" * MEGABYTE,
    "urn:ab:" + "é" * MEGABYTE,
    "\n" * MEGABYTE,
    "urn:ab:"
    + "a" * MEGABYTE
    + "?+"
    + "b" * MEGABYTE
    + "?="
    + "c" * MEGABYTE
    + "#"
    + "d" * MEGABYTE
    + "\x7f",
]
GOOD = [
    "urn:" * (MEGABYTE // 4),
    "urn:ab:" + "a" * MEGABYTE,
    "urn:ab:" + "%C3%A9" * (MEGABYTE // 6),
    "urn:ab:" + "%c3" * (MEGABYTE // 3),
    "urn:ab:a?+a" + "??" * (MEGABYTE // 2),
    "urn:ab:a?=" + "a?=" * (MEGABYTE // 3) + "#" + "?/" * MEGABYTE,
    "urn:ab:" + "." * MEGABYTE,
    "urn:ab:" + ")" * MEGABYTE,
    "urn:ab:" + "(" * (MEGABYTE // 2) + ")" * (MEGABYTE // 2),
]


def shape(text):
    return f"{text[:16]!a}, {len(text)} characters, {text[-3:]!a}"


@pytest.mark.parametrize("text", BAD, ids=shape)
def test_a_bad_text_is_refused_and_explained(text):
    assert not is_urn(text)
    with pytest.raises(InvalidURN) as caught:
        URN.parse(text)
    assert len(str(caught.value)) < 500
    assert len(caught.value.with_caret()) < 600
    assert 0 <= caught.value.position <= len(text)
    check_compatibility(text)


@pytest.mark.parametrize("text", GOOD, ids=shape)
def test_a_good_text_is_read_normalized_and_compared(text):
    urn = URN.parse(text)
    assert is_urn(text)
    assert equivalent(urn.normalized(), urn)
    assert len(urn.notes) < 3
    assert display(urn)
    assert check_compatibility(text).fault8141 is None


@pytest.mark.sampled(4)
@pytest.mark.parametrize("text", BAD + GOOD, ids=shape)
def test_everything_else_takes_it_too(text):
    for search in (find, rfc2141.find):
        for found in search(text):
            assert len(found.without_punctuation().urn) <= len(found.urn)
    assert check_lines(text).count() <= text.count("\n") + 1
    assert classify(text).kind == "malformed"
    rfc2141.is_urn(text)


@pytest.mark.parametrize("text", GOOD, ids=shape)
@pytest.mark.sampled(3)
def test_names_of_a_megabyte_are_encoded(text):
    assert len(encode_name(text)) >= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "telnet://" + "@a" * (MEGABYTE // 2) + " ",
        "news:" + "a@" * (MEGABYTE // 2) + " ",
        "http://h/" + "a/" * (MEGABYTE // 2) + "/",
        "http://h/a?" + "a+" * (MEGABYTE // 2) + "+",
        "gopher://" + "1." * (MEGABYTE // 2),
        ":" * MEGABYTE,
        "x:" + "%" * MEGABYTE + " ",
    ],
    ids=shape,
)
def test_a_bad_udi_is_refused(text):
    with pytest.raises(udi.InvalidUDI) as caught:
        udi.parse(text)
    assert len(str(caught.value)) < 500


def test_dots_of_a_megabyte_are_resolved():
    partial = "a/../" * (MEGABYTE // 10) + "./" * (MEGABYTE // 4) + "../" * (MEGABYTE // 10) + "z"
    assert udi.resolve(partial, "http://h/a/b").text.endswith("/z")
    assert udi.escape("/" * MEGABYTE + "." * MEGABYTE)
