"""The parts of a URN for display, in order, with the names that RFC 8141 gives them."""

from collections.abc import Iterator
from dataclasses import dataclass

from urnsyntax import URN


@dataclass(frozen=True, slots=True)
class URNPart:
    """One part. `delimiter` separates it from the previous part; `key` is used in CSS classes."""

    key: str
    label: str
    delimiter: str
    text: str


def split_urn(urn: URN) -> Iterator[URNPart]:
    """The parts that are present. A component can be present and empty (RFC 8141, Section 2.3)."""
    yield URNPart("scheme", "scheme", "", "urn")
    yield URNPart("nid", "identifier (NID)", ":", urn.nid)
    yield URNPart("nss", "name (NSS)", ":", urn.nss)
    components = (
        ("r", "r-component", "?+", urn.r_component),
        ("q", "q-component", "?=", urn.q_component),
        ("f", "f-component", "#", urn.f_component),
    )
    for key, label, delimiter, text in components:
        if text is not None:
            yield URNPart(key, label, delimiter, text)
