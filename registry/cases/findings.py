"""What the registry has to say of a case's text: the form's own checks, given what the registry knows."""

from collections.abc import Iterable
from typing import Literal

from registry.cases.drafts.drafts import in_case
from registry.cases.models import Case, Round
from registry.cases.nids.report import report_on
from registry.namespaces.models import Kind, Namespace
from registry.registration_template.checks.example_checks import SECTIONS_WITH_EXAMPLES
from registry.registration_template.checks.examples import find_examples
from registry.registration_template.checks.findings import Finding, ReferenceData, Severity
from registry.registration_template.checks.runner import check_template
from registry.registration_template.sections import Section
from registry.registration_template.template import RegistrationTemplate
from urnsyntax.nid import is_well_formed


def findings_of(case: Case) -> tuple[Finding, ...]:
    """All findings on the draft as it stands, blocking ones and advice."""
    return findings_on(
        case, in_case(case, case.draft_template), reference_data_for(case, in_case(case, case.draft_template))
    )


def findings_on(
    case: Case, template: RegistrationTemplate, reference_data: ReferenceData
) -> tuple[Finding, ...]:
    """All findings on a text of the case, given the names that exist around it."""
    return check_template(
        template,
        kind=_kind_of(case),
        fast_track=case.is_fast_track,
        is_revision=case.is_revision,
        reference_data=reference_data,
    )


def findings_of_round(case: Case, round_: Round, *, is_latest: bool) -> tuple[Finding, ...]:
    """All findings on a round as it was submitted."""
    # Names that are taken now say nothing of a text that was decided on, or replaced, before.
    is_current = is_latest and case.is_open
    reference_data = reference_data_for(case, round_.template) if is_current else ReferenceData()
    return findings_on(case, round_.template, reference_data)


def is_required(section: Section, case: Case) -> bool:
    """Whether the case can't be submitted while the section is empty."""
    return section.is_required(
        kind=_kind_of(case), fast_track=case.is_fast_track, is_revision=case.is_revision
    )


def guidance_for(section: Section, case: Case) -> tuple[str, ...]:
    """What helps to fill the section in, in this case."""
    return section.guidance_for(kind=_kind_of(case), is_revision=case.is_revision)


def _kind_of(case: Case) -> Literal["formal", "informal"]:
    return "informal" if case.kind == Kind.INFORMAL else "formal"


def reference_data_for(case: Case, template: RegistrationTemplate) -> ReferenceData:
    """The revised namespace with its rules; or the report on the NID, and the namespaces used in examples."""
    if case.is_revision and case.namespace is not None:
        return ReferenceData(
            revised_nid=case.namespace.nid,
            revised_version=case.namespace.version,
            example_rule=case.namespace.rules.value.fault_in if case.namespace.rules else None,
        )
    if case.kind == Kind.INFORMAL:
        return ReferenceData()
    nid = template.namespace_identifier
    return ReferenceData(
        nid_report=report_on(nid, asked_by=case) if nid else None,
        registered_nids=_registered_in_examples(template),
    )


def _registered_in_examples(template: RegistrationTemplate) -> frozenset[str]:
    nids = {
        example.nid for key in SECTIONS_WITH_EXAMPLES for example in find_examples(getattr(template, key))
    }
    known = Namespace.objects.filter(nid__in=[nid for nid in nids if is_well_formed(nid)])
    return frozenset(known.order_by().values_list("nid", flat=True))


def blocking(findings: Iterable[Finding]) -> list[Finding]:
    """Those that nobody can set aside."""
    return [finding for finding in findings if finding.severity == Severity.BLOCKING]
