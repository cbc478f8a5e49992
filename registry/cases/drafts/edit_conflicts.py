"""When two write one draft at once: how what was typed differs from what somebody saved meanwhile, and
taking what is saved, section by section. Nobody's words are overwritten unseen.
"""

from dataclasses import dataclass

from django.http import QueryDict

from registry.cases.drafts.replies import DraftReply, replies_in
from registry.cases.forms.drafts import DraftForm, belongs, initial_values
from registry.cases.models import ActionPoint, Case
from registry.registration_template.diff import TemplateDiff, compare_templates
from registry.registration_template.sections import SECTION_BY_KEY

# What a draft holds besides sections, under the names by which it is taken from what is saved.
ANSWERS = "answers"
STANDARDS_ACTION = "standards_action"


@dataclass(frozen=True, slots=True)
class OtherReply:
    """An answer to an action point that differs between what is saved and what was typed."""

    point: ActionPoint
    saved: DraftReply
    typed: DraftReply


@dataclass(frozen=True, slots=True)
class Conflict:
    """What is saved now on one side, what was typed on the other."""

    saved: Case
    changes: TemplateDiff
    replies: tuple[OtherReply, ...]
    has_other_standards_action: bool

    @property
    def stamp(self) -> int:
        """What to save with, to put what was typed in the place of what is saved."""
        return self.saved.draft_stamp


def conflict_of(form: DraftForm, saved: Case) -> Conflict:
    """How the words in a valid form differ from the draft `saved`."""
    there = replies_in(saved)
    pairs = (
        OtherReply(point, there.get(point.pk, DraftReply()), form.replies.get(point.pk, DraftReply()))
        for point in form.points
    )
    typed = form.cleaned_data.get(STANDARDS_ACTION, saved.standards_action)
    return Conflict(
        saved=saved,
        changes=compare_templates(saved.draft_template, form.text),
        replies=tuple(pair for pair in pairs if pair.saved != pair.typed),
        has_other_standards_action=typed != saved.standards_action,
    )


def with_saved(posted: QueryDict, form: DraftForm, key: str) -> QueryDict:
    """What was posted, with one section, the answers, or the standards action as the draft is saved now."""
    saved = initial_values(form.case, form.case.draft_template)
    changed = posted.copy()
    for name in form.fields:
        if _is_of(name, key):
            changed[name] = str(saved.get(name) or "")
    return changed


def _is_of(name: str, key: str) -> bool:
    if key == ANSWERS:
        return name.startswith("point_")
    if section := SECTION_BY_KEY.get(key):
        return belongs(name, section)
    return name == key == STANDARDS_ACTION
