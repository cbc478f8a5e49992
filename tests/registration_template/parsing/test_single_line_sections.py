"""What stands below the first heading: the identifier, the version, the date."""

import pytest

from registry.registration_template.parsing.parser import parse_template
from tests.registration_template.samples import OLDER, PLAIN


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
    assert parse_template(PLAIN.replace("wxn", line, 1)).template.namespace_identifier == nid


def test_prose_beside_the_identifier_is_reported() -> None:
    parsed = parse_template(PLAIN.replace("wxn", "wxn\n\nIn use for years.", 1))
    assert (5, "In use for years.", "text next to the identifier") in [
        (line.line, line.text, line.reason) for line in parsed.unplaced
    ]


def test_prose_beside_the_identifier_gives_no_version_and_no_date() -> None:
    prose = "wxn\n\nThis was version 7 of the name.\nTo date: nobody objects. The date 2001-02-03 is past.\n"
    template = parse_template(PLAIN.replace("wxn", prose, 1)).template
    assert (template.version, template.date) == (1, "2026-01-31")


def test_version_and_date_may_follow_below_the_identifier() -> None:
    text = PLAIN.replace("Version:  1\n\nDate:  2026-01-31\n", "")
    parsed = parse_template(
        text.replace("wxn", "wxn\n\n  Version 2\n  Registration date: 2001-02-03\n\n  Remarks.", 1)
    )
    assert (parsed.template.version, parsed.template.date) == (2, "2001-02-03")
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
    parsed = parse_template(PLAIN.replace("Version:  1", f"Version:  {line}"))
    assert parsed.template.version == version
    assert any(each.line == 5 for each in parsed.unplaced) is is_reported


@pytest.mark.parametrize(
    "date", ["2020-04-2", "2006-MM-DD", "August 2011", "5Feb2001", "<2005-03-7, when submitted>", "TBD"]
)
def test_a_date_that_is_none_is_kept_as_it_is_typed(date: str) -> None:
    assert parse_template(PLAIN.replace("2026-01-31", date)).template.date == date


def test_a_second_date_is_reported() -> None:
    parsed = parse_template(OLDER + "\n   Date: 2020-01-31\n")
    assert parsed.template.date == "2001-02-03"
    assert [line.text for line in parsed.unplaced][1:] == ["2020-01-31"]


def test_a_full_stop_after_a_date_is_no_part_of_it() -> None:
    assert parse_template(PLAIN.replace("2026-01-31", "2026-01-31.")).template.date == "2026-01-31"


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
    template = parse_template(
        OLDER.replace("Version 1\n      Date: 2001-02-03", lines.replace("\n", "\n      "))
    ).template
    assert (template.version, template.date) == (1, "2001-02-03")


@pytest.mark.parametrize(
    "line",
    ["Version 1 replaces the draft", "The second version 1 of it", "Version 1\n      Version 2", "Version"],
)
def test_other_text_beside_version_and_date_is_reported(line: str) -> None:
    parsed = parse_template(OLDER.replace("Version 1", line))
    assert parsed.template.date == "2001-02-03"
    assert [each.text for each in parsed.unplaced][1:] == [line.split("\n")[-1].strip()]
