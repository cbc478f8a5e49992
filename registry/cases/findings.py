"""The findings on the template of a case, with the data of the registry that the checks need."""

from collections.abc import Iterable
from functools import partial
from typing import Literal

from registry.cases.drafts.drafts import complete_template
from registry.cases.models import Case, Round
from registry.cases.nid_report import report_in_registry
from registry.custody.queries import former_contact_of
from registry.namespaces.actions.registration import RegisteredNIDs
from registry.namespaces.current_profiles import contradiction
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.proposals.applying import as_proposed
from registry.namespaces.proposals.checking import check_proposal
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.namespaces.proposals.trials import Trial, try_services
from registry.registration_template.checks.examples import SECTIONS_WITH_EXAMPLES, find_examples
from registry.registration_template.checks.findings import Finding, ReferenceData, Severity
from registry.registration_template.checks.runner import check_template
from registry.registration_template.formatting import UNNUMBERED_NID
from registry.registration_template.nids import report
from registry.registration_template.nids.rules import KnownNIDs
from registry.registration_template.sections import Section
from registry.registration_template.template import RegistrationTemplate
from urnsyntax.nid import is_well_formed
from urnsyntax.profiles import Profile


def findings_of(case: Case) -> tuple[Finding, ...]:
    """All findings on the draft, blocking findings and advice."""
    template, proposed = complete_template(case, case.draft_template), case.proposed_profile
    return (
        *findings_on(case, template, reference_data_for(case, template, proposed)),
        *findings_on_profile(case, template, proposed),
    )


def blocking_findings_of(case: Case) -> list[Finding]:
    """The findings on the draft that prevent submission. What is only advised on is not looked up."""
    template, proposed = complete_template(case, case.draft_template), case.proposed_profile
    reference_data = reference_data_for(case, template, proposed, known=RegisteredNIDs())
    found = (
        *findings_on(case, template, reference_data),
        *findings_on_profile(case, template, proposed),
    )
    return blocking(found)


def cannot_be_registered(case: Case) -> bool:
    """Whether the registry as it is now refuses to register the latest round: the NID was taken, for example."""
    round_ = case.latest_round
    if round_ is None or case.is_of_former_registrant:
        return True
    reference_data = reference_data_for(
        case, round_.template, round_.proposed_profile, known=RegisteredNIDs()
    )
    return bool(blocking(findings_on(case, round_.template, reference_data)))


def findings_on(
    case: Case, template: RegistrationTemplate, reference_data: ReferenceData
) -> tuple[Finding, ...]:
    """All findings on a template of the case."""
    return check_template(
        template,
        kind=_kind_of(case),
        fast_track=case.is_fast_track,
        is_revision=case.is_revision,
        reference_data=reference_data,
    )


def findings_on_profile(
    case: Case, template: RegistrationTemplate, proposed: ProposedProfile
) -> tuple[Finding, ...]:
    """All findings on the profile that is proposed with this template."""
    return check_proposal(proposed, template, current_profile(case), nid=nid_in_texts(case, template))


def trial_of_services(case: Case, template: RegistrationTemplate, proposed: ProposedProfile) -> Trial | None:
    """Where the services that are proposed with this template lead for an example."""
    return try_services(proposed, template, current_profile(case), nid=nid_in_texts(case, template))


def findings_on_proposal(case: Case, round_: Round) -> tuple[Finding, ...]:
    """All findings on the profile that the latest round proposes. A later profile does not matter for a closed case."""
    return findings_on_profile(case, round_.template, round_.proposed_profile) if case.is_open else ()


def current_profile(case: Case) -> Profile | None:
    """The profile of the namespace that the case revises."""
    return case.namespace.current_profile if case.is_revision and case.namespace else None


def nid_in_texts(case: Case, template: RegistrationTemplate) -> str:
    """The NID in the names that the texts of the case contain."""
    is_unnumbered = case.kind == Kind.INFORMAL and not case.is_revision
    return UNNUMBERED_NID if is_unnumbered else template.namespace_identifier.lower()


def findings_of_round(case: Case, round_: Round, *, is_latest: bool) -> tuple[Finding, ...]:
    """All findings on a round."""
    # NIDs that are taken now do not matter for a round that was decided or replaced.
    is_current = is_latest and case.is_open
    reference_data = (
        reference_data_for(case, round_.template, round_.proposed_profile) if is_current else ReferenceData()
    )
    return findings_on(case, round_.template, reference_data)


def is_required(section: Section, case: Case) -> bool:
    """Whether the section must be completed before the case can be submitted."""
    return section.is_required(
        kind=_kind_of(case), fast_track=case.is_fast_track, is_revision=case.is_revision
    )


def guidance_for(section: Section, case: Case) -> tuple[str, ...]:
    """The guidance on the section for this case."""
    return section.guidance_for(kind=_kind_of(case), is_revision=case.is_revision)


def _kind_of(case: Case) -> Literal["formal", "informal"]:
    return "informal" if case.kind == Kind.INFORMAL else "formal"


def reference_data_for(
    case: Case,
    template: RegistrationTemplate,
    proposed: ProposedProfile,
    *,
    known: KnownNIDs | None = None,
) -> ReferenceData:
    """The data for a revision: the namespace and its profile; otherwise the NID report and the NIDs of examples.

    The current grammar does not apply to a revision that proposes another: `findings_on_profile` compares that one with
    the text. With `known` facts, there are no other queries, and the NIDs of examples, on which is only advised, are left out.
    """
    if case.is_revision and case.namespace is not None:
        profile = current_profile(case)
        is_kept = profile is not None and proposed.abnf in {"", as_proposed(profile).abnf}
        return ReferenceData(
            revised_nid=case.namespace.nid,
            revised_version=case.namespace.version,
            example_rule=partial(contradiction, profile) if profile and is_kept else None,
            former_contact=former_contact_of(case.namespace) if known is None else None,
        )
    if case.kind == Kind.INFORMAL:
        return ReferenceData()
    nid = template.namespace_identifier
    if known is not None:
        return ReferenceData(nid_report=report.report_on(nid, known))
    return ReferenceData(
        nid_report=report_in_registry(nid, excluded_case=case) if nid else None,
        registered_nids=_registered_in_examples(template),
    )


def _registered_in_examples(template: RegistrationTemplate) -> frozenset[str]:
    nids = {
        example.nid for key in SECTIONS_WITH_EXAMPLES for example in find_examples(getattr(template, key))
    }
    known = Namespace.objects.filter(nid__in=[nid for nid in nids if is_well_formed(nid)])
    return frozenset(known.order_by().values_list("nid", flat=True))


def blocking(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that prevent submission and can't be dismissed."""
    return [finding for finding in findings if finding.severity == Severity.BLOCKING]
