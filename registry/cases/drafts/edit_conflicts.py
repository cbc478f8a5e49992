"""Edit conflicts: the differences between the submitted and the saved draft, and the choice of the saved text for
single sections.
"""

from dataclasses import dataclass

from django.http import QueryDict

from registry.cases.drafts.drafts import with_current_date
from registry.cases.drafts.history import compare_texts
from registry.cases.drafts.replies import DraftReply, replies_in
from registry.cases.forms.drafts import DraftForm, belongs, initial_values
from registry.cases.models import ActionPoint, Case
from registry.namespaces.proposals.proposed_profile import MEMBERS
from registry.registration_template.diff import TemplateDiff
from registry.registration_template.sections import SECTION_BY_KEY

# The parts of a draft other than sections.
ANSWERS = "answers"
STANDARDS_ACTION = "standards_action"
SINGLE_FIELDS = {STANDARDS_ACTION, *(member.name for member in MEMBERS)}


@dataclass(frozen=True, slots=True)
class OtherReply:
    """An answer to an action point that differs between the saved and the submitted draft."""

    point: ActionPoint
    saved: DraftReply
    typed: DraftReply


@dataclass(frozen=True, slots=True)
class Conflict:
    """The differences between the saved and the submitted draft."""

    saved: Case
    changes: TemplateDiff
    replies: tuple[OtherReply, ...]
    has_other_standards_action: bool

    @property
    def stamp(self) -> int:
        """The stamp with which the submitted draft can replace the saved one."""
        return self.saved.draft_stamp


def conflict_of(form: DraftForm, saved: Case) -> Conflict:
    """The differences between a valid form and the draft `saved`."""
    there, template = replies_in(saved), with_current_date(saved, saved.draft_template)
    pairs = (
        OtherReply(point, there.get(point.pk, DraftReply()), form.replies.get(point.pk, DraftReply()))
        for point in form.points
    )
    typed = form.cleaned_data.get(STANDARDS_ACTION, saved.standards_action)
    return Conflict(
        saved=saved,
        changes=compare_texts((template, saved.proposed_profile), (form.text, form.proposed)),
        replies=tuple(pair for pair in pairs if pair.saved != pair.typed),
        has_other_standards_action=typed != saved.standards_action,
    )


def with_saved(posted: QueryDict, form: DraftForm, key: str) -> QueryDict:
    """The posted fields, with the saved values for one section, a member of the profile, the answers, or the standards
    action.
    """
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
    return name == key and key in SINGLE_FIELDS
