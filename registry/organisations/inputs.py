"""The input of actions that people take for themselves, or for an organisation that they represent."""

from dataclasses import dataclass
from typing import Any

from django import forms

from registry.accounts.models import User
from registry.actions.parameters import Parameter
from registry.organisations.forms import OrganisationChoiceField
from registry.organisations.models import Part


@dataclass(frozen=True, slots=True)
class OrganisationChoice(Parameter):
    """An organisation that the person represents, or None for the person. Not shown to people who represent none."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        field = OrganisationChoiceField(label=self.label)
        if by is not None:
            field.offer(by, Part.REPRESENTATIVE)
        return field
