"""Comparison of templates: of drafts and rounds with the profiles proposed beside them, and of a revision with the
registered version.
"""

from dataclasses import dataclass

from registry.cases.models import Case, Round
from registry.namespaces.models import Revision
from registry.namespaces.proposals.proposed_profile import ProposedProfile, compare_proposals
from registry.registration_template.diff import SectionDiff, TemplateDiff, compare_templates, format_diff
from registry.registration_template.template import RegistrationTemplate

Texts = tuple[RegistrationTemplate, ProposedProfile]


def compare_texts(before: Texts, after: Texts) -> TemplateDiff:
    """The sections of the templates, then the members of the proposed profiles."""
    sections = compare_templates(before[0], after[0]).sections
    return TemplateDiff((*sections, *compare_proposals(before[1], after[1])))


def compare_rounds(before: Round, after: Round) -> TemplateDiff:
    """The differences between two rounds of a case."""
    return compare_texts((before.template, before.proposed_profile), (after.template, after.proposed_profile))


def changes_to_previous_round(case: Case, round_: Round) -> str:
    """The differences of a round from the round before it, as text; "" for the first round."""
    if round_.number == 1:
        return ""
    return format_diff(compare_rounds(case.rounds.get(number=round_.number - 1), round_))


def revised_version(case: Case) -> Revision | None:
    """The registered version that a revision changes, if its text is known; that of a new namespace is None."""
    if not case.is_revision or case.namespace is None:
        return None
    if case.revision is None:
        return case.namespace.latest
    earlier = case.namespace.revisions.filter(version__lt=case.revision.version)
    return earlier.order_by("-version").first()


@dataclass(frozen=True, slots=True)
class RevisionChanges:
    """The differences of a round from the registered version that it revises."""

    version: int
    diff: TemplateDiff

    @property
    def changed(self) -> tuple[SectionDiff, ...]:
        return self.diff.changed

    @property
    def text(self) -> str:
        return format_diff(self.diff)

    def in_section(self, key: str) -> SectionDiff | None:
        """The difference in one section, if there is one."""
        return next((each for each in self.changed if each.key == key), None)


def changes_to_registered(case: Case, round_: Round) -> RevisionChanges | None:
    """The differences of a round from the version that it revises; None if there is no such text."""
    registered = revised_version(case)
    if registered is None:
        return None
    return RevisionChanges(registered.version, compare_templates(registered.template, round_.template))
