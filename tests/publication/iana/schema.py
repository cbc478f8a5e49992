"""The XML schemas of IANA and of this registry, and XML as plain values for comparison."""

from lxml import etree

from registry.publication.views import SCHEMA
from tests.support.shared_data import shared


def own_schema() -> etree.RelaxNG:
    return etree.RelaxNG(etree.parse(SCHEMA))


def iana_schema() -> etree.RelaxNG:
    schema = etree.parse(shared("data/iana/urn-namespaces.rng"))
    included = shared("data/_support/iana-registry.rng")
    for include in schema.iter("{http://relaxng.org/ns/structure/1.0}include"):
        include.set("href", str(included))
    return etree.RelaxNG(schema)


def without_white_space(element: etree._Element) -> object:
    """An element as plain values, with runs of white space as one space and none at the ends."""
    mixed = [element.text, *(part for child in element for part in (child, child.tail))]
    parts = [
        " ".join(part.split()) if isinstance(part, str) else without_white_space(part)
        for part in mixed
        if part is not None
    ]
    return element.tag, dict(element.attrib), [part for part in parts if part]
