"""The history of a draft, of which any text can be restored, and comparison of drafts, rounds and profiles with each
other.

The changes of one editor within a few minutes are one version, unless they empty a section or replace much of the text.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from registry.accounts.models import User
from registry.cases.models import Case, DraftChange, DraftVersion, Round
from registry.namespaces.models import Revision
from registry.namespaces.proposals.applying import as_proposed
from registry.namespaces.proposals.proposed_profile import PREFIX, ProposedProfile, compare_proposals
from registry.registration_template.diff import SectionDiff, TemplateDiff, compare_templates, format_diff
from registry.registration_template.template import RegistrationTemplate

ComparedTexts = tuple[RegistrationTemplate, ProposedProfile]


def compare_texts(before: ComparedTexts, after: ComparedTexts) -> TemplateDiff:
    """The sections of the templates, then the members of the proposed profiles."""
    sections = compare_templates(before[0], after[0]).sections
    return TemplateDiff((*sections, *compare_proposals(before[1], after[1])))


def compare_rounds(before: Round, after: Round) -> TemplateDiff:
    """The differences between two rounds of a case."""
    return compare_texts((before.template, before.proposed_profile), (after.template, after.proposed_profile))


def texts_to_change(case: Case) -> ComparedTexts | None:
    """The texts that the next round changes: those of the previous round or, before the first one, of the version that it
    revises, with the current profile. None for a new namespace.
    """
    if case.latest_round:
        return case.latest_round.template, case.latest_round.proposed_profile
    registered = revised_version(case)
    if registered is None or case.namespace is None:
        return None
    return registered.template, as_proposed(case.namespace.current_profile)


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


MAX_VERSIONS = 50
_COALESCED_FOR = timedelta(minutes=5)
_CONTINUED = {DraftChange.EDITED, DraftChange.REPLACED}
# Characters whose removal begins a new version.
_MUCH = 100
Texts = dict[str, Any]


def texts_of(case: Case) -> Texts:
    """What a version holds, by the keys of sections and the names of members of the profile."""
    stated = {f"{PREFIX}{key}": text for key, text in case.draft_profile.items()}
    return {**case.draft, **stated}


def keep_version(case: Case, before: Texts, *, by: User, change: DraftChange = DraftChange.EDITED) -> None:
    """Keep the text of the draft, which was `before`. The caller has locked the case and saves it."""
    after = texts_of(case)
    changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    if not changed and change is DraftChange.EDITED:
        return
    if change is DraftChange.EDITED and any(
        _removes_much(before.get(key), after.get(key)) for key in changed
    ):
        change = DraftChange.REPLACED
    rows, now = DraftVersion.objects.filter(case=case), timezone.now()
    last = None if change is DraftChange.STARTED else rows.defer("draft", "profile").first()
    if last is None and before:
        last = _keep_first(case, before)
    if last is not None and change is DraftChange.EDITED and _continues(last, by):
        changed = sorted({*last.changed, *changed})
        rows.filter(pk=last.pk).update(
            draft=case.draft, profile=case.draft_profile, changed=changed, saved_at=now
        )
        return
    number = last.number + 1 if last else 1
    rows.create(
        case=case,
        number=number,
        change=change,
        changed=sorted(changed),
        draft=case.draft,
        profile=case.draft_profile,
        editor=by,
    )
    if number > MAX_VERSIONS:
        rows.filter(number__lte=number - MAX_VERSIONS).delete()


def _keep_first(case: Case, texts: Texts) -> DraftVersion:
    """Keep the text of a draft without a history: after a restore from escrow, or after an erasure deleted it."""
    stated = {key.removeprefix(PREFIX): text for key, text in texts.items() if key.startswith(PREFIX)}
    draft = {key: text for key, text in texts.items() if not key.startswith(PREFIX)}
    saved = case.draft_saved_at
    return DraftVersion.objects.create(
        case=case,
        number=1,
        change=DraftChange.STARTED,
        draft=draft,
        profile=stated,
        editor=case.registrant,
        began_at=saved,
        saved_at=saved,
    )


def _continues(last: DraftVersion, by: User) -> bool:
    is_recent = timezone.now() - last.began_at < _COALESCED_FOR
    return is_recent and last.editor_id == by.pk and last.change in _CONTINUED


def _removes_much(before: Any, after: Any) -> bool:
    """Whether a section is emptied, or a large part of it is replaced or removed."""
    old, new = _plain(before), _plain(after)
    if not old or not new:
        return bool(old)
    shorter = min(len(old), len(new))
    start = _shared_length(old, new, shorter)
    end = _shared_length(old[::-1], new[::-1], shorter - start)
    return len(old) - start - end >= _MUCH


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(filter(None, map(_plain, value.values())))
    return str(value) if value else ""


def _shared_length(one: str, other: str, longest: int) -> int:
    """The length of the longest common beginning, at most `longest`."""
    low, high = 0, longest
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(other[:middle]):
            low = middle
        else:
            high = middle - 1
    return low
