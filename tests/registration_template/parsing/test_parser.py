"""Plain text in: the shapes in which templates come."""

import re

import pytest

from registry.registration_template.parsing.parser import parse_template
from tests.registration_template.samples import OLDER, PLAIN


def test_a_title_above_the_template_is_reported() -> None:
    parsed = parse_template(PLAIN)
    assert [(line.line, line.text) for line in parsed.unplaced] == [
        (1, "Namespace Registration for the Example Society")
    ]


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        "\ufeff" + PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n\n", "\n \t\n"),
        "".join(f"    {line}\n" for line in PLAIN.split("\n")),
        PLAIN.replace(":  ", ":\n\n   "),
        PLAIN.replace(":  ", ":\t\t"),
        PLAIN.replace("Purpose:\n\n", "Purpose: ").replace("Syntax:\n\n", "Syntax:    "),
        PLAIN.replace("Identifier:", "ID:"),
        PLAIN.replace("Identifier:", "Indentifier:"),
    ],
    ids=[
        "plain",
        "BOM",
        "CRLF",
        "CR",
        "no final newline",
        "blanks",
        "indented",
        "below",
        "tabs",
        "inline",
        "ID",
        "typo",
    ],
)
def test_layout_makes_no_difference(text: str) -> None:
    assert parse_template(text).template == parse_template(PLAIN).template


def test_the_older_form_is_mapped_onto_the_sections_of_today() -> None:
    parsed = parse_template(OLDER)
    template = parsed.template
    assert parsed.form == "3406"
    assert (template.namespace_identifier, template.version, template.date) == ("wxn", 1, "2001-02-03")
    assert template.registrant.other == "Example Society"
    assert " ".join(template.syntax.split()) == (
        "An opaque string. Rules for Lexical Equivalence: None. Conformance with URN Syntax: Yes."
    )
    assert template.assignment.startswith("Identifier uniqueness considerations:\n\n   One register.\n\n")
    assert template.assignment.endswith("Process of identifier assignment:\n\n   By the society.")
    assert template.purpose == "Scope:\n\n   Global."
    assert template.additional_information == "Validation mechanism:\n\n   By asking."
    assert (template.documentation, template.resolution) == ("None.", "None.")


def test_names_of_sections_are_spelt_in_many_ways() -> None:
    spellings = {
        "Declared registrant of the namespace": "Declared registrants of namespace",
        "Declaration of syntactic structure": "Declaration of the syntactic structure of the NSS",
        "Relevant ancillary documentation": "Relevant ancillary documents",
        "Identifier uniqueness considerations": "Identifiers uniqueness consideration",
        "Process of identifier assignment": "Process for the assignment of identifiers",
        "Process for identifier resolution": "Process of identifiers resolution",
        "Rules for Lexical Equivalence": "Rule of lexical equivalence",
        "Conformance with URN Syntax": "Conformity to the URN syntax",
        "Validation mechanism": "Validation mechanisms",
        "Scope:": "Scope of the namespace:",
    }
    text = OLDER
    for usual, other in spellings.items():
        text = text.replace(usual, other)
    read, usual = parse_template(text), parse_template(OLDER)
    assert read.lines == usual.lines
    assert {key: read.template.is_filled(key) for key in read.lines} == dict.fromkeys(read.lines, True)


def test_community_and_namespace_considerations_belong_to_the_purpose() -> None:
    text = OLDER.replace(
        "   Identifier uniq", "   Community considerations:\n\n      Many.\n\n   Identifier uniq"
    )
    template = parse_template(text).template
    assert template.purpose.startswith("Community considerations:\n\n   Many.")
    assert template.documentation == "None."


def test_numbered_headings_need_no_colon() -> None:
    numbers = iter(range(1, 20))
    numbered = re.sub(r"(?m)^   (\w.*):$", lambda match: f"2.{next(numbers)}.  {match[1]}", OLDER)
    template = parse_template(numbered).template
    assert template.namespace_identifier == "wxn"
    assert template.syntax.startswith(
        "An opaque string.\n\n2.10.  Rules for Lexical Equivalence\n\n      None."
    )
    assert template.purpose == "2.13.  Scope\n\n      Global."


