"""The inputs of actions that name a registered namespace, or state a profile."""

from dataclasses import dataclass
from typing import Any

from django import forms

from registry.accounts.models import User
from registry.actions.parameters import IDENTIFIER, FieldParameter
from registry.core.validators import BodySize
from registry.namespaces.models import Namespace
from registry.namespaces.queries import NotRegistered, get_namespace
from urnsyntax.profiles.collection import MAX_FILE_SIZE


class NamespaceField(forms.CharField):
    """A case-insensitive NID. The cleaned value is the namespace, or None."""

    def clean(self, value: str) -> Namespace | None:
        nid = super().clean(value)
        try:
            return get_namespace(nid.lower()) if nid else None
        except NotRegistered as fault:
            raise forms.ValidationError(str(fault), code="not_registered") from fault


@dataclass(frozen=True, slots=True)
class NamespaceChoice(FieldParameter):
    """Another registered namespace, by its NID; None without one."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return NamespaceField(
            label=self.label,
            help_text=self.help_text,
            max_length=32,
            required=False,
            widget=forms.TextInput(IDENTIFIER),
        )


@dataclass(frozen=True, slots=True)
class OwnNamespaces(FieldParameter):
    """Namespaces of which the person is the registrant. By default, the page proposes all of them."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        held = Namespace.objects.filter(registrant=by).order_by("nid")
        return forms.ModelMultipleChoiceField(
            held,
            label=self.label,
            initial=held,
            widget=forms.CheckboxSelectMultiple,
            error_messages={"required": "Choose at least one namespace."},
        )


@dataclass(frozen=True, slots=True)
class ProfileDocument(FieldParameter):
    """A profile as a document: TOML on a page, JSON in a request; None without one."""

    @property
    def body_size(self) -> BodySize:
        return BodySize.TEXTS

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return forms.CharField(
            label=self.label,
            help_text=self.help_text,
            max_length=MAX_FILE_SIZE,
            required=False,
            widget=forms.Textarea({"rows": 30, **IDENTIFIER}),
        )
