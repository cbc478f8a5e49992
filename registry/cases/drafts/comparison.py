"""Comparison of templates together with the profiles that are proposed beside them."""

from registry.cases.models import Round
from registry.namespaces.proposals.proposed_profile import ProposedProfile, compare_proposals
from registry.registration_template.diff import TemplateDiff, compare_templates
from registry.registration_template.template import RegistrationTemplate

Texts = tuple[RegistrationTemplate, ProposedProfile]


def compare_texts(before: Texts, after: Texts) -> TemplateDiff:
    """The sections of the templates, then the members of the proposed profiles."""
    sections = compare_templates(before[0], after[0]).sections
    return TemplateDiff((*sections, *compare_proposals(before[1], after[1])))


def compare_rounds(before: Round, after: Round) -> TemplateDiff:
    """The differences between two rounds of a case."""
    return compare_texts((before.template, before.proposed_profile), (after.template, after.proposed_profile))
