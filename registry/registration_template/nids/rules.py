"""The rules of NIDs (RFC 8141, Section 5), names that could be confused with each other, and the findings.

To add a rule, write its function and add it to `RULES`. Pages, forms, the API, template checks and the check before
assignment use the report that is built from the rules.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Protocol

from urnsyntax import InvalidNID, classify
from urnsyntax.nid import is_one_edit_apart, is_well_formed

_SAME_SHAPE = str.maketrans({"0": "o", "1": "i", "l": "i", "-": None})


@dataclass(frozen=True, slots=True)
class Lookalike:
    """A similar identifier, and the reason."""

    nid: str
    reason: str


def find_lookalikes(nid: str, known: Iterable[str]) -> tuple[Lookalike, ...]:
    """The known identifiers that look like `nid`, in alphabetical order, without `nid` itself."""
    own = nid.lower()
    found = (_compare(own, other) for other in sorted({each.lower() for each in known} - {own}))
    return tuple(each for each in found if each is not None)


def shape_of(nid: str) -> str:
    """An identifier without the differences of case, hyphens and look-alike characters (0/o, 1/l/i)."""
    return nid.lower().translate(_SAME_SHAPE)


def _compare(nid: str, other: str) -> Lookalike | None:
    if shape_of(nid) == shape_of(other):
        return Lookalike(
            other, "differs only in hyphens, or in similar characters such as 0 and o, or 1, l and i"
        )
    if is_one_edit_apart(nid, other):
        return Lookalike(other, "differs in one character")
    return None


class NIDAvailability(StrEnum):
    """Whether a NID can be registered for a formal namespace."""

    MALFORMED = "malformed"
    UNREGISTRABLE = "unregistrable"
    REGISTERED = "registered"
    REQUESTED = "requested"
    FREE = "free"

    @property
    def is_requestable(self) -> bool:
        """Whether a new case can request the NID."""
        return self in {NIDAvailability.FREE, NIDAvailability.REQUESTED}


class Likeness(StrEnum):
    """The kind of name that a NID could be mistaken for."""

    NAMESPACE = "namespace"
    CASE = "case"
    COUNTRY_CODE = "country_code"
    COUNTRY_NAME = "country_name"
    TRADEMARK = "trademark"
    URI_SCHEME = "uri_scheme"
    IDENTIFIER_SYSTEM = "identifier_system"
    SIGHTING = "sighting"


class RegisteredNamespace(Protocol):
    """The attributes of a namespace that rules use. `registered_on` is YYYY-MM-DD, YYYY-MM or empty."""

    @property
    def nid(self) -> str: ...
    @property
    def registered_on(self) -> str: ...
    @property
    def is_deprecated(self) -> bool: ...


class SightedUse(Protocol):
    """The attributes of a sighting that rules use: that a NID without a namespace is in use."""

    @property
    def pk(self) -> int: ...
    @property
    def nid(self) -> str: ...
    @property
    def used_by(self) -> str: ...


class KnownNIDs:
    """The facts about the registry, by NID in lower case. This class has none; subclasses look them up."""

    def namespace(self, nid: str) -> RegisteredNamespace | None:
        """The namespace with this NID."""
        return None

    def requests(self, nid: str) -> tuple[int, ...] | None:
        """The known numbers of other open cases that request the NID; None if there are no such cases."""
        return None

    def similar_namespaces(self, nid: str) -> Iterable[str]:
        """NIDs of namespaces, including all that look like this NID."""
        return ()

    def similar_cases(self, nid: str) -> Iterable[tuple[int | None, str]]:
        """Numbers and NIDs of other open cases, including all whose NID looks like this one."""
        return ()

    def sightings(self, nid: str) -> Sequence[SightedUse]:
        """The public sightings of a NID that is not registered. It may break the grammar."""
        return ()

    def similar_sightings(self, nid: str) -> Iterable[SightedUse]:
        """Public sightings of other NIDs that are not registered, including all that look like this one."""
        return ()

    def country(self, code: str) -> str | None:
        """The name of the country with this code of two or three letters (ISO 3166-1)."""
        return None

    def country_named(self, name: str) -> str | None:
        """The name of the country that is written like this without spaces: "southafrica"."""
        return None

    def is_trademark(self, text: str) -> bool:
        """Whether the text, which has no hyphens, is among the well-known trademarks."""
        return False

    def is_uri_scheme(self, text: str) -> bool:
        """Whether the text is in IANA's registry of URI schemes."""
        return False

    def identifier_systems(self) -> Mapping[str, str]:
        """Identifier systems other than URN namespaces: what each is, by its name in lower case."""
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class NIDFinding:
    """The result of a rule: the reason for the status of the NID, or another name that it resembles.

    `code` is stable. `section` is a section of RFC 8141 unless it includes another document. `remedy` says what to do.
    """

    code: str
    section: str
    reason: str
    remedy: str = ""
    fault: InvalidNID | None = None
    namespace: RegisteredNamespace | None = None
    cases: tuple[int, ...] = ()
    # The number of a sighting.
    sighting: int | None = None
    kind: Likeness | None = None
    # The other name: "isbn", "FR", "http".
    name: str = ""

    @property
    def reference(self) -> str:
        """The section with its document."""
        return self.section if self.section.startswith("RFC") else f"RFC 8141, Section {self.section}"

    @property
    def message(self) -> str:
        """The reason and the remedy."""
        return f"{self.reason} {self.remedy}".rstrip()


