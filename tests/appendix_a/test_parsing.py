"""Plain text in: the shapes in which templates come, and what is refused."""

import re

import pytest

from registry.appendix_a.errors import (
    InvalidSubmission,
    NoHeadings,
    NotPlainText,
    SeveralTemplates,
    TooLong,
    TooManyHeadings,
    TooMuchText,
    UnreadableTemplate,
)
from registry.appendix_a.text import parse, parse_all

PLAIN = """\
Namespace Registration for the Example Society

Namespace Identifier:  wxn

Version:  1

Date:  2026-01-31

Registrant:

   Name: Example Society

Purpose:

Names of stations.

Syntax:

An opaque string.

Assignment:

By the society.
"""


def test_a_title_above_the_template_is_reported() -> None:
    parsed = parse(PLAIN)
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
    assert parse(text).submission == parse(PLAIN).submission


@pytest.mark.parametrize(
    ("line", "nid"),
    [
        ("wxn", "wxn"),
        ("WXN", "wxn"),
        ('"wxn"', "wxn"),
        ('"wxn".', "wxn"),
        ("'wxn'", "wxn"),
        ('"wxn" requested', "wxn"),
        ("‘wxn’ requested", "wxn"),
        ('"wxn" Requested of IANA', "wxn"),
        ("WXN Requested of IANA.", "wxn"),
        ('The Namespace ID "wxn" is requested.', "wxn"),
        ('The NID "wxn" is requested.', "wxn"),
        ('To be assigned.  Request the string "wxn".', "wxn"),
        ('"wxn" (where "wxn" is short for weather network)', "wxn"),
        ("Request is made for a formal assignment:\n\nwxn", "wxn"),
        ("wxn\n\nThe network has used this name for years.", "wxn"),
        ("The NID wxn is requested.", "wxn"),
        ("wxn, as requested", "wxn"),
        ("wxn - assigned by IANA", "wxn"),
        ("urn-7", "urn-7"),
        ("assigned by IANA", ""),
        ("Assigned by IANA.", ""),
        ("to be assigned", ""),
        ("TBD", ""),
        ("", ""),
        ("no good", "no good"),
        ("wetterstationsnähe", "wetterstationsnähe"),
    ],
)
def test_the_identifier_is_found_in_what_people_write(line: str, nid: str) -> None:
    assert parse(PLAIN.replace("wxn", line, 1)).submission.namespace_identifier == nid


def test_prose_beside_the_identifier_is_reported() -> None:
    parsed = parse(PLAIN.replace("wxn", "wxn\n\nIn use for years.", 1))
    assert (5, "In use for years.", "stands beside the identifier") in [
        (line.line, line.text, line.reason) for line in parsed.unplaced
    ]


def test_prose_beside_the_identifier_gives_no_version_and_no_date() -> None:
    prose = "wxn\n\nThis was version 7 of the name.\nTo date: nobody objects. The date 2001-02-03 is past.\n"
    submission = parse(PLAIN.replace("wxn", prose, 1)).submission
    assert (submission.version, submission.date) == (1, "2026-01-31")


def test_version_and_date_may_stand_below_the_identifier() -> None:
    text = PLAIN.replace("Version:  1\n\nDate:  2026-01-31\n", "")
    parsed = parse(
        text.replace("wxn", "wxn\n\n  Version 2\n  Registration date: 2001-02-03\n\n  Remarks.", 1)
    )
    assert (parsed.submission.version, parsed.submission.date) == (2, "2001-02-03")
    assert [line.text for line in parsed.unplaced][1:] == ["Remarks."]


@pytest.mark.parametrize(
    ("line", "version", "is_reported"),
    [
        ("1", 1, False),
        ("1.0", 1, False),
        ("Version 2", 2, False),
        ("2 (revision of an earlier registration)", 2, True),
        ("first", None, True),
        ("99999999999999999999", None, True),
        ("٣", None, True),
    ],
)
def test_the_version_is_a_number(line: str, version: int | None, is_reported: bool) -> None:
    parsed = parse(PLAIN.replace("Version:  1", f"Version:  {line}"))
    assert parsed.submission.version == version
    assert any(each.line == 5 for each in parsed.unplaced) is is_reported


@pytest.mark.parametrize(
    "date", ["2020-04-2", "2006-MM-DD", "August 2011", "5Feb2001", "<2005-03-7, when submitted>", "TBD"]
)
def test_a_date_that_is_none_is_kept_as_it_is_typed(date: str) -> None:
    assert parse(PLAIN.replace("2026-01-31", date)).submission.date == date


def test_a_full_stop_after_a_date_is_no_part_of_it() -> None:
    assert parse(PLAIN.replace("2026-01-31", "2026-01-31.")).submission.date == "2026-01-31"


