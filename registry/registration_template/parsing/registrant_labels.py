"""The labels in the Registrant section, as published templates write them."""

import re
from dataclasses import dataclass

from registry.registration_template.parsing.line_folding import Line

_LABEL = re.compile(
    r"[ \t]*(?:[-*•][ \t]+)?(?P<label>[A-Za-z][A-Za-z ()/-]{0,40}?)[ \t]*(?P<colon>:[ \t]*(?P<value>.*))?"
)
_GROUPS = {
    **dict.fromkeys(
        ("registering organization", "registering organisation", "registering entity", "registrant"),
        "organization",
    ),
    **dict.fromkeys(
        (
            "contact",
            "contacts",
            "contact person",
            "contact name",
            "designated contact",
            "designated contacts",
            "designated contact(s)",
            "designated contact person",
            "declared contact",
            "registrant contact",
        ),
        "contact_person",
    ),
}
_FIELDS = {
    **dict.fromkeys(
        ("organization", "organisation", "standards organization", "affiliation", "company"), "organization"
    ),
    **dict.fromkeys(("email", "e-mail", "mail"), "email"),
    **dict.fromkeys(("phone", "telephone", "tel", "ph", "work phone", "phone number"), "phone"),
    **dict.fromkeys(("postal address", "mailing address"), "postal_address"),
    "address": "address",
    "name": "name",
    "fast track": "fast_track",
    "further information": "other",
}
MULTILINE_FIELDS = {"address", "postal_address", "other"}
PERSON_LABELS = {
    "title",
    "role",
    *(label for label, key in _FIELDS.items() if key in ("email", "phone")),
}


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a line: the name of a field or a group, and the text after it."""

    word: str
    group: str
    field: str
    value: str


def label_of(line: Line) -> Label | None:
    match = _LABEL.fullmatch(line.text)
    if match is None:
        return None
    word = " ".join(match["label"].lower().split())
    group, field = _GROUPS.get(word, ""), _FIELDS.get(word, "")
    if match["colon"] is None and not group:
        return None
    return Label(word, group, field, match["value"] or "")