def test_numbered_headings_may_have_a_colon() -> None:
    assert (
        parse_template(OLDER.replace("   Namespace ID:", "3.1 Namespace ID:")).template.namespace_identifier
        == "wxn"
    )


def test_headings_may_be_underlined_and_a_preamble_may_have_a_date_of_its_own() -> None:
    lines = []
    for line in PLAIN.split("\n"):
        name, colon, rest = line.partition(":")
        if colon and not line.startswith(" "):
            lines += [name, "=" * len(name), "", rest.strip()]
        else:
            lines.append(line)
    preamble = "URN Registration\n================\n\nDate: 1999-01-01\nRegistration version: 7\n\n"
    parsed = parse_template(preamble + "\n".join(lines))
    assert parsed.template == parse_template(PLAIN).template
    assert [each.line for each in parsed.unplaced] == [1, 2, 4, 5, 7]


def test_a_line_that_ends_in_a_colon_is_no_heading() -> None:
    text = PLAIN.replace("An opaque string.", "Where:\n\nEXAMPLES:\n\nThe resulting URN is:\n\nurn:wxn:1")
    assert parse_template(text).template.syntax.startswith("Where:\n\nEXAMPLES:")


def test_a_heading_in_the_text_of_a_section_is_text_when_it_is_indented() -> None:
    text = PLAIN.replace("Names of stations.", "Names.\n   Syntax: an example of a heading\n")
    template = parse_template(text).template
    assert template.purpose == "Names.\n   Syntax: an example of a heading"
    assert template.syntax == "An opaque string."


def test_a_heading_that_comes_again_is_read_as_text_and_remarked() -> None:
    parsed = parse_template(PLAIN + "\nPurpose: again\n")
    assert parsed.template.assignment == "By the society.\n\nPurpose: again"
    assert [remark.line for remark in parsed.remarks] == [25]


@pytest.mark.parametrize(
    ("added", "key", "expected"),
    [
        ("Background:\n\nA long story.", "purpose", "Names of stations.\n\nBackground:\n\nA long story."),
        ("Persistence:\n\nFor ever.", "assignment", "By the society.\n\nPersistence:\n\nFor ever."),
        ("Character set:\n\nASCII.", "syntax", "An opaque string.\n\nCharacter set:\n\nASCII."),
    ],
)
def test_sections_of_the_registrants_own_come_where_they_belong(added: str, key: str, expected: str) -> None:
    text = PLAIN.replace("Purpose:\n", f"{added}\n\nPurpose:\n")
    assert getattr(parse_template(text).template, key) == expected


def test_an_assignment_heading_may_name_what_is_assigned() -> None:
    assert (
        parse_template(PLAIN.replace("Assignment:", "WXN assignment:")).template.assignment
        == "By the society."
    )


def test_additional_documentation_is_documentation() -> None:
    text = (
        PLAIN + "\nAdditional documentation / information:\n\nA standard.\n\nRevision Information:\n\nNone\n"
    )
    assert parse_template(text).template.documentation == "A standard."


def test_references_after_the_last_section_are_additional_information() -> None:
    template = parse_template(
        PLAIN + "\nRevision Information:\n\nNone\n\nReferences:\n\n[1] A standard.\n"
    ).template
    assert template.revision_information == "None"
    assert template.additional_information == "References:\n\n[1] A standard."


def test_notes_about_the_file_are_reported() -> None:
    parsed = parse_template(OLDER + "\n(created 2001-02-03)\n\n[]\n")
    assert parsed.template == parse_template(OLDER).template
    assert [each.text for each in parsed.unplaced][1:] == ["(created 2001-02-03)", "[]"]


def test_a_blank_line_below_the_text_beside_a_heading_stays() -> None:
    text = PLAIN.replace(
        "Purpose:\n\nNames of stations.", "Purpose:  Names of stations.\n\nArchives cite them."
    )
    assert parse_template(text).template.purpose == "Names of stations.\n\nArchives cite them."
    folded = PLAIN.replace("Purpose:\n\nNames", "Purpose:  Names\n")
    assert parse_template(folded).template.purpose == "Names\nof stations."
