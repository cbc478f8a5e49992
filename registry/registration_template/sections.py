"""The sections of the registration template (RFC 8141, Appendix A), their attributes, and the section Registrant as a
value.

Parsing, formatting, checks, digests, forms, the API and constraints are derived from this declaration.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum, StrEnum
from typing import Any, Literal, Self

from registry.registration_template.exceptions import WrongType
from registry.registration_template.normal_form import (
    check_fields,
    check_text,
    normalize_line,
    normalize_text,
)

Kind = Literal["formal", "informal"]


class Required(StrEnum):
    """When a section must be filled in."""

    ALWAYS = "always"
    FORMAL = "for a formal namespace"
    FAST_TRACK = "on the fast track"
    REVISION = "on a revision"
    NEVER = "never"


class SectionFormat(Enum):
    """The type of a section's value, which determines how it is parsed, formatted and edited."""

    IDENTIFIER = "one line: a NID"
    VERSION = "a number"
    DATE = "one line: YYYY-MM-DD"
    REGISTRANT = "a Registrant"
    TEXT = "lines of text"


class Substance(Enum):
    """The finding on a section that contains only “none” or “N/A”."""

    OPTIONAL = "no finding"
    ADVISED = "advice"
    REQUIRED = "blocking where the section is required"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section of the template."""

    key: str
    title: str
    # A section of RFC 8141: "6.4.1", "Appendix A".
    rfc_section: str
    required: Required
    guidance: tuple[str, ...]
    example: str
    # Used instead of `guidance` if the registry fills in the section.
    guidance_for_informal: tuple[str, ...] = ()
    guidance_for_revision: tuple[str, ...] = ()
    format: SectionFormat = SectionFormat.TEXT
    # Added to the finding that the required section is empty.
    instruction: str = ""
    substance: Substance = Substance.OPTIONAL
    # Whether URNs in the text are checked as examples of the namespace.
    has_examples: bool = False
    # Whether the text only describes changes. It may cite obsolete RFCs, and has no additional sections.
    is_change_history: bool = False
    # Whether RFC 3406 has a section with this title. If not, the title identifies the format of RFC 8141.
    in_older_form: bool = False

    @property
    def reference(self) -> str:
        """The citation of the RFC, for findings."""
        place = self.rfc_section if self.rfc_section.startswith("Appendix") else f"Section {self.rfc_section}"
        return f"RFC 8141, {place}"

    def is_required(self, *, kind: Kind, fast_track: bool, is_revision: bool) -> bool:
        """Whether the section is required in a template of this kind."""
        return {
            Required.ALWAYS: True,
            Required.FORMAL: kind == "formal",
            Required.FAST_TRACK: fast_track,
            Required.REVISION: is_revision,
            Required.NEVER: False,
        }[self.required]

    def guidance_for(self, *, kind: Kind, is_revision: bool) -> tuple[str, ...]:
        """The guidance for a template of this kind."""
        if is_revision and self.guidance_for_revision:
            return self.guidance_for_revision
        if kind == "informal" and self.guidance_for_informal:
            return self.guidance_for_informal
        return self.guidance


def section(*, default: object = "", **attributes: Any) -> Any:
    """A dataclass field that declares a section. `attributes` are those of `Section`, except `key`."""
    return field(default=default, metadata=attributes)


def points(block: str) -> tuple[str, ...]:
    """The items of a list in which each item begins with a dash."""
    return tuple(" ".join(point.split()) for point in block.split("\n- ")[1:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Registrant:
    """The registrant of a namespace and the person to contact (RFC 8141, Appendix A)."""

    organization: str = ""
    address: str = ""
    contact_person: str = ""
    email: str = ""
    phone: str = ""
    postal_address: str = ""
    fast_track: bool = False
    other: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.fast_track, bool):
            raise WrongType("fast_track must be true or false.", section="registrant")
        for name in ("organization", "contact_person", "email", "phone"):
            object.__setattr__(self, name, normalize_line(check_text(name, getattr(self, name))))
        for name in ("address", "postal_address", "other"):
            object.__setattr__(self, name, normalize_text(check_text(name, getattr(self, name))))

    def to_json(self) -> dict[str, Any]:
        """The fields as JSON types."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def with_texts(self, texts: Mapping[str, str]) -> Self:
        """The registrant with other texts, by the names of their fields."""
        return type(self).from_json({**self.to_json(), **texts})

    @classmethod
    def from_json(cls, mapping: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`. Missing fields are empty; unknown fields are rejected."""
        check_fields(cls, mapping, "registrant")
        return cls(**mapping)


__all__ = [
    "SECTIONS",
    "SECTION_BY_KEY",
    "TEXT_SECTIONS",
    "Kind",
    "Required",
    "Section",
    "SectionFormat",
    "Sections",
    "Substance",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sections:
    """The sections as fields. The name of a field is the key of its section; its default is the empty section."""

    namespace_identifier: str = section(
        title="Namespace Identifier",
        rfc_section="5.1",
        required=Required.FORMAL,
        format=SectionFormat.IDENTIFIER,
        in_older_form=True,
        guidance=points("""
- The identifier that you request: 3 to 32 ASCII letters, digits and hyphens, with no hyphen at either
  end. It is permanent, and follows “urn:” in every name.
- It can't begin with “urn-”, with “X-”, or with two letters and a hyphen. These are reserved for other
  uses.
- Choose an identifier that can't be confused with a country, a URI scheme, another organisation's
  trademark, another namespace or another identifier system.
"""),
        example="example",
        guidance_for_informal=points("""
- The identifier of an informal namespace is “urn-” and a number. The registry assigns the number when it
  registers the namespace (Section 5.2).
- In your texts, write “urn-N” in place of the identifier, as in “urn:urn-N:…”.
"""),
        guidance_for_revision=points("""
- The identifier of a namespace is permanent. A revision can't change it.
"""),
    )
    version: int | None = section(
        title="Version",
        rfc_section="Appendix A",
        required=Required.NEVER,
        default=None,
        format=SectionFormat.VERSION,
        in_older_form=True,
        guidance=points("""
- 1 for a new namespace, and one more for each registered revision.
- The registry fills it in.
"""),
        example="1",
    )
    date: str = section(
        title="Date",
        rfc_section="Appendix A",
        required=Required.ALWAYS,
        format=SectionFormat.DATE,
        in_older_form=True,
        guidance=points("""
- The date of the request as year, month and day, such as 2026-01-31.
"""),
        example="2026-01-31",
    )
    registrant: Registrant = section(  # noqa: RUF009 - the default is immutable
        title="Registrant",
        rfc_section="Appendix A",
        required=Required.ALWAYS,
        default=Registrant(),
        format=SectionFormat.REGISTRANT,
        in_older_form=True,
        guidance=points("""
- The organisation or person that registers the namespace, and its address.
- A contact person, and an e-mail address, phone number or postal address. Prefer the mailbox of a role:
  it stays valid when people change.
- A standards body or scientific society requests the fast-track procedure of Section 6.3 here.
- The experts ask whether the organisation is stable and competent to assign names (Section 5.1). State under
  Assignment what shows this, or who takes over the namespace if it no longer can.
"""),
        example="""
Organization:  Example Standards Society
Address:
   1 Example Street
   Exampleton
Contact person:  Registrar of the society
E-mail:  registrar@example.org
""".strip(),
    )
    purpose: str = section(
        title="Purpose",
        rfc_section="6.4.1",
        required=Required.ALWAYS,
        instruction="Describe the purpose of the namespace, its users and its benefits.",
        substance=Substance.ADVISED,
        has_examples=True,
        guidance=points("""
- Which kinds of resources are named?
- Who will use the names: a country, an industry, one organisation? On the public Internet, or in
  private networks?
- How do its users, and Internet users in general, benefit from the names or from resolving them?
- How does the namespace relate to existing URN namespaces, URI schemes and identifier systems?
- Which kinds of software will use or resolve the names, and for what purpose?
- Are resolution services available or planned? If so, give an example with a q-component.
- Will the namespace, or its definition, become part of a standard of the IETF or of another body?
"""),
        example="""
Names in this namespace identify the measuring stations of the Example Weather Network and the \
series they record. Archives and forecasting software cite a series by its name, wherever a copy is \
kept. No other namespace covers stations that are not part of a national service.
""".strip(),
    )
    syntax: str = section(
        title="Syntax",
        rfc_section="6.4.2",
        required=Required.ALWAYS,
        instruction="Describe the structure of names, and when two names are equivalent.",
        substance=Substance.ADVISED,
        has_examples=True,
        in_older_form=True,
        guidance=points("""
- What is the structure of a name? Give ABNF, an algorithm or a regular expression, or state that names
  are opaque.
- Which characters can a name contain? ASCII letters and digits are best. If you need others, explain why, and
  follow a known model: IDNA (RFC 5890), PRECIS (RFC 7613) or UAX #31 (Section 2.2).
- Which characters have a special meaning in a name, such as a separator? Where they have none, they are
  percent-encoded.
- Are there special rules for encoding characters, such as different quotation marks or hyphens?
- Can people copy a name by hand, from print and from mail? Spaces break at the end of a line, and
  characters that look alike are confused. A name that contains no protocol, host or format outlives them.
- When are two names equivalent, in addition to the rules of Section 3? Examples are upper and lower case,
  and names with and without hyphens. Your rules can only make more names equivalent, not fewer.
- Can different names identify the same resource (functional equivalence)? If so, how can a reader tell?
- If the names also exist outside URNs: which of their characters are not allowed in a URN, and how are
  they encoded? Usually they are percent-encoded.
- What do q-components, f-components and r-components mean here? Without a definition they stay undefined.
- What a resolver needs is part of the name. No resolver may require a q-component (Section 2.3.2).
"""),
        example="""
wxn-nss = station "/" series
station = 5DIGIT
series  = 1*( ALPHA / DIGIT / "-" )

For example: urn:wxn:00417/rain-daily. Letters of the series are equivalent in upper and lower case. \
No meaning is defined for r-, q- and f-components.
""".strip(),
    )
    assignment: str = section(
        title="Assignment",
        rfc_section="6.4.3",
        required=Required.ALWAYS,
        instruction="Describe who assigns names, how to get a name, and what keeps names unique.",
        substance=Substance.ADVISED,
        has_examples=True,
        in_older_form=True,
        guidance=points("""
- Who assigns names, or by which mechanism? State whether assignment is open, closed or delegated. If it
  is limited, describe how to become an assigner or to request a name.
- What prevents a name from being assigned twice: a single register, a division among authorities, an
  algorithm?
- Which organisation maintains the namespace for a long time, with what experience of assigning identifiers?
  What happens to the namespace if it no longer can (Section 5.1)?
- Are names never reassigned, and do old names stay valid even after the resource or its owner is gone
  (Section 5.1)?
"""),
        example="""
Assignment is delegated: the network gives each member a range of station numbers, and the member \
assigns names within its range. Requests for a range go to the secretariat. The secretariat's \
register of ranges and each member's own list keep names unique; a number is never used again.
""".strip(),
    )
    security_and_privacy: str = section(
        title="Security and Privacy",
        rfc_section="6.4.4",
        required=Required.ALWAYS,
        instruction="Describe the issues, or state that you considered them and found none.",
        substance=Substance.ADVISED,
        guidance=points("""
- What are the consequences if equivalent names are treated as different, or different names as equivalent?
  RFC 6943 describes such issues.
- Does a name reveal private information when it is sent over the public Internet?
- Can people or things be listed by guessing names?
- Do resolvers give some characters of a name a special meaning, and can that be misused (Section 8)?
- Can others spread false information about a name? What you declare here is advisory (Section 8).
- Consider the other issues in RFC 3552 and RFC 6973. The privacy considerations of RFC 7254 are an example.
"""),
        example="""
A name reveals where a series was recorded, because the numbers of stations are public. If different names \
were treated as equivalent, series would be mixed up. Software therefore compares names as Syntax describes.
""".strip(),
    )
    interoperability: str = section(
        title="Interoperability",
        rfc_section="6.4.5",
        required=Required.ALWAYS,
        instruction="Describe all known potential issues, or state that you know of none.",
        guidance=points("""
- Which issues are known or possible? An example is confusion with other namespaces, URI schemes or
  identifier systems because of their syntax or scope.
- If you know of none, state that you considered them and found none.
"""),
        example="""
Some members print station numbers without leading zeros; such a number is not a name.
""".strip(),
    )
    resolution: str = section(
        title="Resolution",
        rfc_section="6.4.6",
        required=Required.ALWAYS,
        instruction="State whether resolution is intended or expected. “No resolution is intended.” is enough.",
        substance=Substance.REQUIRED,
        in_older_form=True,
        guidance=points("""
- Is resolution intended or expected? A statement is required in either case; “N/A” is none.
- If so, will you run or recommend a resolution service?
- If services will be advertised publicly, list or cite the requirements that apply to them.
- How do services treat a q-component if the address has a query of its own (Section 2.3.2)?
- Are there special considerations for r-components? They should not be used before their meaning is
  standardised (Section 2.3.1).
"""),
        example="""
The secretariat runs a resolver that redirects a name to its series. No other resolution service is \
advertised.
""".strip(),
    )
    documentation: str = section(
        title="Documentation",
        rfc_section="Appendix A",
        required=Required.FAST_TRACK,
        instruction="On the fast track, cite a specification (Section 6.3, step 2).",
        substance=Substance.REQUIRED,
        in_older_form=True,
        guidance=points("""
- The specification of the namespace: an RFC, a standard of another body, or another stable document.
- It is required on the fast track (Section 6.3) and recommended otherwise (Section 6.2).
"""),
        example="""
Example Weather Network, “Names of stations and series”, edition 3.
""".strip(),
    )
    additional_information: str = section(
        title="Additional Information",
        rfc_section="6.4.7",
        required=Required.NEVER,
        guidance=points("""
- Other information about this registration or its relation to others, such as a comparison with
  namespaces that seem to overlap. This section can stay empty.
"""),
        example="""
Stations of national weather services have other names, which this namespace does not repeat.
""".strip(),
    )
    revision_information: str = section(
        title="Revision Information",
        rfc_section="6.2",
        required=Required.REVISION,
        instruction="Describe the differences from the previous version.",
        substance=Substance.REQUIRED,
        is_change_history=True,
        guidance=points("""
- In a revision, describe the differences from the earlier versions.
- Mention changes of the underlying technology and of the management of the namespace.
- Leave this section empty in a first version.
"""),
        example="""
Version 2 allows hyphens in the name of a series. All names of version 1 stay valid.
""".strip(),
    )


SECTIONS = tuple(Section(key=each.name, **each.metadata) for each in fields(Sections))
SECTION_BY_KEY = {each.key: each for each in SECTIONS}
TEXT_SECTIONS = tuple(each.key for each in SECTIONS if each.format is SectionFormat.TEXT)
