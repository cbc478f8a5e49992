"""The data of the review page, by section, in a fixed number of queries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from registry.accounts.models import User
from registry.cases.case_detail import RoundDetail, SectionOfRound, ThreadComment, rounds_of
from registry.cases.drafts.history import RevisionChanges, changes_to_registered
from registry.cases.findings import current_profile, findings_on_proposal, trial_of_services
from registry.cases.models import ActionPoint, Case
from registry.namespaces.proposals.applying import as_proposed, completed
from registry.namespaces.proposals.proposed_profile import compare_proposals
from registry.namespaces.proposals.trials import Trial
from registry.registration_template.checks.findings import Finding
from registry.registration_template.diff import Change, SectionDiff, compare_templates
from registry.review_desk.experts.checklist import ChecklistQuestion, questions_in_section
from registry.review_desk.experts.marks import Mark, current_marks, own_marks
from registry.review_desk.models import ChecklistMark


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """A question with the marks of this expert and of others."""

    question: ChecklistQuestion
    mark: Mark
    is_from_earlier: bool
    others: tuple[ChecklistMark, ...]


@dataclass(frozen=True, slots=True)
class EarlierPoint:
    """An action point of an earlier round. `point.reply` is its reply, if there is one."""

    round_number: int
    point: ActionPoint


@dataclass(frozen=True, slots=True)
class ReviewSection:
    """One section of the latest round with its data."""

    round_section: SectionOfRound
    # The threads of all rounds, oldest first.
    comments: tuple[ThreadComment, ...]
    # From the previous round, and from the registered version.
    difference: SectionDiff | None
    revision_difference: SectionDiff | None
    points: tuple[EarlierPoint, ...]
    checklist: tuple[ChecklistItem, ...]
    # From the previous round or, in the first one, from the registered version.
    is_changed: bool

    @property
    def key(self) -> str:
        return self.round_section.section.key

    @property
    def ticked(self) -> int:
        return sum(each.mark.is_ticked for each in self.checklist)


@dataclass(frozen=True, slots=True)
class ReviewWorkspace:
    """The latest round, its sections, its proposed profile, and the rounds of the case, the latest first."""

    latest: RoundDetail
    rounds: tuple[RoundDetail, ...]
    revision_changes: RevisionChanges | None
    sections: tuple[ReviewSection, ...]
    profile_changes: tuple[SectionDiff, ...]
    trial: Trial | None
    profile_findings: tuple[Finding, ...]
    # Identifies the newest save of the ticks and notes of this expert.
    stamp: str

    @property
    def general_comments(self) -> list[ThreadComment]:
        """The threads of all rounds on the whole template, oldest first."""
        return [comment for each in reversed(self.rounds) for comment in each.comments_on_whole]

    @property
    def reviewed(self) -> list[RoundDetail]:
        """The rounds with reviews, latest first."""
        return [each for each in self.rounds if each.reviews]

    @property
    def checklist(self) -> list[ChecklistItem]:
        return [item for section in self.sections for item in section.checklist]

    @property
    def ticked(self) -> int:
        return sum(section.ticked for section in self.sections)

    @property
    def open_findings(self) -> list[Finding]:
        """The findings on the text that are not dismissed, and those on the proposed profile."""
        of_text = (finding for section in self.sections for finding in section.round_section.findings)
        return [*of_text, *self.profile_findings]

    @property
    def previous(self) -> RoundDetail | None:
        return self.rounds[1] if len(self.rounds) > 1 else None


def workspace_for(case: Case, user: User) -> ReviewWorkspace:
    """The review page of a submitted case for `user`."""
    rounds = tuple(rounds_of(case))
    latest, *earlier = rounds
    marks = list(ChecklistMark.objects.filter(round__case=case).select_related("expert"))
    changes = {}
    if earlier:
        before, after = earlier[0].round.template, latest.round.template
        changes = {each.key: each for each in compare_templates(before, after).sections}
    revision_changes = changes_to_registered(case, latest.round)
    return ReviewWorkspace(
        latest,
        rounds,
        revision_changes,
        tuple(
            _section(each, rounds, (changes.get(each.section.key), revision_changes), marks, user)
            for each in latest.sections
        ),
        _profile_changes(case, latest, earlier),
        trial_of_services(case, latest.round.template, latest.round.proposed_profile),
        findings_on_proposal(case, latest.round),
        own_marks([each.round for each in rounds], marks, user).stamp,
    )


def with_marks(workspace: ReviewWorkspace, typed: Mapping[str, Mark]) -> ReviewWorkspace:
    """The same with these ticks and notes, by question."""

    def section(each: ReviewSection) -> ReviewSection:
        items = (replace(item, mark=typed.get(item.question.key, item.mark)) for item in each.checklist)
        return replace(each, checklist=tuple(items))

    return replace(workspace, sections=tuple(map(section, workspace.sections)))


def _profile_changes(
    case: Case, latest: RoundDetail, earlier: Sequence[RoundDetail]
) -> tuple[SectionDiff, ...]:
    """The differences from the previous round, or in the first round of a revision from the current profile."""
    if not earlier and not (latest.round.profile and current_profile(case)):
        return ()
    current = None if earlier else current_profile(case)
    before = earlier[0].round.proposed_profile if earlier else as_proposed(current)
    changes = compare_proposals(before, completed(latest.round.proposed_profile, current))
    return tuple(each for each in changes if each.change is not Change.SAME)


def _section(
    round_section: SectionOfRound,
    rounds: Sequence[RoundDetail],
    differences: tuple[SectionDiff | None, RevisionChanges | None],
    marks: Iterable[ChecklistMark],
    user: User,
) -> ReviewSection:
    key = round_section.section.key
    points = tuple(
        EarlierPoint(each.round.number, point)
        for each in rounds[1:]
        for earlier in each.sections
        if earlier.section.key == key
        for point in earlier.points
    )
    difference, revision_changes = differences
    difference = difference if difference and difference.change is not Change.SAME else None
    revised = revision_changes.in_section(key) if revision_changes else None
    checklist = tuple(
        _checklist_item(question, rounds, marks, user) for question in questions_in_section(key)
    )
    comments = tuple(
        comment
        for each in reversed(rounds)
        for earlier in each.sections
        if earlier.section.key == key
        for comment in earlier.comments
    )
    is_changed = bool(difference if len(rounds) > 1 else revised)
    return ReviewSection(round_section, comments, difference, revised, points, checklist, is_changed)


def _checklist_item(
    question: ChecklistQuestion, rounds: Sequence[RoundDetail], marks: Iterable[ChecklistMark], user: User
) -> ChecklistItem:
    """The marks on a question. Marks of earlier rounds apply as long as the section is unchanged."""
    current = current_marks([each.round for each in rounds], marks, question.key)
    own = next((each for each in current if each.expert_id == user.pk), None)
    mark = Mark(own.is_ticked, own.note) if own else Mark()
    others = {each.expert_id: each for each in reversed(current) if each.expert_id != user.pk}
    is_earlier = own is not None and own.round_id != rounds[0].round.pk
    return ChecklistItem(question, mark, is_earlier, tuple(others.values()))
