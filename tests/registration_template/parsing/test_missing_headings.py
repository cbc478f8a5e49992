"""Headings in another style than the others are headings of sections that would be missing without them."""

import pytest

from registry.registration_template.formatting import format_template
from registry.registration_template.parsing.parser import parse_template
from tests.registration_template.samples import OLDER, PLAIN

NUMBERED = """\
2.1.  Namespace ID

   example

2.2.  Registration Information

   Version 1
   Date: 2001-02-03

2.3.  Declared registrant of the namespace

   Name: Example Society
   Address: 1 Example Street
   Contact: An Expert
   E-mail: registrant@example.org

2.4.  Declaration of syntactic structure

   Five digits.

2.5.  Process of identifier assignment

   By the society.
"""
HEADING = "2.3.  Declared registrant of the namespace"


@pytest.mark.parametrize(
    "heading",
    [
        "   Declared registrant of the namespace:",
        "      Declared Registrant of the Namespace:",
        "Declared registrant of the namespace:",
        "Declared registrant of the namespace",
        "   DECLARED REGISTRANT OF THE NAMESPACE",
        "declared registrant of the namespace:",
        "3)  Declared registrant of the namespace:",
        "   (c)  Declared registrant of the namespace:",
        "A.3.  Declared registrant of the namespace",
        "III.  Declared registrant of the namespace",
        "  o  Declared registrant of the namespace:",
        "   2.3.  Registrant:",
    ],
)
def test_a_heading_in_another_style_begins_its_section(heading: str) -> None:
    parsed = parse_template(NUMBERED.replace(HEADING, heading))
    assert parsed.template == parse_template(NUMBERED).template
    assert parsed.template.registrant.email == "registrant@example.org"
    assert parsed.unplaced == ()


@pytest.mark.parametrize(
    "heading", ["Namespace ID:", "Namespace ID", "   Namespace ID:", "1) Namespace ID", "o  Namespace ID:"]
)
def test_the_first_heading_can_have_another_style_than_all_others(heading: str) -> None:
    parsed = parse_template(NUMBERED.replace("2.1.  Namespace ID", heading))
    assert parsed.template == parse_template(NUMBERED).template
    assert parsed.unplaced == ()


@pytest.mark.parametrize("indent", ["", "   ", "      "])
def test_a_name_of_the_older_form_is_a_heading_directly_below_a_text(indent: str) -> None:
    compact = NUMBERED.replace("\n\n", "\n")
    for name in ("Declared registrant of the namespace", "Declaration of syntactic structure"):
        lines = (f"{indent}{name}:" if line.endswith(name) else line for line in compact.splitlines())
        assert parse_template("\n".join(lines)).template == parse_template(compact).template


@pytest.mark.parametrize("numbering", ["{}) ", "({}) ", "A.{}. ", "2.{} ", "- ", "o  ", "* "])
def test_headings_can_be_numbered_in_other_ways(numbering: str) -> None:
    numbers = iter(range(1, 20))
    lines = [
        numbering.format(next(numbers)) + line.strip() if line.endswith(":") else line
        for line in OLDER.splitlines()
    ]
    parsed = parse_template("\n".join(lines))
    assert parsed.lines == parse_template(OLDER).lines
    assert parsed.template.syntax.startswith("An opaque string.")
    assert len(parsed.unplaced) == 1


def test_a_heading_directly_below_the_date_begins_its_section() -> None:
    text = NUMBERED.replace(f"\n{HEADING}\n", "   Declared registrant of the namespace:\n")
    assert parse_template(text).template == parse_template(NUMBERED).template


def test_an_indented_part_of_the_older_form_begins_its_section() -> None:
    text = NUMBERED.replace("2.5.  Process of identifier assignment", "   Process of identifier assignment:")
    template = parse_template(text).template
    assert template.syntax == "Five digits."
    assert template.assignment == "Process of identifier assignment:\n\nBy the society."


@pytest.mark.parametrize(
    "heading",
    [
        "Declaration of syntactic structure",
        "Identifier uniqueness considerations",
        "Identifier persistence considerations",
        "Process of identifier assignment",
        "Process for identifier resolution",
        "Rules for Lexical Equivalence",
        "Conformance with URN Syntax",
        "Validation mechanism",
        "Scope",
    ],
)
def test_the_other_parts_of_its_section_are_no_reason_to_miss_a_heading(heading: str) -> None:
    parsed = parse_template(OLDER.replace(f"   {heading}:", f"      {heading}:"))
    expected = parse_template(OLDER)
    for key in ("syntax", "assignment", "resolution", "additional_information", "purpose", "documentation"):
        assert getattr(parsed.template, key).split() == getattr(expected.template, key).split()


@pytest.mark.parametrize("line", ["      Validation mechanism:", "Scope:"])
def test_a_part_that_has_its_own_heading_is_text(line: str) -> None:
    template = parse_template(
        OLDER.replace("An opaque string.", f"Opaque.\n\n      {line}\n\n      Of it.")
    ).template
    assert template.syntax.startswith(f"Opaque.\n\n{line}\n\nOf it.")


def test_a_part_of_the_older_form_in_a_formatted_template_is_text() -> None:
    text = PLAIN.replace("Names of stations.", "Scope:\n\nGlobal.").replace(
        "An opaque string.", "An opaque string.\n\n2.1. Process of identifier assignment\n\nBy asking."
    )
    text += "\nSecurity and Privacy:\n\nNone.\n"
    template = parse_template(text).template
    assert template.syntax.endswith("By asking.")
    assert parse_template(format_template(template)).template == template


def test_an_indented_date_below_the_version_is_the_date() -> None:
    text = OLDER.replace(
        "      Version 1\n      Date: 2001-02-03",
        "   Registration version number: 1\n\n      Registration date: 2001-02-03",
    )
    template = parse_template(text).template
    assert (template.version, template.date) == (1, "2001-02-03")


@pytest.mark.parametrize("line", ["   Date: when it was named", "   Version: of the station"])
def test_a_date_in_a_text_of_the_older_form_is_text(line: str) -> None:
    template = parse_template(OLDER.replace("      By asking.", f"      By asking.\n\n   {line}")).template
    assert template.additional_information.endswith(line.strip())
    assert (template.version, template.date) == (1, "2001-02-03")


@pytest.mark.parametrize(
    "line",
    [
        "   Syntax: an example of a heading",
        "syntax: an example of a heading",
        "scope: an example of a heading",
        "   1. Syntax",
        "   Syntax",
        "   (a) Syntax:",
        "- Syntax:",
    ],
)
def test_a_line_is_text_if_the_section_has_its_own_heading(line: str) -> None:
    template = parse_template(PLAIN.replace("Names of stations.", f"Names.\n\n{line}\n\n")).template
    assert template.purpose == f"Names.\n\n{line}"
    assert template.syntax == "An opaque string."


@pytest.mark.parametrize("line", ["   Resolution: by asking", "   Resolution", "1. Resolution"])
def test_a_line_within_a_paragraph_is_text(line: str) -> None:
    template = parse_template(PLAIN.replace("Names of stations.", f"Names.\n{line}\nand more.")).template
    assert template.purpose == f"Names.\n{line}\nand more."
    assert template.resolution == ""


def test_a_section_is_added_once() -> None:
    text = NUMBERED.replace(HEADING, "   Registrant:") + "\n   Registrant:\n\n   Example Institute\n"
    template = parse_template(text).template
    assert template.registrant.organization == "Example Society"
    assert template.assignment.endswith("Registrant:\n\n   Example Institute")
