"""Check digits: known identifiers, every wrong digit, and what the right one would be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import isbn

from urnsyntax.profiles.check_digits import ALGORITHMS, Verdict, check, corrected

# Identifiers from the standards, their sites, or the documentation of python-stdnum; and the place of a check digit.
RIGHT = [
    ("isbn", "0451450523"),
    ("isbn", "0-8044-2957-X"),
    ("isbn", "978-0-451-45052-4"),
    ("isbn-10", "951-0-18435-7"),
    ("isbn-13", "9789510184356"),
    ("issn", "0028-0836"),
    ("issn", "1050124X"),
    ("ismn", "979-0-3452-4680-5"),
    ("ismn", "M-2306-7118-7"),
    ("nbn-dnb", "de:bvb:473-opus4-102147"),
    ("nbn-dnb", "DE:GBV:7-isbn-90-6984-508-3-8"),
    ("isan", "0000-0000-D07A-0090-Q"),
    ("isan", "0000-0000-D07A-0090-Q-0000-0000-X"),
    ("isan", "188166c7-3420-6541"),
    ("isni", "000000012281955X"),
    ("isni", "0000-0001-2281-955X"),
    ("orcid", "0000-0002-1825-0097"),
    ("lei", "7LTWFZYICNSX8D621K86"),
    ("imei", "35686800-004141-8"),
    ("imei", "35686800-004141"),
    ("imei", "35686800-004141-20"),
    ("ean", "73513537"),
    ("gtin", "00012345600012"),
    ("sscc", "106141411234567897"),
    ("grid", "A1-2425G-ABC1234002-M"),
    ("eic", "22XWATTPLUS----G"),
    ("iban", "GR1601101050000010547023795"),
    ("isin", "US0378331005"),
    ("luhn", "4111111111111111"),
    ("verhoeff", "1234567890120"),
    ("iso7064-mod-11-2", "079X"),
    ("iso7064-mod-11-10", "794623"),
    ("iso7064-mod-37-2", "G123489654321Y"),
    ("iso7064-mod-37-36", "A12425GABC1234002M"),
    ("iso7064-mod-37-36", "7791-8534-2C23-9030-8610-5"),
    ("iso7064-mod-97-10", "9999123456789012141490"),
]


@pytest.mark.parametrize(("algorithm", "identifier"), RIGHT)
def test_a_right_identifier_is_right(algorithm, identifier):
    assert check(algorithm, identifier) == Verdict(True)
    assert ALGORITHMS[algorithm].is_right(identifier)
    assert check(algorithm, identifier).reason == ""


def test_every_algorithm_has_an_identifier():
    assert {algorithm for algorithm, _ in RIGHT} == set(ALGORITHMS)


WITH_DIGITS = [
    each for each in RIGHT if each[1] not in {"188166c7-3420-6541", "35686800-004141", "35686800-004141-20"}
]


@pytest.mark.parametrize(("algorithm", "identifier"), WITH_DIGITS)
def test_a_wrong_digit_is_found_and_corrected(algorithm, identifier):
    """Wrong in the last place, the identifier is corrected to what it was."""
    last = {"0": "1"}.get(identifier[-1], "0")
    wrong = identifier[:-1] + last
    verdict = check(algorithm, wrong)
    assert not verdict.is_right
    assert not ALGORITHMS[algorithm].is_right(wrong)
    if algorithm == "iban":
        return  # its check digits are in front, so the last place is data
    assert corrected(wrong, verdict) == identifier
    assert verdict.end == len(wrong)
    assert verdict.expected in verdict.reason


@pytest.mark.parametrize(
    ("algorithm", "wrong", "reason"),
    [
        ("isbn", "9780451450523", "The check digit is wrong; it would be 4."),
        ("issn", "0028-0837", "The check digit is wrong; it would be 6."),
        ("lei", "7LTWFZYICNSX8D621K87", "The check digits are wrong; they would be 86."),
        ("isbn", "12345", "The check digit is wrong."),
        ("isbn-13", "978045145052X", "The check digit is wrong; it would be 4."),
        ("ean", "ABCDEFGH", "The check digit is wrong."),
        ("luhn", "", "The check digit is wrong."),
        ("iban", "GR", "The check digit is wrong."),
        ("eic", "22XWATTPLUS---_G", "The check digit is wrong."),
    ],
)
def test_the_reason_says_what_the_digit_would_be(algorithm, wrong, reason):
    assert check(algorithm, wrong).reason == reason


def test_two_check_digits_are_corrected_each_in_its_place():
    wrong = "0000-0000-D07A-0090-P-0000-0000-X"
    verdict = check("isan", wrong)
    assert (wrong[verdict.start : verdict.end], verdict.expected) == ("P", "Q")
    assert check("isan", corrected(wrong, verdict)).is_right


ANYTHING = st.text("0123456789X-abcXYZ.*_:", max_size=30)


@given(st.sampled_from(sorted(ALGORITHMS)), ANYTHING)
def test_no_text_raises_an_error_and_both_tests_agree(algorithm, text):
    verdict = check(algorithm, text)
    assert verdict.is_right == ALGORITHMS[algorithm].is_right(text)
    if verdict.expected:
        assert len(corrected(text, verdict)) == len(text)


@given(
    st.sampled_from(["isbn", "issn", "lei", "gtin", "isni", "imei"]),
    st.text("0123456789", min_size=8, max_size=20),
)
def test_a_correction_is_right(algorithm, text):
    verdict = check(algorithm, text)
    if verdict.expected:
        assert check(algorithm, corrected(text, verdict)).is_right


@given(st.text("0123456789", min_size=9, max_size=9), st.sampled_from("0123456789X"))
def test_isbns_of_ten_digits_are_judged_as_by_python_stdnum(digits, last):
    assert ALGORITHMS["isbn-10"].is_right(digits + last) == isbn.is_valid(digits + last)