OLDER = """\
2.  Specification Template

   Namespace ID:

      "wxn"

   Registration Information:

      Version 1
      Date: 2001-02-03

   Declared registrant of the namespace:

      Example Society

   Declaration of syntactic structure:

      An opaque string.

   Relevant ancillary documentation:

      None.

   Identifier uniqueness considerations:

      One register.

   Identifier persistence considerations:

      Never reassigned.

   Process of identifier assignment:

      By the society.

   Process for identifier resolution:

      None.

   Rules for Lexical Equivalence:

      None.

   Conformance with URN Syntax:

      Yes.

   Validation mechanism:

      By asking.

   Scope:

      Global.
"""


def test_the_older_form_is_mapped_onto_the_sections_of_today() -> None:
    parsed = parse(OLDER)
    submission = parsed.submission
    assert parsed.form == "3406"
    assert (submission.namespace_identifier, submission.version, submission.date) == ("wxn", 1, "2001-02-03")
    assert submission.registrant.other == "Example Society"
    assert " ".join(submission.syntax.split()) == (
        "An opaque string. Rules for Lexical Equivalence: None. Conformance with URN Syntax: Yes."
    )
    assert submission.assignment.startswith("Identifier uniqueness considerations:\n\n   One register.\n\n")
    assert submission.assignment.endswith("Process of identifier assignment:\n\n   By the society.")
    assert submission.purpose == "Scope:\n\n   Global."
    assert submission.additional_information == "Validation mechanism:\n\n   By asking."
    assert (submission.documentation, submission.resolution) == ("None.", "None.")


@pytest.mark.parametrize(
    "lines",
    [
        "Version 1\nDate: 2001-02-03",
        "Registration Version Number: 1       Registration Date: 2001-02-03",
        "Registration version: 1; registration date: 2001-02-03",
        "-  version number:  1\n\n-  date:  2001-02-03",
        "Version 1\n2001-02-03",
        "Registration Version Number 1\nRegistration Date: 2001-02-03",
        "Version 1, 2001-02-03",
        "Version 1.0 (2001-02-03)",
        "Registration version number:\n\n   1\n\nRegistration date:\n\n   2001-02-03",
        "Version\n   1\nDate\n   2001-02-03",
    ],
)
def test_the_older_form_has_version_and_date_on_one_line_or_two(lines: str) -> None:
    submission = parse(
        OLDER.replace("Version 1\n      Date: 2001-02-03", lines.replace("\n", "\n      "))
    ).submission
    assert (submission.version, submission.date) == (1, "2001-02-03")


@pytest.mark.parametrize(
    "line",
    ["Version 1 replaces the draft", "The second version 1 of it", "Version 1\n      Version 2", "Version"],
)
def test_what_else_stands_beside_version_and_date_is_reported(line: str) -> None:
    parsed = parse(OLDER.replace("Version 1", line))
    assert parsed.submission.date == "2001-02-03"
    assert [each.text for each in parsed.unplaced][1:] == [line.split("\n")[-1].strip()]


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
    read, usual = parse(text), parse(OLDER)
    assert read.lines == usual.lines
    assert {key: read.submission.is_filled(key) for key in read.lines} == dict.fromkeys(read.lines, True)


def test_community_and_namespace_considerations_belong_to_the_purpose() -> None:
    text = OLDER.replace(
        "   Identifier uniq", "   Community considerations:\n\n      Many.\n\n   Identifier uniq"
    )
    submission = parse(text).submission
    assert submission.purpose.startswith("Community considerations:\n\n   Many.")
    assert submission.documentation == "None."


def test_numbered_headings_need_no_colon() -> None:
    numbers = iter(range(1, 20))
    numbered = re.sub(r"(?m)^   (\w.*):$", lambda match: f"2.{next(numbers)}.  {match[1]}", OLDER)
    submission = parse(numbered).submission
    assert submission.namespace_identifier == "wxn"
    assert submission.syntax.startswith(
        "An opaque string.\n\n2.10.  Rules for Lexical Equivalence\n\n      None."
    )
    assert submission.purpose == "2.13.  Scope\n\n      Global."


