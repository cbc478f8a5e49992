"""What the registry has to say of a case's text: the form's own checks, given what the registry knows."""

from collections.abc import Iterable
from typing import Literal

from registry.appendix_a.checks import check
from registry.appendix_a.findings import Finding, Severity, Surroundings
from registry.appendix_a.sections import Section
from registry.appendix_a.submission import Submission
from registry.namespaces.confusables import country_codes, uri_schemes
from registry.namespaces.models import Kind, Namespace
from registry.registrations.drafts import in_case
from registry.registrations.models import Registration


def findings_of(case: Registration) -> tuple[Finding, ...]:
    """All findings on the draft as it stands, blocking ones and advice."""
    return findings_on(case, in_case(case, case.content), surroundings_of(case))


def findings_on(case: Registration, content: Submission, surroundings: Surroundings) -> tuple[Finding, ...]:
    """All findings on a text of the case, given the names that exist around it."""
    return check(
        content,
        kind=_kind_of(case),
        fast_track=case.is_fast_track,
        is_revision=case.is_revision,
        surroundings=surroundings,
    )


def is_required(section: Section, case: Registration) -> bool:
    """Whether the case can't be submitted while the section is empty."""
    return section.is_required(
        kind=_kind_of(case), fast_track=case.is_fast_track, is_revision=case.is_revision
    )


def guidance_for(section: Section, case: Registration) -> tuple[str, ...]:
    """What helps to fill the section in, in this case."""
    return section.guidance_for(kind=_kind_of(case), is_revision=case.is_revision)


def _kind_of(case: Registration) -> Literal["formal", "informal"]:
    return "informal" if case.kind == Kind.INFORMAL else "formal"


def surroundings_of(case: Registration) -> Surroundings:
    """What is revised; or else the names that a new NID could collide with."""
    if case.is_revision and case.namespace is not None:
        return Surroundings(revised_nid=case.namespace.nid, revised_version=case.namespace.version)
    if case.kind == Kind.INFORMAL:
        return Surroundings()
    return Surroundings(
        registered_nids=frozenset(Namespace.objects.values_list("nid", flat=True)),
        requested_nids=frozenset(
            Registration.objects.public()
            .open()
            .exclude(pk=case.pk)
            .exclude(requested_nid="")
            .filter(is_revision=False)
            .values_list("requested_nid", flat=True)
        ),
        country_codes=country_codes(),
        uri_schemes=uri_schemes(),
    )


def blocking(findings: Iterable[Finding]) -> list[Finding]:
    """Those that nobody can set aside."""
    return [finding for finding in findings if finding.severity == Severity.BLOCKING]
