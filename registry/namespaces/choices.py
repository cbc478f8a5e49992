"""The input of actions that name a registered namespace."""

from dataclasses import dataclass
from typing import Any

from django import forms

from registry.accounts.models import User
from registry.actions.parameters import Parameter
from registry.namespaces.models import Namespace
from registry.namespaces.queries import NotRegistered, get_namespace


class NamespaceField(forms.CharField):
    """A case-insensitive NID. The cleaned value is the namespace, or None."""

    def clean(self, value: str) -> Namespace | None:
        nid = super().clean(value)
        try:
            return get_namespace(nid.lower()) if nid else None
        except NotRegistered as fault:
            raise forms.ValidationError(str(fault), code="not_registered") from fault


@dataclass(frozen=True, slots=True)
class NamespaceChoice(Parameter):
    """Another registered namespace, by its NID; None without one."""

    def form_field(self, subject: Any, by: User) -> forms.Field:
        return NamespaceField(
            label=self.label,
            help_text=self.help_text,
            max_length=32,
            required=False,
            widget=forms.TextInput({"autocapitalize": "none", "spellcheck": "false"}),
        )
