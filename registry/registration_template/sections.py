"""The thirteen sections of the registration template, in the order of RFC 8141, Appendix A.

This is their only declaration: parsing, formatting, checks, digests, forms, the API and constraints derive from it.
"""

from dataclasses import dataclass, fields

from registry.registration_template.registrant import Registrant
from registry.registration_template.section import (
    Kind,
    Required,
    Section,
    SectionFormat,
    Substance,
    points,
    section,
)

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
    """The sections as fields: the name of a field is the key of its section, an empty section has the default."""

    namespace_identifier: str = section(
        title="Namespace Identifier",
        rfc_section="5.1",
        required=Required.FORMAL,
        format=SectionFormat.IDENTIFIER,
        in_older_form=True,
        guidance=points("""
- The identifier you ask for, between three and 32 ASCII letters, digits and hyphens, with neither end a
  hyphen. It stands after “urn:” in every name, for ever.
- It can't begin with “urn-”, with “X-”, or with two letters and a hyphen; those are kept for other
  uses.
- Look for a string that nobody will take for a country, a URI scheme, somebody else's trademark or
  another namespace.
"""),
        example="example",
        guidance_for_informal=points("""
- The identifier of an informal namespace is “urn-” and a number, which the registry assigns when it
  registers the namespace (Section 5.2). You choose nothing and need not know it yet.
- In your texts write “urn-N” where the identifier will stand, as in “urn:urn-N:…”.
"""),
        guidance_for_revision=points("""
- A namespace keeps its identifier for ever, so a revision can't change it.
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
- 1 for a new namespace, one more with every registered revision.
- The registry counts: there is nothing to fill in.
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
- The day on which the registration is requested, written year-month-day, as 2026-01-31.
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
- The organization (or person) that registers the namespace, and its address.
- A person to turn to, and how: an e-mail address, a phone number or a postal address. A mailbox for a
  role outlives the people who read it.
- A recognized standards body or scientific society that wants the fast-track procedure of Section 6.3
  says so here.
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
        instruction="Say what the namespace is for, who will use it and what they gain.",
        substance=Substance.ADVISED,
        has_examples=True,
        guidance=points("""
- Which kinds of resources get these names?
- Who will use them, and where: a country, an industry, one organization; on the public Internet or in
  private networks?
- What do these people gain from the names or from resolving them, and what does everybody else gain?
- How does the namespace stand to URN namespaces, URI schemes and identifier systems that exist already?
- Which kinds of software will use or resolve the names, and for what?
- Are there resolution services, now or planned? An example of a q-component helps here.
- Is the namespace, or its definition, to become part of a standard of the IETF or of another body?
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
        instruction="Describe how names are built and when two of them are equivalent.",
        substance=Substance.ADVISED,
        has_examples=True,
        in_older_form=True,
        guidance=points("""
- How is a name built? Give ABNF, an algorithm or a regular expression, or say that names are opaque.
- Which character stands for what, when several would do (quotation marks, hyphens)?
- When are two names of the namespace equivalent, beyond the rules of Section 3? Upper and lower case,
  with and without hyphens? Rules may only make more names equal, never fewer.
- If the names exist outside URNs as well: which of their characters are not allowed in a URN, and how
  are they written here? Usually by percent-encoding.
- What do q-components, f-components and r-components mean here? What is not said stays undefined.
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
        instruction="Say who assigns names, how one gets a name, and what keeps names unique.",
        substance=Substance.ADVISED,
        has_examples=True,
        in_older_form=True,
        guidance=points("""
- Who assigns names, or by which mechanism? Say whether assignment is open to everybody, closed, or
  delegated; and if it is limited, how one becomes an assigner or asks for a name.
- What makes sure that no name is ever given twice: a single register, a partition among authorities, an
  algorithm?
- A name stays with its resource for good, even after the resource is gone (Section 5).
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
        instruction="Describe the issues, or say that you looked for some and found none.",
        substance=Substance.ADVISED,
        guidance=points("""
- What happens when two equal names are taken for different ones, or two different names for equal ones?
- Does a name give away something private when it travels over the public Internet?
- Can somebody list people or things by guessing names?
- Anything else that RFC 3552 and RFC 6973 ask about.
"""),
        example="""
A station's number can be looked up, so a name reveals where a series was recorded; all stations are \
public. Two names taken for one would mix up series, so software compares them as Syntax says.
""".strip(),
    )
    interoperability: str = section(
        title="Interoperability",
        rfc_section="6.4.5",
        required=Required.ALWAYS,
        instruction="Name every known potential issue, or say that you know of none.",
        guidance=points("""
- Every known potential problem: confusion with other namespaces, schemes or identifier systems because
  of syntax or of overlapping scope.
- If you know of none, say that you looked and found none.
"""),
        example="""
Some members print station numbers without leading zeros; such a number is not a name.
""".strip(),
    )
    resolution: str = section(
        title="Resolution",
        rfc_section="6.4.6",
        required=Required.ALWAYS,
        instruction="Say whether resolution is intended or expected.",
        substance=Substance.ADVISED,
        in_older_form=True,
        guidance=points("""
- Is resolution intended or expected at all? This has to be said either way.
- If so: will you run or recommend a resolution service?
- If services are to be publicly advertised: what is asked of them?
- What is to be minded about r-components?
"""),
        example="""
The secretariat runs a resolver that leads from a name to the series; nothing is advertised beyond \
it.
""".strip(),
    )
    documentation: str = section(
        title="Documentation",
        rfc_section="Appendix A",
        required=Required.FAST_TRACK,
        instruction="On the fast track, point to a specification (Section 6.3, step 2).",
        substance=Substance.REQUIRED,
        in_older_form=True,
        guidance=points("""
- Where the namespace is specified: an RFC, a standard of another body, or another stable document.
- The fast track needs one (Section 6.3); everybody else should have one (Section 6.2).
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
- Anything that helps to understand this registration or how it stands to others, such as a comparison
  with namespaces that seem to overlap. May stay empty.
"""),
        example="""
Stations of national weather services have names of their own, which this namespace does not repeat.
""".strip(),
    )
    revision_information: str = section(
        title="Revision Information",
        rfc_section="6.2",
        required=Required.REVISION,
        instruction="Describe what differs from the version before.",
        substance=Substance.REQUIRED,
        is_change_history=True,
        guidance=points("""
- On a revision: what differs from the versions before.
- Point out changes of the underlying technology and of the way the namespace is managed.
- For a first version leave it empty.
"""),
        example="""
Version 2 allows hyphens in the name of a series. All names of version 1 stay valid.
""".strip(),
    )


SECTIONS = tuple(Section(key=each.name, **each.metadata) for each in fields(Sections))
SECTION_BY_KEY = {each.key: each for each in SECTIONS}
TEXT_SECTIONS = tuple(each.key for each in SECTIONS if each.format is SectionFormat.TEXT)
