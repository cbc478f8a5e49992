"""The fields that a register declares, and their values, in requests and responses."""

from typing import Any

from rest_framework import serializers

from registry.api.framework.actions import RequestField, description_of, request_field
from registry.api.framework.fields import (
    NullableCharField,
    StrictBooleanField,
    StrictCharField,
    StrictSerializer,
    body_choice,
)
from registry.registers.fields import FieldKind, RegisterField
from registry.registers.inputs import FieldDeclarations, FieldValues

NAME = "The name of the field, by which values are given. It stays if the label changes."
LABEL = "What people read at the field."
KIND = "What a value is."
CHOICES = "The values of a field of the kind `choice`; empty for others."
REQUIRED = "Whether each entry needs a value."


class RegisterFieldSerializer(serializers.Serializer[RegisterField]):
    """A field that a register declares for its entries."""

    name = serializers.CharField(help_text=NAME)
    label = serializers.CharField(help_text=LABEL)  # type: ignore[assignment]  # a member of the JSON
    help = NullableCharField(help_text="What people should know to fill it in; null without.")
    kind = serializers.ChoiceField(choices=FieldKind.choices, help_text=KIND)
    choices = serializers.ListField(child=serializers.CharField(), help_text=CHOICES)
    required = serializers.BooleanField(help_text=REQUIRED)  # type: ignore[assignment]  # a member of the JSON


class RegisterFieldRequestSerializer(StrictSerializer):
    """A field that a register declares, in a request."""

    name = StrictCharField(default="", help_text=f"{NAME} Leave it out for a new field.")
    label = StrictCharField(help_text=LABEL)  # type: ignore[assignment]  # a member of the JSON
    help = StrictCharField(default="", help_text="What people should know to fill it in.")
    kind = body_choice(FieldKind.choices, default=FieldKind.TEXT.value, help_text=KIND)
    choices = serializers.ListField(child=StrictCharField(), default=list, help_text=CHOICES)
    required = StrictBooleanField(default=False, help_text=REQUIRED)  # type: ignore[assignment]  # a member of the JSON


def values_field(help_text: str, **more: Any) -> serializers.DictField:
    """Values by the names of their fields."""
    return serializers.DictField(child=StrictCharField(), help_text=help_text, **more)


@request_field.register
def _(parameter: FieldDeclarations) -> RequestField:
    return RegisterFieldRequestSerializer(many=True, help_text=description_of(parameter))


@request_field.register
def _(parameter: FieldValues) -> RequestField:
    return values_field(description_of(parameter), default=dict)
