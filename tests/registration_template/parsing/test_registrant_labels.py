"""Labels of the Registrant section that RFC 2611 and registrants use."""

from typing import Any

import pytest

from registry.registration_template.parsing.line_folding import unfold
from registry.registration_template.parsing.registrant import parse_registrant
from registry.registration_template.sections import Registrant

EMAIL = "registrant@example.org"


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (f"Required: An Expert <{EMAIL}>", {"contact_person": "An Expert", "email": EMAIL}),
        (f"REQUIRED: An Expert, {EMAIL}", {"contact_person": "An Expert", "email": EMAIL}),
        (f"Required:\n   An Expert ({EMAIL})", {"contact_person": "An Expert", "email": EMAIL}),
        ("Required: An Expert <user&host.example>", {"contact_person": "An Expert", "email": "user&host.example"}),
        (
            f"Required: An Expert <{EMAIL}>\nRecommended: Affiliation: Example Society",
            {"contact_person": "An Expert", "email": EMAIL, "organization": "Example Society"},
        ),
        ("Required: " * 1000 + "An Expert", {"contact_person": "Required: " * 999 + "An Expert"}),
        (
            "Recommended: Example Society, 1 Example Street, Exampleton",
            {"organization": "Example Society", "address": "1 Example Street, Exampleton"},
        ),
        (
            f"Required: An Expert <{EMAIL}>\nRequired: Another <another@example.org>",
            {"contact_person": "An Expert", "email": EMAIL, "other": "Required: Another <another@example.org>"},
        ),
        (
            "Recommended: Example Society, Exampleton\nRecommended: Another, Exampleton",
            {"organization": "Example Society", "address": "Exampleton", "other": "Recommended: Another, Exampleton"},
        ),
        (f"Designated contact email: {EMAIL}", {"email": EMAIL}),
        (f"Designated Contact E-mail address: {EMAIL}", {"email": EMAIL}),
        (f"Contact person's e-mail: {EMAIL}", {"email": EMAIL}),
        ("Designated contact name: An Expert", {"contact_person": "An Expert"}),
        ("Contact phone: +1 555 555 0100", {"phone": "+1 555 555 0100"}),
        ("Designated contact address: 1 Example Street", {"postal_address": "1 Example Street"}),
        (
            "Registering organization name: Example Society\nRegistering organization address: 1 Example Street",
            {"organization": "Example Society", "address": "1 Example Street"},
        ),
        (
            f"Organization: Example Society\nDesignated contact email: {EMAIL}\nAddress: 1 Example Street",
            {"organization": "Example Society", "email": EMAIL, "address": "1 Example Street"},
        ),
        ("Postal: 1 Example Street", {"postal_address": "1 Example Street"}),
        ("Postal:\n   1 Example Street\n   Exampleton", {"postal_address": "1 Example Street\nExampleton"}),
        ("Affiliation: Registrar, Example Society", {"organization": "Example Society", "other": "Role: Registrar"}),
        ("Affiliation: Example Society, Registrar", {"organization": "Example Society", "other": "Role: Registrar"}),
        ("Affiliation: Example Society (Registrar)", {"organization": "Example Society", "other": "Role: Registrar"}),
        (
            "Affiliation: Director of Standards, Example Society",
            {"organization": "Example Society", "other": "Role: Director of Standards"},
        ),
        (
            "Affiliation: Technical Director at the Example Society",
            {"organization": "Example Society", "other": "Role: Technical Director"},
        ),
        ("Affiliation: Registrar Office, Exampleton", {"organization": "Registrar Office, Exampleton"}),
        ("Affiliation: Example Society, Exampleton", {"organization": "Example Society, Exampleton"}),
        ("+1 555 555 0100 (office)", {"phone": "+1 555 555 0100 (office)"}),
        ("+1 (555) 555-0100 (EXAMPLE)", {"phone": "+1 (555) 555-0100 (EXAMPLE)"}),
        ("+1 800 (EXA) 0100", {"phone": "+1 800 (EXA) 0100"}),
        ("555-555-0100 (ext. 12)", {"phone": "555-555-0100 (ext. 12)"}),
        ("Phone (office): +1 555 555 0100", {"phone": "+1 555 555 0100"}),
        ("Tel.: +1 555 555 0100 (EXAMPLE)", {"phone": "+1 555 555 0100 (EXAMPLE)"}),
        ("Tel. +1 555 555 0100", {"phone": "+1 555 555 0100"}),
        (f"E-mail {EMAIL}", {"email": EMAIL}),
        (
            "Registering organization: Example Society\n1 Example Street\nTel Aviv\nIsrael",
            {"organization": "Example Society", "address": "1 Example Street\nTel Aviv\nIsrael"},
        ),
        ("Fast track: requested (RFC 8141, Section 6.3)", {"fast_track": True}),
        ("Fast track: not requested", {}),
        ("Fast track: no", {"other": "Fast track: no"}),
        ("Fast track: N/A", {"other": "Fast track: N/A"}),
        (
            "Fast track: yes, we revise\n   an earlier standard",
            {"fast_track": True, "other": "Fast track: yes, we revise\n   an earlier standard"},
        ),
        ("Example Hall (Exampleton)", {"other": "Example Hall (Exampleton)"}),
    ],
)  # fmt: skip
def test_labels_become_fields(text: str, fields: dict[str, Any]) -> None:
    assert parse_registrant("", unfold(text)) == Registrant(**fields)
