"""The form of an action, such as a transition, built from its parameters.

The cleaned fields are the arguments of the action. The action itself checks them, so that a page and the API
refuse the same text with the same message.
"""

from collections.abc import Iterator, Sequence
from functools import singledispatch
from typing import Any

from django import forms
from django.forms.formsets import BaseFormSet, formset_factory
from django.http import QueryDict

from registry.accounts.models import User
from registry.cases.forms.begin import SECTION_CHOICES, with_values
from registry.cases.models import Case
from registry.cases.workflow.definition import Action
from registry.cases.workflow.parameters import (
    MAX_ACTION_POINTS,
    ActionPoints,
    Address,
    BooleanOption,
    Choice,
    CoEditorAddress,
    InvitedAddress,
    Parameter,
    Stamp,
    Text,
)
from registry.core.text_limits import MAX_TEXT_LENGTH

ROWS_AT_FIRST = 3


@singledispatch
def form_field(parameter: Parameter, case: Case) -> forms.Field:
    """The field of a page for a parameter of an action."""
    raise TypeError(f"There is no form field for {type(parameter).__name__}.")


@form_field.register
def _(parameter: Stamp, case: Case) -> forms.Field:
    return forms.IntegerField(widget=forms.HiddenInput)


@form_field.register
def _(parameter: Text, case: Case) -> forms.Field:
    return text_field(parameter)


def text_field(parameter: Text) -> forms.CharField:
    return forms.CharField(
        label=parameter.label,
        help_text=parameter.help_text,
        widget=forms.Textarea({"rows": parameter.lines}) if parameter.lines > 1 else forms.TextInput,
        max_length=parameter.max_length,
        required=False,
    )


@form_field.register
def _(parameter: Address, case: Case) -> forms.Field:
    widget = forms.EmailInput({"autocomplete": "off"})
    return forms.CharField(
        label=parameter.label, widget=widget, max_length=parameter.max_length, required=False
    )


@form_field.register
def _(parameter: InvitedAddress, case: Case) -> forms.Field:
    invited = [invitation.email for invitation in case.invitations.order_by("pk")]
    return forms.ChoiceField(label=parameter.label, choices=[(email, email) for email in invited])


@form_field.register
def _(parameter: Choice, case: Case) -> forms.Field:
    return forms.TypedChoiceField(
        label=parameter.label,
        choices=[("yes", parameter.yes), ("no", parameter.no)],
        coerce=lambda value: value == "yes",
        widget=forms.RadioSelect,
    )


@form_field.register
def _(parameter: BooleanOption, case: Case) -> forms.Field:
    return forms.BooleanField(label=parameter.label, required=False)


@form_field.register
def _(parameter: CoEditorAddress, case: Case) -> forms.Field:
    people = {str(link.user.pk): link.user for link in case.co_editors.select_related("user")}
    return forms.TypedChoiceField(
        label="Co-editor",
        choices=[(key, str(person)) for key, person in people.items()],
        coerce=lambda key: people[key].email,
    )


class ActionForm(forms.Form):
    """The form of an action; `perform` carries it out."""

    def __init__(self, posted: Any = None, *, action: Action, case: Case, **kwargs: Any) -> None:
        self.action, self.case = action, case
        super().__init__(posted, initial=self.stamps(case), **kwargs)
        for parameter in self.parameters:
            self.fields[parameter.field_name] = form_field(parameter, case)

    @property
    def parameters(self) -> Sequence[Parameter]:
        """The parameters that have a field."""
        return [each for each in self.action.parameters if not isinstance(each, ActionPoints)]

    @property
    def is_submitted(self) -> bool:
        """Whether the person sent the form to take the action, not to add rows or a canned text."""
        return self.is_bound and not {"more", "insert"} & self.data.keys()

    def stamps(self, case: Case) -> dict[str, int]:
        """The hidden fields that identify what the person has seen."""
        stamps = (each for each in self.action.parameters if isinstance(each, Stamp))
        return {each.field_name: each.current(case) for each in stamps}

    def refresh_stamps(self, case: Case) -> None:
        """Keep the texts, and take the current stamps of `case`."""
        self.case = case
        self.data = with_values(self.data, **self.stamps(case))

    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of the action, from a valid form."""
        return {each.argument: self.cleaned_data[each.field_name] for each in self.parameters}

    def perform(self, *, by: User) -> Case:
        return self.action.action(self.case, by=by, **self.arguments())

    def entered_texts(self) -> Iterator[tuple[str, str]]:
        """The entered texts by label, for a page that can't show the form."""
        for field in self.visible_fields():
            if isinstance(field.field, forms.CharField) and (text := field.value()):
                yield str(field.label), str(text)


class ActionPointRow(forms.Form):
    section = forms.ChoiceField(choices=[("", "Choose a section"), *SECTION_CHOICES], required=False)
    text = forms.CharField(
        widget=forms.Textarea({"rows": 3}),
        max_length=MAX_TEXT_LENGTH,
        required=False,
        label="Requested change",
    )


def _action_points(
    posted: Any, drafted: Sequence[dict[str, str]] | None = None
) -> "BaseFormSet[ActionPointRow]":
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


class ActionPointsForm(ActionForm):
    """The form of an action with action points, which are rows of a formset."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        posted = self.data if self.is_bound else None
        self.action_points = _action_points(_with_more_rows(posted) if "more" in self.data else posted)

    def set_action_points(self, points: Sequence[dict[str, str]]) -> None:
        """Fill in action points that were drafted elsewhere."""
        self.action_points = _action_points(None, points[:MAX_ACTION_POINTS])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.action_points.is_valid():
            raise forms.ValidationError("Correct the action points below.")
        return cleaned

    def arguments(self) -> dict[str, Any]:
        rows = self.action_points.cleaned_data
        points = [(row["section"], row["text"]) for row in rows if any(row.values())]
        return super().arguments() | {"action_points": points}

    def entered_texts(self) -> Iterator[tuple[str, str]]:
        yield from super().entered_texts()
        for row in self.action_points:
            if text := row["text"].value():
                yield f"Action point ({row['section'].value() or 'no section'})", text


def _with_more_rows(posted: Any) -> QueryDict:
    count = posted.get("points-TOTAL_FORMS", "")
    rows = int(count) if count.isascii() and count.isdigit() and len(count) < 4 else 0
    total = {"points-TOTAL_FORMS": min(rows + ROWS_AT_FIRST, MAX_ACTION_POINTS), "points-INITIAL_FORMS": 0}
    return with_values(posted, **total)


def action_form(action: Action, posted: Any = None, *, case: Case, **kwargs: Any) -> ActionForm:
    """The form of `action`, bound to the posted fields, if any."""
    has_points = any(isinstance(each, ActionPoints) for each in action.parameters)
    form = ActionPointsForm if has_points else ActionForm
    return form(posted, action=action, case=case, **kwargs)