def test_numbered_headings_may_have_a_colon() -> None:
    assert (
        parse(OLDER.replace("   Namespace ID:", "3.1 Namespace ID:")).submission.namespace_identifier == "wxn"
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
    parsed = parse(preamble + "\n".join(lines))
    assert parsed.submission == parse(PLAIN).submission
    assert [each.line for each in parsed.unplaced] == [1, 2, 4, 5, 7]


def test_a_line_that_ends_in_a_colon_is_no_heading() -> None:
    text = PLAIN.replace("An opaque string.", "Where:\n\nEXAMPLES:\n\nThe resulting URN is:\n\nurn:wxn:1")
    assert parse(text).submission.syntax.startswith("Where:\n\nEXAMPLES:")


def test_a_heading_in_the_text_of_a_section_is_text_when_it_is_indented() -> None:
    text = PLAIN.replace("Names of stations.", "Names.\n   Syntax: an example of a heading\n")
    submission = parse(text).submission
    assert submission.purpose == "Names.\n   Syntax: an example of a heading"
    assert submission.syntax == "An opaque string."


def test_a_heading_that_comes_again_is_read_as_text_and_remarked() -> None:
    parsed = parse(PLAIN + "\nPurpose: again\n")
    assert parsed.submission.assignment == "By the society.\n\nPurpose: again"
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
    assert getattr(parse(text).submission, key) == expected


def test_an_assignment_may_bear_the_name_of_what_is_assigned() -> None:
    assert parse(PLAIN.replace("Assignment:", "WXN assignment:")).submission.assignment == "By the society."


def test_additional_documentation_is_documentation() -> None:
    text = (
        PLAIN + "\nAdditional documentation / information:\n\nA standard.\n\nRevision Information:\n\nNone\n"
    )
    assert parse(text).submission.documentation == "A standard."


def test_references_after_the_last_section_are_additional_information() -> None:
    submission = parse(
        PLAIN + "\nRevision Information:\n\nNone\n\nReferences:\n\n[1] A standard.\n"
    ).submission
    assert submission.revision_information == "None"
    assert submission.additional_information == "References:\n\n[1] A standard."


def test_notes_about_the_file_are_reported() -> None:
    parsed = parse(OLDER + "\n(created 2001-02-03)\n\n[]\n")
    assert parsed.submission == parse(OLDER).submission
    assert [each.text for each in parsed.unplaced][1:] == ["(created 2001-02-03)", "[]"]


def test_two_templates_in_one_document_are_refused_by_line() -> None:
    with pytest.raises(SeveralTemplates, match="lines 3, 27") as caught:
        parse(PLAIN + "\n" + PLAIN)
    assert caught.value.line == 27


def test_two_templates_in_one_document_can_be_read_one_by_one() -> None:
    other = PLAIN.replace("wxn", "wxo")
    assert [each.submission.namespace_identifier for each in parse_all(PLAIN + "\n" + other)] == [
        "wxn",
        "wxo",
    ]


def test_the_identifier_mentioned_again_begins_no_template() -> None:
    parsed = parse(PLAIN + "\nNamespace Identifier:  wxo\n")
    assert parsed.submission.namespace_identifier == "wxn"
    assert parsed.submission.assignment.endswith("Namespace Identifier:  wxo")


def test_a_template_may_lack_its_first_heading() -> None:
    parsed = parse(PLAIN.replace("Namespace Identifier:  wxn", "wxn"))
    assert parsed.submission.namespace_identifier == ""
    assert parsed.submission.syntax == "An opaque string."
    assert [line.text for line in parsed.unplaced][1:] == ["wxn"]
    assert len(parse_all(PLAIN.replace("Namespace Identifier:", "Name:"))) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", NoHeadings),
        ("\n", NoHeadings),
        ("Date: tomorrow\n", NoHeadings),
        ("A letter.\n\nWithout any heading.\n" * 1000, NoHeadings),
        ("Namespace Identifier: wxn\x00\n", NotPlainText),
        ("\x7fELF\x02\x01\x01" + "\x00" * 100, NotPlainText),
        ("Namespace Identifier: \ud800\n", NotPlainText),
        ("x" * 10_000_000, TooLong),
        ("Namespace Identifier: wxn\n" + "Syntax:\n" * 10_000, TooManyHeadings),
        (PLAIN * 2, SeveralTemplates),
        (PLAIN + "word " * 60_000, TooMuchText),
    ],
    ids=[
        "empty",
        "newline",
        "one heading",
        "no heading",
        "NUL",
        "binary",
        "surrogate",
        "10 MB",
        "10,000",
        "two",
        "much",
    ],
)
def test_what_is_no_template_is_refused_with_a_reason(text: str, reason: type[ValueError]) -> None:
    with pytest.raises((UnreadableTemplate, InvalidSubmission)) as caught:
        parse(text)
    assert type(caught.value) is reason
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    "text",
    [
        "Namespace Identifier: " + " " * 200_000 + "x",
        "Namespace Identifier: " + "-" * 200_000,
        "Namespace Identifier: wxn\nVersion: version" + " " * 200_000 + "x",
        "Namespace Identifier: wxn\nRegistrant:\n" + "a" * 100_000 + " " * 100_000 + "@",
        "Namespace Identifier: wxn\nSyntax: " + "urn:" * 50_000,
        "Namespace Identifier: wxn\nSyntax: " + "urn:wxn:" + ")" * 200_000,
        "Namespace Identifier: wxn\nSyntax:\n" + "a\n" * 100_000,
        "Namespace Identifier: wxn\nSyntax:\n" + "1." * 100_000,
    ],
    ids=["spaces", "hyphens", "version", "contact", "URNs", "parentheses", "lines", "numbers"],
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    from registry.appendix_a.checks import check
    from registry.appendix_a.text import format_text

    submission = parse(text).submission
    check(submission, kind="formal")
    assert parse(format_text(submission)).submission == submission
