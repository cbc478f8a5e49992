"""A registrant or a grammar without a heading, beside the date."""

import pytest

from registry.registration_template.parsing.parser import parse_template
from tests.registration_template.samples import OLDER, PLAIN

REGISTRANT = (
    "Name: Example Society\nAddress: 1 Example Street\nContact: An Expert\nEmail: registrant&example.org"
)
GRAMMAR = "example-nss = 5DIGIT\nDIGIT = %x30-39"
WITHOUT_REGISTRANT = PLAIN.replace("Registrant:\n\n   Name: Example Society\n\n", "")
WITHOUT_SYNTAX = PLAIN.replace("Syntax:\n\nAn opaque string.\n\n", "")


def _indented(text: str, columns: int) -> str:
    return "\n".join(" " * columns + line for line in text.splitlines())


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("columns", [0, 3, 6])
def test_a_registrant_beside_the_date_is_the_section_registrant(gap: str, columns: int) -> None:
    block = f"2026-01-31{gap}{_indented(REGISTRANT, columns)}"
    parsed = parse_template(WITHOUT_REGISTRANT.replace("2026-01-31", block))
    registrant = parsed.template.registrant
    assert parsed.template.date == "2026-01-31"
    assert (registrant.organization, registrant.address) == ("Example Society", "1 Example Street")
    assert (registrant.contact_person, registrant.email) == ("An Expert", "registrant&example.org")
    assert parsed.lines["registrant"] == 7 + len(gap)
    assert [each.line for each in parsed.unplaced] == [1]


@pytest.mark.parametrize(
    "grammar",
    [
        GRAMMAR,
        "example-nss = 5DIGIT\n\n   where DIGIT is a digit",
        "<nss> ::= <digit> | <digit> <nss>",
        "<NSS> = 1*5DIGIT",
        "urn:example:{station}:{series}",
        "URN:EXAMPLE:<station>",
    ],
)
def test_a_grammar_beside_the_date_is_the_section_syntax(grammar: str) -> None:
    parsed = parse_template(WITHOUT_SYNTAX.replace("2026-01-31", f"2026-01-31\n{grammar}"))
    assert parsed.template.syntax == grammar
    assert parsed.template.date == "2026-01-31"
    assert [each.line for each in parsed.unplaced] == [1]


def test_registrant_and_grammar_can_follow_each_other_in_the_older_form() -> None:
    text = OLDER.replace("   Declared registrant of the namespace:\n\n      Example Society\n\n", "")
    text = text.replace("   Declaration of syntactic structure:\n\n      An opaque string.\n\n", "")
    block = f"{_indented(REGISTRANT, 6)}\n{_indented(GRAMMAR, 6)}\n      Version 1\n"
    parsed = parse_template(text.replace("      Version 1\n", block))
    assert parsed.template.registrant.email == "registrant&example.org"
    assert parsed.template.syntax.startswith(GRAMMAR)
    assert (parsed.template.version, parsed.template.date) == (1, "2001-02-03")
    assert [each.line for each in parsed.unplaced] == [1]


def test_lines_before_the_registrant_are_reported() -> None:
    block = f"2026-01-31\nWhen submitted.\n{REGISTRANT}"
    parsed = parse_template(WITHOUT_REGISTRANT.replace("2026-01-31", block))
    assert parsed.template.registrant.organization == "Example Society"
    assert [each.text for each in parsed.unplaced][1:] == ["When submitted."]


@pytest.mark.parametrize("block", [REGISTRANT, GRAMMAR])
def test_a_section_with_a_heading_does_not_take_lines_beside_the_date(block: str) -> None:
    parsed = parse_template(PLAIN.replace("2026-01-31", f"2026-01-31\n{block}"))
    assert parsed.template == parse_template(PLAIN).template
    assert [each.text for each in parsed.unplaced][1:] == block.splitlines()