MAX_LOOKALIKES = 12
MIN_COMPARED = 5
# The code of a finding on a NID that is in use without a registration.
IN_USE = "in-use"


@dataclass(frozen=True, slots=True)
class NIDRule:
    """One rule, with its summary for users.

    Of those with a status, the first one that finds something decides it. The others advise, and are applied after it.
    """

    section: str
    find: Callable[[str, KnownNIDs, str], Iterator[NIDFinding]]
    summary: str = ""
    status: NIDAvailability | None = None
    # Whether the rule also applies to NIDs that cannot be registered.
    for_unregistrable: bool = False


def find_malformed(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """2 to 32 ASCII letters, digits and hyphens, with no hyphen at either end."""
    if not is_well_formed(nid):
        fault = InvalidNID(nid)
        yield NIDFinding(
            code="malformed",
            section=fault.section,
            reason=str(fault),
            remedy="Choose another identifier.",
            fault=fault,
        )


def find_registered(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """A NID is assigned once, and remains assigned if its namespace is deprecated."""
    if namespace := known.namespace(nid):
        yield registered(namespace, section)


def registered(namespace: RegisteredNamespace, section: str = "5.1 (1)") -> NIDFinding:
    """The finding on the NID of a registered namespace."""
    day = namespace.registered_on
    registration = f"has been registered since {day}" if day else "is registered"
    deprecated = " and is deprecated" if namespace.is_deprecated else ""
    return NIDFinding(
        code="registered",
        section=section,
        reason=f"“{namespace.nid}” {registration}{deprecated}. A NID is never reused.",
        remedy="Request another NID, or revise that namespace if you are its registrant.",
        namespace=namespace,
    )


def find_unregistrable(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """The syntax of formal NIDs, and reserved NIDs (`urnsyntax.nid`, which names the section)."""
    status = classify(nid)
    if not status.is_registrable:
        yield NIDFinding(
            code="not-registrable",
            section=status.section,
            reason=status.reason,
            remedy="Choose another identifier.",
        )


def find_requested(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """Another open case requests the same NID."""
    if (cases := known.requests(nid)) is None:
        return
    numbers = ", ".join(map(str, cases))
    place = f"in case {numbers}" if cases else "in another open case"
    yield NIDFinding(
        code="requested",
        section=section,
        reason=f"“{nid}” is already requested {place}.",
        remedy="Agree with its registrant, or choose another identifier.",
        cases=cases,
    )


def find_country(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """A country code, as the whole NID or before a hyphen after two letters."""
    code = nid[:2] if nid[2:3] == "-" else nid
    if name := known.country(code):
        part = "alpha-2" if len(code) == 2 else "alpha-3"
        yield NIDFinding(
            code="country-code",
            section=section,
            reason=f"“{code}” is the country code of {name} (ISO 3166-1 {part}: {code.upper()}).",
            remedy="Choose another identifier, or explain why it can't be confused.",
            kind=Likeness.COUNTRY_CODE,
            name=code.upper(),
        )


def find_country_name(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """The name of a country, as the whole NID or before a hyphen."""
    for name in filter(None, map(known.country_named, _beginnings(nid))):
        yield NIDFinding(
            code="country-name",
            section=section,
            reason=f"“{nid}” could be read as an identifier of {name}, or one that it authorised.",
            remedy="Choose another identifier, or explain by whose authority you use the name.",
            kind=Likeness.COUNTRY_NAME,
            name=name,
        )


def find_trademark(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """A well-known trademark, as the whole NID or before a hyphen."""
    for mark in filter(known.is_trademark, _beginnings(nid)):
        yield NIDFinding(
            code="trademark",
            section=section,
            reason=f"“{mark}” is also a well-known trademark.",
            remedy="Choose another identifier, unless you request it for the owner of the trademark.",
            kind=Likeness.TRADEMARK,
            name=mark,
        )


def _beginnings(nid: str) -> Iterator[str]:
    """The NID and its parts up to each hyphen, without hyphens: "southafricabooks", "southafrica", "south"."""
    parts = nid.split("-")
    return ("".join(parts[:end]) for end in range(len(parts), 0, -1))


def find_uri_scheme(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """A URI scheme of the same name."""
    if known.is_uri_scheme(nid):
        yield NIDFinding(
            code="uri-scheme",
            section=section,
            reason=(f"“{nid}” is also a registered URI scheme: {nid}: and urn:{nid}: could be confused."),
            remedy="Choose another identifier, or explain how the two are related.",
            kind=Likeness.URI_SCHEME,
            name=nid,
        )


def find_identifier_system(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """Another identifier system, as the whole NID, before a hyphen, or as a look-alike of the NID."""
    systems = known.identifier_systems()
    found = {
        each: f"“{each}” is the name of another identifier system: {systems[each]}."
        for each in _beginnings(nid)
        if each in systems
    }
    # In a name of three or four letters, one other letter makes another name: most of them would look alike.
    compared = [each for each in systems if len(each) >= MIN_COMPARED or shape_of(each) == shape_of(nid)]
    for other in find_lookalikes(nid, compared):
        reason = f"It looks like “{other.nid}”, the name of another identifier system: {systems[other.nid]}. It {other.reason}."
        found.setdefault(other.nid, reason)
    for name, reason in islice(found.items(), MAX_LOOKALIKES):
        yield NIDFinding(
            code="identifier-system",
            section=section,
            reason=reason,
            remedy="Choose another identifier, or explain how the two are related and why they can't be confused.",
            kind=Likeness.IDENTIFIER_SYSTEM,
            name=name,
        )


def find_similar_namespaces(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """NIDs of namespaces that look like this one."""
    for other in islice(find_lookalikes(nid, known.similar_namespaces(nid)), MAX_LOOKALIKES):
        yield NIDFinding(
            code="lookalike",
            section=section,
            reason=f"It looks like “{other.nid}”, which is registered: it {other.reason}.",
            remedy="Choose another identifier, or explain why it is distinct enough.",
            kind=Likeness.NAMESPACE,
            name=other.nid,
        )


def find_similar_cases(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """NIDs that other open cases request and that look like this one."""
    for number, requested in islice(known.similar_cases(nid), MAX_LOOKALIKES):
        for other in find_lookalikes(nid, [requested]):
            case = "another open case" if number is None else f"case {number}"
            yield NIDFinding(
                code="lookalike",
                section=section,
                reason=f"It looks like “{other.nid}”, which {case} requests: it {other.reason}.",
                remedy="Choose another identifier, or explain why it is distinct enough.",
                kind=Likeness.CASE,
                name=other.nid,
                cases=() if number is None else (number,),
            )


def find_sightings(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """The NID, or one that looks like it, is in use without a registration."""
    for each in islice(known.sightings(nid), MAX_LOOKALIKES):
        yield NIDFinding(
            code=IN_USE,
            section=section,
            reason=f"“{each.nid}” is in use without a registration: {each.used_by}. This gives it no standing.",
            remedy="Choose another identifier, or explain how your names differ from those in use.",
            kind=Likeness.SIGHTING,
            name=each.nid,
            sighting=each.pk,
        )
    for each in islice(known.similar_sightings(nid), MAX_LOOKALIKES):
        for other in find_lookalikes(nid, [each.nid]):
            yield NIDFinding(
                code="lookalike",
                section=section,
                reason=f"It looks like “{other.nid}”, which is in use without a registration: it {other.reason}.",
                remedy="Choose another identifier, or explain why it is distinct enough.",
                kind=Likeness.SIGHTING,
                name=other.nid,
                sighting=each.pk,
            )


def find_free(nid: str, known: KnownNIDs, section: str) -> Iterator[NIDFinding]:
    """No other rule gives a status."""
    reason = f"“{nid}” is free and can be registered as a formal namespace."
    yield NIDFinding(code="free", section=section, reason=reason)


RULES: tuple[NIDRule, ...] = (
    NIDRule(
        "2.1",
        find_malformed,
        "2 to 32 ASCII letters, digits and hyphens, with no hyphen at either end.",
        NIDAvailability.MALFORMED,
    ),
    NIDRule(
        "5.1 (1)",
        find_registered,
        "Not registered yet, in upper or lower case.",
        NIDAvailability.REGISTERED,
    ),
    NIDRule(
        "5.1 (2) to (4)",
        find_unregistrable,
        "At least three characters; not beginning with “urn-”, “X-”, or two letters and a hyphen.",
        NIDAvailability.UNREGISTRABLE,
    ),
    NIDRule("6.2", find_requested, "Not requested in another open case.", NIDAvailability.REQUESTED),
    NIDRule("5.1", find_free, status=NIDAvailability.FREE),
    NIDRule("5.1", find_country, "A country code.", for_unregistrable=True),
    NIDRule("5.1", find_country_name, "The name of a country."),
    NIDRule("5.1", find_trademark, "A well-known trademark."),
    NIDRule("5.1", find_uri_scheme, "A URI scheme.", for_unregistrable=True),
    NIDRule("5.1", find_identifier_system, "Another identifier system."),
    NIDRule("5.1", find_similar_namespaces, "Similar to a registered identifier."),
    NIDRule("5.1", find_similar_cases, "Similar to a requested identifier."),
    NIDRule(
        "5.1",
        find_sightings,
        "In use without a registration, or similar to one that is.",
        for_unregistrable=True,
    ),
)
