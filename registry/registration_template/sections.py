"""The thirteen sections of the registration template, in the order of RFC 8141, Appendix A."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Kind = Literal["formal", "informal"]


class Required(StrEnum):
    """When a section has to be filled in."""

    ALWAYS = "always"
    FORMAL = "for a formal namespace"
    FAST_TRACK = "on the fast track"
    REVISION = "on a revision"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Section:
    """One section: what it is called, which section of RFC 8141 governs it, what a reader looks for."""

    key: str
    title: str
    rfc_section: str
    required: Required
    guidance: tuple[str, ...]
    example: str
    # What is said instead where the registry itself fills the section in.
    guidance_for_informal: tuple[str, ...] = ()
    guidance_for_revision: tuple[str, ...] = ()

    @property
    def reference(self) -> str:
        """The place in the RFC, as findings cite it."""
        place = self.rfc_section if self.rfc_section.startswith("Appendix") else f"Section {self.rfc_section}"
        return f"RFC 8141, {place}"

    def is_required(self, *, kind: Kind, fast_track: bool, is_revision: bool) -> bool:
        """Whether a template of this kind has to fill the section in."""
        return {
            Required.ALWAYS: True,
            Required.FORMAL: kind == "formal",
            Required.FAST_TRACK: fast_track,
            Required.REVISION: is_revision,
            Required.NEVER: False,
        }[self.required]

    def guidance_for(self, *, kind: Kind, is_revision: bool) -> tuple[str, ...]:
        """What helps to fill the section in, in a template of this kind."""
        if is_revision and self.guidance_for_revision:
            return self.guidance_for_revision
        if kind == "informal" and self.guidance_for_informal:
            return self.guidance_for_informal
        return self.guidance


def _points(block: str) -> tuple[str, ...]:
    """The sentences of a block in which each point begins with a dash."""
    return tuple(" ".join(point.split()) for point in block.split("\n- ")[1:])


SECTIONS: tuple[Section, ...] = (
    Section(
        key="namespace_identifier",
        title="Namespace Identifier",
        rfc_section="5.1",
        required=Required.FORMAL,
        guidance=_points("""
- The identifier you ask for, between three and 32 ASCII letters, digits and hyphens, with neither end a
  hyphen. It stands after “urn:” in every name, for ever.
- It can't begin with “urn-”, with “X-”, or with two letters and a hyphen; those are kept for other
  uses.
- Look for a string that nobody will take for a country, a URI scheme, somebody else's trademark or
  another namespace.
"""),
        example="example",
        guidance_for_informal=_points("""
- The identifier of an informal namespace is “urn-” and a number, which the registry assigns when it
  registers the namespace (Section 5.2). You choose nothing and need not know it yet.
- In your texts write “urn-N” where the identifier will stand, as in “urn:urn-N:…”.
"""),
        guidance_for_revision=_points("""
- A namespace keeps its identifier for ever, so a revision can't change it.
"""),
    ),
    Section(
        key="version",
        title="Version",
        rfc_section="Appendix A",
        required=Required.NEVER,
        guidance=_points("""
- 1 for a new namespace, one more with every registered revision.
- The registry counts: there is nothing to fill in.
"""),
        example="1",
    ),
    Section(
        key="date",
        title="Date",
        rfc_section="Appendix A",
        required=Required.ALWAYS,
        guidance=_points("""
- The day on which the registration is requested, written year-month-day, as 2026-01-31.
"""),
        example="2026-01-31",
    ),
    Section(
        key="registrant",
        title="Registrant",
        rfc_section="Appendix A",
        required=Required.ALWAYS,
        guidance=_points("""
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
    ),
    Section(
        key="purpose",
        title="Purpose",
        rfc_section="6.4.1",
        required=Required.ALWAYS,
        guidance=_points("""
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
    ),
    Section(
        key="syntax",
        title="Syntax",
        rfc_section="6.4.2",
        required=Required.ALWAYS,
        guidance=_points("""
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
    ),
    Section(
        key="assignment",
        title="Assignment",
        rfc_section="6.4.3",
        required=Required.ALWAYS,
        guidance=_points("""
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
    ),
    Section(
        key="security_and_privacy",
        title="Security and Privacy",
        rfc_section="6.4.4",
        required=Required.ALWAYS,
        guidance=_points("""
- What happens when two equal names are taken for different ones, or two different names for equal ones?
- Does a name give away something private when it travels over the public Internet?
- Can somebody list people or things by guessing names?
- Anything else that RFC 3552 and RFC 6973 ask about.
"""),
        example="""
A station's number can be looked up, so a name reveals where a series was recorded; all stations are \
public. Two names taken for one would mix up series, so software compares them as Syntax says.
""".strip(),
    ),
    Section(
        key="interoperability",
        title="Interoperability",
        rfc_section="6.4.5",
        required=Required.ALWAYS,
        guidance=_points("""
- Every known potential problem: confusion with other namespaces, schemes or identifier systems because
  of syntax or of overlapping scope.
- If you know of none, say that you looked and found none.
"""),
        example="""
Some members print station numbers without leading zeros; such a number is not a name.
""".strip(),
    ),
    Section(
        key="resolution",
        title="Resolution",
        rfc_section="6.4.6",
        required=Required.ALWAYS,
        guidance=_points("""
- Is resolution intended or expected at all? This has to be said either way.
- If so: will you run or recommend a resolution service?
- If services are to be publicly advertised: what is asked of them?
- What is to be minded about r-components?
"""),
        example="""
The secretariat runs a resolver that leads from a name to the series; nothing is advertised beyond \
it.
""".strip(),
    ),
    Section(
        key="documentation",
        title="Documentation",
        rfc_section="Appendix A",
        required=Required.FAST_TRACK,
        guidance=_points("""
- Where the namespace is specified: an RFC, a standard of another body, or another stable document.
- The fast track needs one (Section 6.3); everybody else should have one (Section 6.2).
"""),
        example="""
Example Weather Network, “Names of stations and series”, edition 3.
""".strip(),
    ),
    Section(
        key="additional_information",
        title="Additional Information",
        rfc_section="6.4.7",
        required=Required.NEVER,
        guidance=_points("""
- Anything that helps to understand this registration or how it stands to others, such as a comparison
  with namespaces that seem to overlap. May stay empty.
"""),
        example="""
Stations of national weather services have names of their own, which this namespace does not repeat.
""".strip(),
    ),
    Section(
        key="revision_information",
        title="Revision Information",
        rfc_section="6.2",
        required=Required.REVISION,
        guidance=_points("""
- On a revision: what differs from the versions before.
- Point out changes of the underlying technology and of the way the namespace is managed.
- For a first version leave it empty.
"""),
        example="""
Version 2 allows hyphens in the name of a series. All names of version 1 stay valid.
""".strip(),
    ),
)

SECTION_BY_KEY: dict[str, Section] = {section.key: section for section in SECTIONS}
