"""The inputs of a webhook: its address, and which events are sent to it."""

from dataclasses import dataclass
from typing import Any

from django import forms

from registry.accounts.models import User
from registry.actions.parameters import IDENTIFIER, OPTIONAL_TEXT_REFUSALS, Text, Texts
from registry.core.exceptions import RegistryError
from registry.core.http.urls import TargetNotAllowed
from registry.core.validators import MAX_URL_LENGTH
from registry.events.events import PUBLIC_VERBS

MAX_NIDS_LENGTH = 5_000


@dataclass(frozen=True, slots=True)
class TargetAddress(Text):
    """The address of a program of the person, to which the registry sends requests."""

    max_length: int = MAX_URL_LENGTH

    @property
    def refusals(self) -> tuple[type[RegistryError], ...]:
        return (TargetNotAllowed, *OPTIONAL_TEXT_REFUSALS)

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return forms.CharField(
            label=self.label,
            help_text=self.help_text,
            max_length=self.max_length,
            widget=forms.URLInput({"autocomplete": "off"}),
        )


class NIDsField(forms.CharField):
    """NIDs, separated by spaces. The action checks them."""

    def clean(self, value: str) -> list[str]:
        return str(super().clean(value)).split()


@dataclass(frozen=True, slots=True)
class NIDs(Texts):
    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return NIDsField(
            label=self.label,
            help_text=f"Separated by spaces, such as “isbn issn”. {self.help_text}",
            max_length=MAX_NIDS_LENGTH,
            required=False,
            widget=forms.TextInput(IDENTIFIER),
        )


@dataclass(frozen=True, slots=True)
class Verbs(Texts):
    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return forms.MultipleChoiceField(
            label=self.label,
            help_text=self.help_text,
            choices=[(verb, verb) for verb in PUBLIC_VERBS],
            required=False,
            widget=forms.CheckboxSelectMultiple,
        )
