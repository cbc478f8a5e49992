"""What the registry has to say of a case's text: the form's own checks, given what the registry knows."""

from collections.abc import Iterable
from typing import Literal

from registry.appendix_a.checks import check
from registry.appendix_a.example_checks import WITH_EXAMPLES
from registry.appendix_a.examples import find_examples
from registry.appendix_a.findings import Finding, Severity, Surroundings
from registry.appendix_a.sections import Section
from registry.appendix_a.submission import Submission
from registry.namespaces.confusables import country_codes, uri_schemes
from registry.namespaces.models import Kind, Namespace
from registry.registrations.drafts import in_case
from registry.registrations.models import Registration
from registry.registrations.models import Submission as Round
from registry.registrations.rivals import MOST, registered_alike, requested_alike
from urnsyntax.nid import is_well_formed


def findings_of(case: Registration) -> tuple[Finding, ...]:
    """All findings on the draft as it stands, blocking ones and advice."""
    return findings_on(case, in_case(case, case.content), surroundings_of(case, in_case(case, case.content)))


def findings_on(case: Registration, content: Submission, surroundings: Surroundings) -> tuple[Finding, ...]:
    """All findings on a text of the case, given the names that exist around it."""
    return check(
        content,
        kind=_kind_of(case),
        fast_track=case.is_fast_track,
        is_revision=case.is_revision,
        surroundings=surroundings,
    )


def findings_of_round(case: Registration, submission: Round, *, is_latest: bool) -> tuple[Finding, ...]:
    """All findings on a round as it was submitted."""
    # Names that are taken now say nothing of a text that was decided on, or replaced, before.
    is_current = is_latest and case.is_open
    surroundings = surroundings_of(case, submission.submission) if is_current else Surroundings()
    return findings_on(case, submission.submission, surroundings)


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


def surroundings_of(case: Registration, content: Submission) -> Surroundings:
    """What is revised, with the rules that its names keep; or else what a text's NID could collide with, and the
    namespaces that its examples use.
    """
    if case.is_revision and case.namespace is not None:
        return Surroundings(
            revised_nid=case.namespace.nid,
            revised_version=case.namespace.version,
            example_rule=case.namespace.rules.value.fault_in if case.namespace.rules else None,
        )
    if case.kind == Kind.INFORMAL:
        return Surroundings()
    return Surroundings(
        registered_nids=_registered_around(content),
        requested_nids=_requested_around(case, content.namespace_identifier),
        country_codes=country_codes(),
        uri_schemes=uri_schemes(),
    )


def _registered_around(content: Submission) -> frozenset[str]:
    """Those that the examples use, the text's own NID, and what looks like it: each looked up by an index."""
    named = {example.nid for key in WITH_EXAMPLES for example in find_examples(getattr(content, key))}
    nid = content.namespace_identifier.lower()
    known = Namespace.objects.filter(nid__in=[each for each in {*named, nid} if is_well_formed(each)])
    alike = registered_alike(nid) if is_well_formed(nid) else set()
    return frozenset(alike.union(known.order_by().values_list("nid", flat=True)))


def _requested_around(case: Registration, nid: str) -> frozenset[str]:
    if not is_well_formed(nid):
        return frozenset()
    others = Registration.objects.asking_for_nids().exclude(pk=case.pk)
    return frozenset(requested_alike(nid, others).values_list("requested_nid", flat=True)[:MOST])


def blocking(findings: Iterable[Finding]) -> list[Finding]:
    """Those that nobody can set aside."""
    return [finding for finding in findings if finding.severity == Severity.BLOCKING]
