"""The Registrant section: labels become fields, everything else is kept as it stands."""

import pytest

from registry.registration_template.formatting import format_registrant
from registry.registration_template.parsing.line_folding import Line, unfold
from registry.registration_template.parsing.registrant import parse_registrant
from registry.registration_template.sections import Registrant

SOCIETY = {"organization": "Example Society", "address": "1 Example Street\nExampleton"}
EXPERT = {"contact_person": "An Expert", "email": "expert@example.org"}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            (
                "Name: Example Society\nAddress: 1 Example Street\n         Exampleton\n"
                "Contact: An Expert\nE-mail: expert@example.org"
            ),
            SOCIETY | EXPERT,
        ),
        (
            (
                "Registering organization\n   Name:    Example Society\n   Address: 1 Example Street\n"
                "            Exampleton\n\nDesignated contact\n   Name: An Expert\n"
                "   Email: expert@example.org"
            ),
            SOCIETY | EXPERT,
        ),
        (
            (
                "Registering organization:\n   Example Society\n   1 Example Street\n   Exampleton\n\n"
                "Designated contact person:\n   An Expert\n   expert@example.org"
            ),
            SOCIETY | EXPERT,
        ),
        (
            (
                "Name:\n\n   Example Society\n\nAddress:\n\n   1 Example Street\n   Exampleton\n\n"
                "Contact Person:\n\n   An Expert\n   email: expert@example.org"
            ),
            SOCIETY | EXPERT,
        ),
        (
            (
                "Name: An Expert\nE-mail: expert@example.org\nAffiliation: Example Society\nAddress:\n"
                "1 Example Street\nExampleton\nWeb URL: https://www.example.org/"
            ),
            SOCIETY | EXPERT | {"other": "Web URL: https://www.example.org/"},
        ),
        (
            (
                "-  Registering organization:\n   Name: Example Society\n\n-  Designated contact person:\n"
                "   Role: Registrar\n   Email: registrar@example.org"
            ),
            {
                "organization": "Example Society",
                "contact_person": "Registrar",
                "email": "registrar@example.org",
            },
        ),
        (
            "Email: office@example.org\n\nContact person: An Expert\nEmail: expert@example.org",
            EXPERT | {"other": "Email: office@example.org"},
        ),
        (
            "Example Society\n1 Example Street\n\nexpert@example.org\n+1-555-555-0100",
            {
                "other": "Example Society\n1 Example Street",
                "email": "expert@example.org",
                "phone": "+1-555-555-0100",
            },
        ),
        ("Exampleton\n01803-0902", {"other": "Exampleton\n01803-0902"}),
        (
            "Contact: An Expert\n\nContact: Another Expert\nEmail: another@example.org",
            {
                "contact_person": "An Expert",
                "email": "another@example.org",
                "other": "Contact: Another Expert",
            },
        ),
        ("Address: \nWeb URL: https://www.example.org/", {"other": "Web URL: https://www.example.org/"}),
        ("Postal address:\n   1 Example Street", {"postal_address": "1 Example Street"}),
        ("", {}),
    ],
)
def test_labels_become_fields(text: str, fields: dict[str, str]) -> None:
    assert parse_registrant("", unfold(text)) == Registrant(**fields)


def test_what_follows_the_heading_is_who_registers() -> None:
    assert parse_registrant("Example Society", []) == Registrant(organization="Example Society")


@pytest.mark.parametrize(
    ("inline", "below"),
    [
        ("The working group of the Example Society and its", "successors."),
        ("The working group.  Without it, write to its", "successor, or to the Example Society."),
        ("The working group.  Without it, write to its successor.", ""),
    ],
)
def test_a_sentence_that_follows_the_heading_is_kept_whole(inline: str, below: str) -> None:
    registrant = parse_registrant(inline, [Line(2, below)] if below else [])
    assert registrant == Registrant(other=f"{inline}\n{below}".strip())


def test_a_second_affiliation_is_kept() -> None:
    registrant = parse_registrant(
        "Example Society", unfold("Contact: An Expert\nAffiliation: Example Institute")
    )
    assert registrant.other == "Affiliation: Example Institute"


@pytest.mark.parametrize(
    ("text", "is_asked_for"),
    [
        ("(requesting fast-track registration procedure)", True),
        ("requests consideration under the fast-track\nprocedure of RFC 8141, Section 6.3", True),
        ("Under Regulation No 7 it could be considered under the Fast Track.", True),
        ("This does not ask for the fast track.", False),
        ("Example Society is a standards body.", False),
        ("Fast track: not requested", False),
        ("Fast track: requested", True),
    ],
)
def test_the_fast_track_must_be_requested_explicitly(text: str, is_asked_for: bool) -> None:
    assert parse_registrant("", unfold(text)).fast_track is is_asked_for


def test_text_that_speaks_of_the_fast_track_does_not_ask_for_it_unless_the_field_does() -> None:
    registrant = Registrant(other="See the fast-track procedure.", fast_track=False)
    lines = format_registrant(registrant)
    assert "   Fast track:  not requested" in lines
    assert parse_registrant("", unfold("\n".join(lines))) == registrant
