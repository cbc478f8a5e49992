"""A URN taken apart for the eye: its parts in their order, each with the name that RFC 8141 gives it."""

from collections.abc import Iterator
from dataclasses import dataclass

from urnsyntax import URN


@dataclass(frozen=True, slots=True)
class URNPart:
    """One part. `delimiter` is what separates it from the part before; `key` is a word for style sheets."""

    key: str
    label: str
    delimiter: str
    text: str


def split_urn(urn: URN) -> Iterator[URNPart]:
    """The parts that are there; a component that is present and empty is one of them (Section 2.3)."""
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
