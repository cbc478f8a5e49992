"""Notes: warnings about valid URNs.

A URN can match the grammar and contain parts that the RFC advises against: an r-component (Section 2.3.1),
the octet 0 (RFC 3986, Section 7.3), percent-encoded octets that are not UTF-8 (Sections 2.2 and 2.3), characters that
can't be seen or could be mistaken for others (UTS #39).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from .confusable_characters import confusions
from .percent_encoding import percent_decoded, position_of_octet

_SECTIONS = {"NSS": "2.2", "r-component": "2.3.1", "q-component": "2.3.2", "f-component": "2.3.3"}
_MAX_CONFUSIONS = 5  # in a component


@dataclass(frozen=True, slots=True)
class Note:
    """A warning about one component: its ABNF rule, the 0-based position in it, the section and the message.

    The section is that of RFC 8141 unless the message names another document.
    """

    component: str
    position: int
    section: str
    message: str

    def __str__(self) -> str:
        return self.message


def notes_on_parts(nss: str, r: str | None, q: str | None, f: str | None) -> tuple[Note, ...]:
    """Return the notes on the parts of a URN, in the order of the parts.

    >>> for note in notes_on_parts("caf%E9", "x", None, None): print(note)
    The percent-encoded octets of the NSS are not UTF-8 (RFC 8141, Section 2.2).
    An r-component should not be used before its semantics are standardized (RFC 8141, Section 2.3.1).
    """
    parts = {"NSS": nss, "r-component": r, "q-component": q, "f-component": f}
    return tuple(note for name, part in parts.items() if part is not None for note in _notes_on(name, part))


def _notes_on(component: str, part: str) -> Iterator[Note]:
    section = _SECTIONS[component]
    if component == "r-component":
        message = "An r-component should not be used before its semantics are standardized"
        yield Note(component, 0, section, f"{message} (RFC 8141, Section {section}).")
    if "%" not in part:
        return
    if (position := part.find("%00")) >= 0:
        message = f"The {component} contains the octet 0 (%00), which software may read as the end of a text"
        yield Note(component, position, section, f"{message} (RFC 3986, Section 7.3).")
    octets = percent_decoded(part)
    yield from _notes_on_characters(component, part, octets.decode(errors="surrogateescape"))
    try:
        octets.decode()
    except UnicodeDecodeError as error:
        message = (
            f"The percent-encoded octets of the {component} are not UTF-8 (RFC 8141, Section {section})."
        )
        yield Note(component, position_of_octet(part, error.start), section, message)


def _notes_on_characters(component: str, part: str, decoded: str) -> Iterator[Note]:
    for found in islice(confusions(decoded), _MAX_CONFUSIONS):
        octet = len(decoded[: found.position].encode(errors="surrogateescape"))
        message = f"In the {component}, {found.reason} (UTS #39, Section {found.section})."
        yield Note(component, position_of_octet(part, octet), found.section, message)
