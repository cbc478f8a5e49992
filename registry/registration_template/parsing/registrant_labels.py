"""The labels in the Registrant section, as published templates write them."""

import re
from dataclasses import dataclass

from registry.registration_template.parsing.line_folding import Line

_LABEL = re.compile(
    r"[ \t]*(?:[-*•][ \t]+)?(?P<label>[A-Za-z][A-Za-z ()/'\u2019-]{0,40}?\.?)[ \t]*(?P<colon>:[ \t]*(?P<value>.*))?"
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
            "contact details",
            "contact information",
            "point of contact",
            "primary contact",
        ),
        "contact_person",
    ),
}
_FIELDS = {
    **dict.fromkeys(
        ("organization", "organisation", "standards organization", "affiliation", "company"), "organization"
    ),
    **dict.fromkeys(("email", "e-mail", "mail", "email address", "e-mail address"), "email"),
    **dict.fromkeys(
        ("phone", "telephone", "tel", "ph", "work phone", "phone number", "telephone number", "mobile"),
        "phone",
    ),
    **dict.fromkeys(("postal", "postal address", "mailing address"), "postal_address"),
    "required": "required",
    "recommended": "recommended",
    "address": "address",
    "name": "name",
    "fast track": "fast_track",
    "further information": "other",
}
_OF_ORGANIZATION = (("organization", "organization"), ("organisation", "organization"))
_FIELDS_OF_GROUPS = {"name", "address", "email", "phone", "postal_address"}
# “Phone (office)” is “Phone”.
_REMARK = re.compile(r"[ \t]*\([^()]*\)$")
MULTILINE_FIELDS = {"address", "postal_address", "other"}
PERSON_LABELS = {
    "title",
    "role",
    *(label for label, key in _FIELDS.items() if key in ("email", "phone")),
}


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a line: the name of a field or a group, or of a field of a group, and the text after it."""

    word: str
    group: str
    field: str
    value: str


def label_of(line: Line) -> Label | None:
    match = _LABEL.fullmatch(line.text)
    if match is None:
        return None
    word = " ".join(match["label"].lower().rstrip(".").split())
    group, field = _find(word)
    if match["colon"] is None and (not group or field):
        return None
    return Label(word, group, field, match["value"] or "")


def _find(word: str) -> tuple[str, str]:
    """The group and the field with this label. “Contact email” is the e-mail address of the contact."""
    if word in _GROUPS or word in _FIELDS:
        return _GROUPS.get(word, ""), _FIELDS.get(word, "")
    if short := _REMARK.sub("", word):
        word = short
    for words, key in (*_GROUPS.items(), *_OF_ORGANIZATION):
        rest = word.removeprefix(words).replace("\u2019", "'").removeprefix("'s").strip()
        if rest != word and _FIELDS.get(rest) in _FIELDS_OF_GROUPS:
            return key, _FIELDS[rest]
    return _GROUPS.get(word, ""), _FIELDS.get(word, "")
