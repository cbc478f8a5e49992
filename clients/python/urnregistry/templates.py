"""The completed template of a version as plain text, compared with the sections of the version (RFC 8141, Appendix A).

Each section begins with its title, and an empty line follows it. A line of more than 72 columns is folded at single spaces: a
part that ends in two spaces goes on in the next line.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from urnregistry.proofs import ProofRefused

WIDTH, CONTINUES, MARGIN = 72, "  ", "   "
SINGLE_SPACE = re.compile(r"(?<=[^ \t]) (?=[^ \t])")
LINES = {"namespace_identifier": "Namespace Identifier", "version": "Version", "date": "Date"}
TEXTS = {
    "purpose": "Purpose",
    "syntax": "Syntax",
    "assignment": "Assignment",
    "security_and_privacy": "Security and Privacy",
    "interoperability": "Interoperability",
    "resolution": "Resolution",
    "documentation": "Documentation",
    "additional_information": "Additional Information",
    "revision_information": "Revision Information",
}
TITLES = LINES | {"registrant": "Registrant"} | TEXTS
FIELDS = {
    "organization": "Organization",
    "address": "Address",
    "contact_person": "Contact person",
    "email": "E-mail",
    "phone": "Phone",
    "postal_address": "Postal address",
    "fast_track": "Fast track",
    "other": "Further information",
}
BLOCKS = ("address", "postal_address", "other")
REQUESTED, NOT_REQUESTED = "requested (RFC 8141, Section 6.3)", "not requested"


def verify_text(text: str, sections: Mapping[str, Any]) -> None:
    """Check that a text is the template with these sections, as the registry publishes it. Raises ProofRefused."""
    rest = text.replace("\r\n", "\n")
    if unknown := {*sections, *(sections.get("registrant") or ())} - {*TITLES, *FIELDS}:
        raise ProofRefused(f"The version has a section that this program does not know: “{min(unknown)}”.")
    for key, title in TITLES.items():
        ending = "\n" if key == "revision_information" else "\n\n"
        fitting = [form for form in _forms(key, sections.get(key)) if rest.startswith(form + ending)]
        if not fitting:
            raise ProofRefused(f"From the section “{title}” on, the text differs from that of the version.")
        rest = rest.removeprefix(fitting[0] + ending)
    if rest:
        raise ProofRefused("The text goes on after the last section of the version.")


def _forms(key: str, value: Any) -> Iterator[str]:
    """How a section can be written. A reader of the text gets one value from all of its forms."""
    title = f"{TITLES[key]}:"
    if key in LINES:
        for written in (value, f'"{value}"'):  # a NID that is not well-formed is in quotes
            yield "\n".join(_fold(f"{title}  {written}") if value not in ("", None) else [title])
    elif key in TEXTS:
        for margin in ("", MARGIN):  # it is indented if one of its lines could be a title
            yield _below(title, _block(value or "", margin))
    else:
        for is_said in (True, False):  # “not requested” is written only where it could be doubted
            yield _below(title, _registrant(value or {}, says_not_requested=is_said))


def _registrant(values: Mapping[str, Any], *, says_not_requested: bool) -> list[str]:
    lines = list[str]()
    for name, label in FIELDS.items():
        value = values.get(name)
        if name == "fast_track":
            value = REQUESTED if value else NOT_REQUESTED if says_not_requested else ""
        if value and name in BLOCKS:
            lines += [f"{MARGIN}{label}:", *_block(value, 2 * MARGIN)]
        elif value:
            lines += _fold(f"{label}:  {value}", MARGIN)
    return lines


def _below(title: str, lines: list[str]) -> str:
    return "\n".join([title, "", *lines] if lines else [title])


def _block(text: str, margin: str) -> list[str]:
    lines = text.split("\n") if text else []
    return [part for line in lines for part in (_fold(line, margin) if line else [""])]


def _fold(line: str, margin: str = "") -> list[str]:
    """The parts of a line. Longer words than the width are not divided."""
    if len(margin + line) <= WIDTH:
        return [margin + line]
    indent = (margin + line[: len(line) - len(line.lstrip(" "))])[: WIDTH // 2]
    first, *words = SINGLE_SPACE.split(line)
    parts, current = list[str](), margin + first
    for left, word in zip(reversed(range(len(words))), words, strict=True):
        if len(f"{current} {word}{CONTINUES if left else ''}") <= WIDTH:
            current += f" {word}"
        else:
            parts.append(current + CONTINUES)
            current = indent + word
    return [*parts, current]
