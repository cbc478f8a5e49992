"""Names that others see: real ones are accepted, those that mislead are refused, and lookalikes have one comparison form."""

import re

import pytest

from registry.core.names import MAX_FORM_LENGTH, NameRefused, check_name, comparison_form
from registry.core.validators import TextMissing, TextTooLong
from registry.publication.iana.file_reader import read_version
from tests.data import IANA_NEWEST
from tests.support.shared_data import shared


def checked(name: str) -> str:
    return check_name(name, "the name", longest=200)


@pytest.mark.parametrize(
    "name",
    [
        "O'Brien",
        "O’Brien",
        "山田 太郎",
        "Ångström",
        "María-José",
        "Dr. J. R. Smith, Jr.",
        "Nguyễn Văn A",
        "Ελληνικός Οργανισμός Τυποποίησης",
        "Росстандарт (Rosstandart)",
        "안녕 Kim",
        "W3C日本",
        "カタカナー株式会社",
        "국립중앙도서관",
        "ශ්\u200dරී ලංකා",  # a joiner after a virama
        "کتاب\u200cخانه",  # a non-joiner between Arabic letters
        "בית הספרים",
        "हिन्दी",
        "3GPP",
        "W3C/MIT",
        "AT&T",
        "Booking.com",
        "Society “Example”",
        "C++ Alliance, Inc.",
        "Foo®",
        "№ 5",
    ],
)
def test_a_real_name_is_accepted(name: str) -> None:
    assert comparison_form(checked(name)) == comparison_form(name)


def test_names_in_the_registry_of_iana_are_accepted() -> None:
    names = {
        each.text.strip()
        for person in read_version(IANA_NEWEST).file.people
        for each in person.children
        if each.text and each.tag in {"name", "org"}
    }
    assert len(names) > 5
    for name in names:
        if "@" not in name:  # one is an address
            assert checked(name) == " ".join(name.split())


def test_names_in_templates_are_accepted() -> None:
    pattern = re.compile(
        r"(?im)^\s*(?:Name|Organi[sz]ation|Registering organization|Company|Affiliation)\s*:\s*(\S.{1,150}?)\s*$"
    )
    texts = [
        path.read_text(encoding="utf-8", errors="replace") for path in shared("data/templates").rglob("*.txt")
    ]
    names = {found for text in texts for found in pattern.findall(text)}
    assert len(names) > 20
    for name in names:
        assert checked(name) == " ".join(name.split())


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("IA\u200dNA", "U+200D"),
        ("IA\u200cNA", "U+200C"),
        ("\u202eANAI", "U+202E"),
        ("Example\u2066", "U+2066"),
        ("Exa\u00admple", "U+00AD"),
        ("Example\u3164", "can't be seen"),
        ("Example\u2800", "U+2800"),
        ("Example\ufe0f", "U+FE0F"),
        ("Example\U000e0041", "U+E0041"),
        ("Example\ue000", "U+E000"),
        ("Example\x7f", "U+007F"),
        ("Аdministrator", "mixes scripts"),
        ("IΑNA", "mixes scripts"),
        ("Exаmple-Society", "“Exаmple” mixes scripts"),
        ("Exаmple", "with “а” (CYRILLIC SMALL LETTER A)"),
        ("Ехаmple", "with “m” (LATIN SMALL LETTER M)"),
        ("ᎪᎠᎷᏆN", "mixes scripts"),
        ("ᎪᎷ", "one that names can't have"),
        ("✅ Example", "the symbol “✅”"),
        ("Your case was closed: https://example.org/", "“https://” looks like an address"),
        ("Sign in at example.org/login", "“example.org/” looks like an address"),
        ("Ask www.example.org", "“www.” looks like"),
        ("Write to expert@example.org", "looks like an address"),
        ("example.org:8000", "“example.org:8” looks like"),
        ("a" + "\u0301" * 5, "more than 4 marks"),
    ],
)
def test_a_name_that_misleads_is_refused_with_the_reason(name: str, why: str) -> None:
    with pytest.raises(NameRefused, match=re.escape(why)):
        checked(name)


def test_a_name_is_one_line_of_limited_length_with_a_letter_or_a_digit() -> None:
    assert checked(" Example\n\tSociety\u2028of\u00a0trees ") == "Example Society of trees"
    for empty in ("", " ", "…", "\u200b"):
        with pytest.raises((TextMissing, NameRefused)):
            checked(empty)
    with pytest.raises(TextTooLong, match="200"):
        checked("x" * 201)
    with pytest.raises(TextTooLong, match="200"):  # the limit is that of the stored form
        checked("ﷺ" * 20)


def test_the_stored_form_is_that_of_compatible_characters() -> None:
    assert checked("ＩＡＮＡ") == "IANA"
    assert checked("A\u030angstro\u0308m") == "Ångström"


@pytest.mark.parametrize(
    "name",
    [
        "IANA",
        "iana",
        "Iana",
        "lANA",
        "ＩＡＮＡ",
        "IΑNA",
        "ΙΑΝΑ",
        "I.A.N.A.",
        "I A N A",
        "IА\u200dNA",
        "1ANA",
        "i-a-n-a",
        "«IANA»",
    ],
)
def test_names_that_look_alike_have_one_comparison_form(name: str) -> None:
    assert comparison_form(name) == comparison_form("IANA")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Amazon", "Arnazon"),
        ("Example Society", "EXAMPLE-SOCIETY"),
        ("Росстандарт", "РОССТАНДАРТ"),
        ("Straße", "STRASSE"),
        ("scope", "ѕсоре"),
        ("3GPP", "ЗGPP"),
    ],
)
def test_other_names_that_look_alike_do_too(one: str, other: str) -> None:
    assert comparison_form(one) == comparison_form(other)


def test_different_names_have_different_forms() -> None:
    names = [
        "3GPP",
        "3GPP2",
        "GS1",
        "GSMA",
        "OMA",
        "ONF",
        "OGC",
        "OGF",
        "山田",
        "田山",
        "हिन्दी",
        "हिन्दू",
        "Ångström",
        "Angstrom",
    ]
    assert len({comparison_form(each) for each in names}) == len(names)


def test_a_form_fits_into_an_index() -> None:
    assert len(comparison_form("m" * 400)) == MAX_FORM_LENGTH
