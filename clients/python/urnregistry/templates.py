"""The completed template of a version as plain text, compared with the sections of the version (RFC 8141, Appendix A).

Each section begins with its title, and an empty line follows it. A line of more than 72 columns is folded at single spaces: a
part that ends in two spaces goes on in the next line.
"""

import re
from collections.abc import Mapping
from typing import Any

from urnregistry.signed_notes import demand

WIDTH, CONTINUES, MARGIN = 72, "  ", "   "
LINES = ("Namespace Identifier", "Version", "Date")
TEXTS = ("Purpose", "Syntax", "Assignment", "Security and Privacy", "Interoperability", "Resolution")
NOTES = ("Documentation", "Additional Information", "Revision Information")
PERSON = ("Organization", "Address", "Contact person", "E-mail", "Phone", "Postal address", "Fast track")


def _by_key(*titles: str) -> dict[str, str]:
    """Titles, in their order, by the names that they have in JSON."""
    return {each.lower().replace(" ", "_").replace("-", ""): each for each in titles}


TITLES = _by_key(*LINES, "Registrant", *TEXTS, *NOTES)
FIELDS = _by_key(*PERSON) | {"other": "Further information"}
REQUESTED = "requested (RFC 8141, Section 6.3)"
BLOCKS = ("address", "postal_address", "other")


def verify_text(text: str, sections: Mapping[str, Any]) -> None:
    """Check that a text is the template with these sections, as the registry publishes it. Raises ProofRefused."""
    rest = text.replace("\r\n", "\n")
    unknown = sorted({*sections, *(sections.get("registrant") or ())} - {*TITLES, *FIELDS})
    demand(not unknown, f"The version has sections that this program does not know: {', '.join(unknown)}.")
    for key, title in TITLES.items():
        ending = "\n" if key == "revision_information" else "\n\n"
        forms = ("\n".join(lines) + ending for lines in _forms(title, sections.get(key)))
        fitting = next(filter(rest.startswith, forms), "")
        demand(fitting != "", f"From the section “{title}” on, the text differs from that of the version.")
        rest = rest.removeprefix(fitting)
    demand(not rest, "The text goes on after the last section of the version.")


def _forms(title: str, value: Any) -> list[list[str]]:
    """The lines of a section, as it can be written. A reader of the text gets one value from all of its forms."""
    if title in LINES and value not in ("", None):  # a NID that is not well-formed is in quotes
        return [_fold(f"{title}:  {written}") for written in (value, f'"{value}"')]
    if title == "Registrant":  # “not requested” is written only where it could be doubted
        below = [_registrant(value or {}, default) for default in ("not requested", "")]
    else:  # it is indented if one of its lines could be a title
        below = [_block(value or "", margin) for margin in ("", MARGIN)]
    return [[f"{title}:", "", *lines] if lines else [f"{title}:"] for lines in below]


def _registrant(given: Mapping[str, Any], default: str) -> list[str]:
    stated = {**given, "fast_track": REQUESTED if given.get("fast_track") else default}
    lines = list[str]()
    for key, label in FIELDS.items():
        if key in BLOCKS and stated.get(key):
            lines += [f"{MARGIN}{label}:", *_block(stated[key], 2 * MARGIN)]
        elif stated.get(key):
            lines += _fold(f"{label}:  {stated[key]}", MARGIN)
    return lines


def _block(text: str, margin: str) -> list[str]:
    lines = text.split("\n") if text else []
    return [part for line in lines for part in (_fold(line, margin) if line else [""])]


def _fold(line: str, margin: str = "") -> list[str]:
    """The parts of a line. Longer words than the width are not divided."""
    if len(margin + line) <= WIDTH:
        return [margin + line]
    indent = (margin + line[: len(line) - len(line.lstrip(" "))])[: WIDTH // 2]
    first, *words = re.split(r"(?<=[^ \t]) (?=[^ \t])", line)  # at single spaces
    parts = [margin + first]
    for left, word in zip(reversed(range(len(words))), words, strict=True):
        if len(f"{parts[-1]} {word}{CONTINUES if left else ''}") <= WIDTH:
            parts[-1] += f" {word}"
        else:
            parts[-1:] = [parts[-1] + CONTINUES, indent + word]
    return parts
