"""The fields of the parameters of an action."""

from functools import singledispatch

from django import forms

from registry.cases.models import Case
from registry.cases.workflow.parameters import (
    Address,
    BooleanOption,
    Choice,
    CoEditorAddress,
    InvitedAddress,
    Parameter,
    Stamp,
    Text,
)


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
