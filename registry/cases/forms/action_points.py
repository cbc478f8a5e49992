"""The action points of a review as rows of a form."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.forms.formsets import BaseFormSet, formset_factory
from django.http import QueryDict

from registry.cases.forms.begin import SECTION_CHOICES
from registry.cases.workflow.parameters import MAX_ACTION_POINTS
from registry.core.form_recovery import with_values
from registry.core.text_limits import MAX_TEXT_LENGTH

ROWS_AT_FIRST = 3


class ActionPointRow(forms.Form):
    section = forms.ChoiceField(choices=[("", "Choose a section"), *SECTION_CHOICES], required=False)
    text = forms.CharField(
        widget=forms.Textarea({"rows": 3}),
        max_length=MAX_TEXT_LENGTH,
        required=False,
        label="Requested change",
    )


def action_point_rows(
    posted: Any, drafted: Sequence[dict[str, str]] | None = None
) -> "BaseFormSet[ActionPointRow]":
    """The rows, with what was posted or else with points that were drafted elsewhere."""
    blank = formset_factory(
        ActionPointRow,
        extra=ROWS_AT_FIRST,
        max_num=MAX_ACTION_POINTS,
        absolute_max=MAX_ACTION_POINTS * 2,
        validate_max=True,
    )
    too_many = f"A review can have at most {MAX_ACTION_POINTS} action points. Combine some of them."
    lost = "The form was incomplete. Submit it again from this page."
    return blank(
        posted,
        prefix="points",
        initial=drafted,
        error_messages={"too_many_forms": too_many, "missing_management_form": lost},
    )


def with_more_rows(posted: Any) -> QueryDict:
    count = posted.get("points-TOTAL_FORMS", "")
    rows = int(count) if count.isascii() and count.isdigit() and len(count) < 4 else 0
    total = {"points-TOTAL_FORMS": min(rows + ROWS_AT_FIRST, MAX_ACTION_POINTS), "points-INITIAL_FORMS": 0}
    return with_values(posted, **total)


def free_row(posted: QueryDict) -> int | None:
    """The first empty row of the action points; None if a review can't have more."""
    rows = range(MAX_ACTION_POINTS)
    fields = ("section", "text")
    return next((row for row in rows if not any(posted.get(f"points-{row}-{name}") for name in fields)), None)


def with_action_point(posted: QueryDict, section: str, text: str) -> QueryDict:
    """The posted fields with one more action point, in the first empty row, if there is one."""
    row = free_row(posted)
    if row is None:
        return posted
    values = {f"points-{row}-section": section, f"points-{row}-text": text, "points-INITIAL_FORMS": 0}
    total = posted.get("points-TOTAL_FORMS", "")
    rows = int(total) if total.isascii() and total.isdigit() and len(total) < 4 else 0
    return with_values(posted, **values, **{"points-TOTAL_FORMS": max(rows, row + 1)})
