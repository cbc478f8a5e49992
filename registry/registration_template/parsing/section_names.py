"""The names of sections in completed templates, in the format of RFC 8141 and in that of RFC 3406.

Only these names are headings: templates contain many other lines that end in a colon, such as "Address:".
"""

import re
from dataclasses import dataclass
from enum import Enum

from registry.registration_template.sections import SECTIONS, SectionFormat

# The sections of one line, and the one of two lines that has the place of some of them in the format of RFC 3406.
ONE_LINE_SECTIONS = frozenset(
    {"registration", *(each.key for each in SECTIONS if each.format is not SectionFormat.TEXT)}
) - {"registrant"}
# Additions of registrants. With a number, they are the documentation.
REFERENCES = ("references", "normative references", "informative references")

_OWN_ASSIGNMENT = re.compile(r"[A-Z0-9-]{2,32} assignment")


class HeadingRole(Enum):
    """The role of a heading."""

    SECTION = "begins a section of the template"
    PART = "begins a part of a section, and stays in its text"
    ADDITION = "begins an additional part, which stays in the current section if possible"
    REGISTRATION = "begins version and date in the format of RFC 3406"


@dataclass(frozen=True, slots=True)
class SectionName:
    """One name of a section."""

    key: str
    role: HeadingRole
    form: str = ""


# Words that are used interchangeably, and words that are often left out.
_CANONICAL_WORDS = {
    "identifiers": "identifier",
    "namespaces": "namespace",
    "registrants": "registrant",
    "structures": "structure",
    "considerations": "consideration",
    "mechanisms": "mechanism",
    "rule": "rules",
    "for": "of",
    "conformity": "conformance",
    "compliance": "conformance",
    "to": "with",
    "documents": "documentation",
    "the": "",
}


def canonical_name(name: str) -> str:
    """The canonical spelling of a name, used for lookups."""
    words = (_CANONICAL_WORDS.get(word, word) for word in name.lower().split())
    return " ".join(word for word in words if word)


def _names(key: str, role: HeadingRole, form: str, *names: str) -> dict[str, SectionName]:
    return {canonical_name(name): SectionName(key, role, form) for name in names}


# Sections that only one format has identify the format.
_SECTION_TITLES = {
    canonical_name(each.title): SectionName(
        each.key, HeadingRole.SECTION, "" if each.in_older_form else "8141"
    )
    for each in SECTIONS
}

# The keys are canonical names.
SECTION_NAMES: dict[str, SectionName] = {
    **_SECTION_TITLES,
    **_names(
        "namespace_identifier",
        HeadingRole.SECTION,
        "",
        "namespace indentifier",  # in a published template
        "namespace identifier (nid)",
        "namespace id",
        "namespace id (nid)",
        "namespaceid",
        "urn namespace identifier",
        "urn namespace id",
    ),
    **_names(
        "version",
        HeadingRole.SECTION,
        "",
        "registration version",
        "registration version number",
        "version number",
    ),
    **_names("date", HeadingRole.SECTION, "", "registration date"),
    **_names("registrant", HeadingRole.SECTION, "", "registrant information"),
    **_names(
        "registrant",
        HeadingRole.SECTION,
        "3406",
        "declared registrant of the namespace",
        "declared registrant",
        "registrant of the namespace",
    ),
    **_names(
        "security_and_privacy",
        HeadingRole.SECTION,
        "8141",
        "security and privacy considerations",
        "security & privacy",
    ),
    **_names("security_and_privacy", HeadingRole.SECTION, "", "security considerations", "security"),
    **_names("interoperability", HeadingRole.SECTION, "8141", "interoperability considerations"),
    **_names(
        "documentation",
        HeadingRole.SECTION,
        "8141",
        "additional documentation",
        "additional documentation / information",
        "additional documentation/information",
    ),
    **_names("revision_information", HeadingRole.SECTION, "8141", "revision history"),
    **_names("revision_information", HeadingRole.SECTION, "", "change history"),
    # RFC 2611 and RFC 3406, Appendix A.
    **_names("registration", HeadingRole.REGISTRATION, "3406", "registration information"),
    **_names(
        "syntax",
        HeadingRole.SECTION,
        "3406",
        "declaration of structure",
        "declaration of structure of nss",
        "declaration of namespace structure",
        "declaration of syntactic structure",
        "declaration of syntactic structure of nss",
        "declaration of syntactic structure of nss part",
        "declaration of syntax",
        "syntactic structure",
    ),
    **_names(
        "documentation",
        HeadingRole.SECTION,
        "3406",
        "relevant ancillary documentation",
        "relevant ancillary information",
        "ancillary documentation",
    ),
    **_names(
        "resolution",
        HeadingRole.SECTION,
        "3406",
        "process of identifier resolution",
        "process of resolution",
        "identifier resolution",
        "identifier resolution process",
    ),
    **_names(
        "assignment",
        HeadingRole.PART,
        "3406",
        "identifier uniqueness considerations",
        "identifier uniqueness",
        "identifier and namespace uniqueness considerations",
        "uniqueness considerations",
        "identifier persistence considerations",
        "identifier persistence",
        "identifier and namespace persistence considerations",
        "persistence considerations",
        "process of identifier assignment",
        "process of identifier and namespace assignment",
        "process of assignment of identifiers",
        "identifier assignment",
        "identifier assignment process",
    ),
    **_names(
        "syntax",
        HeadingRole.PART,
        "3406",
        "rules for lexical equivalence",
        "rules for lexical equivalence of nss",
        "rules for lexical equivalence of nss part",
        "lexical equivalence",
        "lexical equivalence rules",
        "conformance with urn syntax",
        "usage of query part",
        "usage of fragment part",
    ),
    **_names(
        "purpose",
        HeadingRole.PART,
        "3406",
        "scope",
        "scope / kind of named resources",
        "scope and applicability",
        "scope of namespace",
        "namespace scope",
        # Sections of RFC 3406 documents that some templates contain; RFC 8141, Section 6.4.1, covers both.
        "community considerations",
        "namespace considerations",
        "namespace considerations and community considerations",
    ),
    **_names("additional_information", HeadingRole.PART, "3406", "validation mechanism", "validation method"),
    # Sections that registrants have added to either format.
    **_names("purpose", HeadingRole.ADDITION, "", "background", "benefits", "overview", "introduction"),
    **_names(
        "syntax",
        HeadingRole.PART,
        "",
        "rules for equivalence",
        "rules for semantic equivalence",
        "rules for urn-equivalence",
        "character case and urn-equivalence",
        "character set",
        "encoding considerations",
        "encoding considerations and lexical equivalence",
    ),
    **_names("assignment", HeadingRole.PART, "", "uniqueness", "persistence"),
    **_names(
        "additional_information",
        HeadingRole.ADDITION,
        "",
        *REFERENCES,
    ),
}


def find_section_name(text: str) -> SectionName | None:
    """The section with this name."""
    name = " ".join(text.split())
    if _OWN_ASSIGNMENT.fullmatch(name):
        return SectionName("assignment", HeadingRole.SECTION)
    return SECTION_NAMES.get(canonical_name(name))
