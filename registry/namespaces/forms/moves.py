"""The form that moves namespaces of a person to an organisation."""

from typing import Any

from django import forms

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from registry.namespaces.services.moves import move_to_organisation
from registry.organisations.models import Organisation


class MoveForm(forms.Form):
    """The namespaces to move: by default all of the person."""

    namespaces = forms.ModelMultipleChoiceField(
        Namespace.objects.none(),
        label="Namespaces",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one namespace."},
    )

    def __init__(self, *args: Any, by: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        held = Namespace.objects.filter(registrant=by).order_by("nid")
        self.fields["namespaces"].queryset = held  # type: ignore[attr-defined]
        self.initial.setdefault("namespaces", [each.pk for each in held])

    def perform(self, organisation: Organisation, *, by: User) -> list[Namespace]:
        return move_to_organisation(self.cleaned_data["namespaces"], by=by, organisation=organisation)
