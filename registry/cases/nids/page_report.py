"""All that the registry answers about a NID: what it is, and what people could take it for (RFC 8141, 5.1).

The judgement is `nids.report`; this adds what it collides with, each by name. Nothing here forbids anything:
what looks alike, or is a country's code or a URI scheme, is for registrants and experts to weigh.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from registry.cases.competing_cases import registered_alike, requested_alike
from registry.cases.models import Case
from registry.cases.nids.report import NIDAvailability, NIDReport, report_on
from registry.namespaces.confusables import Country, country_by_code, uri_schemes
from registry.namespaces.models import Namespace
from registry.registration_template.checks.lookalikes import find_lookalikes

SHOWN = 12


class Likeness(StrEnum):
    NAMESPACE = "namespace"
    CASE = "case"
    COUNTRY_CODE = "country_code"
    URI_SCHEME = "uri_scheme"


@dataclass(frozen=True, slots=True)
class Resemblance:
    """Something that a NID equals or looks like: `name` is "isbn", "FR" or "http", `case` a case's number."""

    kind: Likeness
    name: str
    reason: str
    case: int | None = None

    @property
    def address(self) -> str:
        """The page of what it resembles; "" for what is none of the registry's."""
        if self.case is not None:
            return f"/cases/{self.case}/"
        return f"/namespaces/{self.name}/" if self.kind is Likeness.NAMESPACE else ""


@dataclass(frozen=True, slots=True)
class NIDPageReport:
    """A report and, for what is well-formed and nobody's yet, what it resembles."""

    report: NIDReport
    resembles: tuple[Resemblance, ...] = ()

    @property
    def is_askable(self) -> bool:
        """Whether somebody may ask for it in a new case."""
        return self.report.status in {NIDAvailability.FREE, NIDAvailability.REQUESTED}

    @property
    def cited(self) -> str:
        """The section that says so, with its document."""
        section = self.report.section
        return section if section.startswith("RFC") else f"RFC 8141, section {section}"


def page_report_on(nid: str) -> NIDPageReport:
    """All that can be said of any text as a NID."""
    return page_report_for(report_on(nid, Namespace.objects.select_related("latest")))


def page_report_for(report: NIDReport) -> NIDPageReport:
    """A report with what the NID resembles."""
    return NIDPageReport(report, tuple(_resemblances(report)))


def _resemblances(report: NIDReport) -> Iterator[Resemblance]:
    if report.status in {NIDAvailability.MALFORMED, NIDAvailability.REGISTERED}:
        return
    yield from _country(report.nid)
    if report.nid in uri_schemes():
        yield Resemblance(
            Likeness.URI_SCHEME,
            report.nid,
            f"“{report.nid}” is also a registered URI scheme: "
            f"{report.nid}: and urn:{report.nid}: could be confused.",
        )
    if report.status is not NIDAvailability.UNREGISTRABLE:
        yield from _lookalikes(report.nid)


def _country(nid: str) -> Iterator[Resemblance]:
    """Its code of three letters; of two where the NID is no more, or begins with them and a hyphen."""
    if country := country_by_code(nid):
        yield _of_country(nid, country)
    elif nid[2:3] == "-" and (country := country_by_code(nid[:2])):
        yield _of_country(nid[:2], country)


def _of_country(code: str, country: Country) -> Resemblance:
    part = "alpha-2" if len(code) == 2 else "alpha-3"
    reason = f"“{code}” is the country code of {country.name} (ISO 3166-1 {part}: {code.upper()})."
    return Resemblance(Likeness.COUNTRY_CODE, code.upper(), reason)


def _lookalikes(nid: str) -> Iterator[Resemblance]:
    for other in find_lookalikes(nid, registered_alike(nid))[:SHOWN]:
        reason = f"It looks like “{other.nid}”, which is registered: it {other.reason}."
        yield Resemblance(Likeness.NAMESPACE, other.nid, reason)
    yield from _requested_lookalikes(nid)


def _requested_lookalikes(nid: str) -> Iterator[Resemblance]:
    found = requested_alike(nid, Case.objects.asking_for_nids().exclude(requested_nid=nid))
    for case, requested in found.values_list("pk", "requested_nid")[:SHOWN]:
        for other in find_lookalikes(nid, [requested]):
            reason = f"It looks like “{other.nid}”, which case {case} requests: it {other.reason}."
            yield Resemblance(Likeness.CASE, other.nid, reason, case)
