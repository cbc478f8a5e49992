"""The sections of a template as JSON (RFC 8141, Appendix A)."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from rest_framework import serializers

from registry.registration_template import SECTIONS, Registrant, RegistrationTemplate
from registry.registration_template.normal_form import MAX_VERSION
from registry.registration_template.sections import SectionFormat

_BY_REGISTRY = "Set by the registry."


class RegistrantSerializer(serializers.Serializer[Registrant]):
    """The registrant, as the registered template states it."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {
            each.name: serializers.CharField() if each.type is str else serializers.BooleanField()
            for each in fields(Registrant)
        }


class SectionsSerializer(serializers.Serializer[RegistrationTemplate]):
    """The sections in the template's order; an empty one is the empty text."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {section.key: _FIELDS.get(section.format, serializers.CharField)() for section in SECTIONS}


_FIELDS: Mapping[SectionFormat, type[serializers.Field[Any, Any, Any, Any]]] = {
    SectionFormat.VERSION: serializers.IntegerField,
    SectionFormat.REGISTRANT: RegistrantSerializer,
}


def sections_request_schema(*, text: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of sections in a request: all are optional, others are refused. `text` is that of a text."""
    registrant = {each.name: text for each in fields(Registrant)} | {
        "fast_track": {"type": "boolean", "description": _BY_REGISTRY}
    }
    schemas = {
        SectionFormat.VERSION: {
            "type": ["integer", "null"],
            "minimum": 0,
            "maximum": MAX_VERSION,
            "description": _BY_REGISTRY,
        },
        SectionFormat.REGISTRANT: {
            "type": "object",
            "properties": registrant,
            "additionalProperties": False,
        },
    }
    properties = {section.key: schemas.get(section.format, text) for section in SECTIONS}
    return {"type": "object", "properties": properties, "additionalProperties": False}
