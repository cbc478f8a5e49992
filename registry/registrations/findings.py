"""What the registry has to say of a case's text: the form's own checks, given what the registry knows."""

from collections.abc import Iterable

from registry.appendix_a.checks import Finding, Severity, Surroundings, check
from registry.appendix_a.submission import Submission
from registry.namespaces.confusables import country_codes, uri_schemes
from registry.namespaces.models import Kind, Namespace
from registry.registrations.models import Registration


def findings_of(case: Registration) -> tuple[Finding, ...]:
    """All findings on the draft as it stands, blocking ones and advice."""
    return findings_on(case, case.content, surroundings_of(case))


def findings_on(
    case: Registration, content: Submission, surroundings: Surroundings
) -> tuple[Finding, ...]:
    """All findings on a text of the case, given the names that exist around it."""
    return check(
        content,
        kind=Kind(case.kind),
        fast_track=case.is_fast_track,
        is_revision=case.is_revision,
        surroundings=surroundings,
    )


def surroundings_of(case: Registration) -> Surroundings:
    """The names that a new NID could collide with. A revision keeps its NID, so nothing can."""
    if case.is_revision or case.kind == Kind.INFORMAL:
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
