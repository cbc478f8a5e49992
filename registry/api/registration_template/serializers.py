"""The registration template in requests and responses: its sections, and how a plain text was read."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import SkipField

from registry.registration_template import SECTIONS, Registrant, RegistrationTemplate
from registry.registration_template.normal_form import MAX_VERSION
from registry.registration_template.parsing.parser import ParsedTemplate, ParserRemark, UnplacedLine
from registry.registration_template.section import Required, Section, SectionFormat

_BY_REGISTRY = "Set by the registry."


def _about(section: Section) -> str:
    """The description of a section."""
    place = section.rfc_section if section.rfc_section[0].isalpha() else f"Section {section.rfc_section}"
    remark = f" {_BY_REGISTRY}" if section.format is SectionFormat.VERSION else ""
    return f"The section “{section.title}” (RFC 8141, {place}).{remark}"


class RegistrantSerializer(serializers.Serializer[Registrant]):
    """The Registrant section."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {
            each.name: serializers.CharField() if each.type is str else serializers.BooleanField()
            for each in fields(Registrant)
        }


class CommitmentSerializer(serializers.Serializer[Any]):
    """The salted digest of a field of the registrant. The salt is null if the field was erased."""

    salt = serializers.CharField(allow_null=True)
    digest = serializers.CharField()


class CommitmentsField(serializers.DictField):
    """The commitments of a stored template, by the names of the fields."""

    child = CommitmentSerializer()

    def __init__(self, **options: Any) -> None:
        super().__init__(read_only=True, help_text="By field of the registrant; see “Digests”.", **options)


class SectionsSerializer(serializers.Serializer[RegistrationTemplate]):
    """The sections in the order of the template. An empty section is an empty text."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {
            section.key: _FIELDS.get(section.format, serializers.CharField)(help_text=_about(section))
            for section in SECTIONS
        }


_FIELDS: Mapping[SectionFormat, type[serializers.Field[Any, Any, Any, Any]]] = {
    SectionFormat.VERSION: serializers.IntegerField,
    SectionFormat.REGISTRANT: RegistrantSerializer,
}


def sections_request_schema(*, text: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of sections in a request: all are optional, unknown ones are rejected. `text` is that of a text."""
    registrant = {each.name: text for each in fields(Registrant)} | {
        "fast_track": {"type": "boolean", "description": _BY_REGISTRY}
    }
    schemas = {
        SectionFormat.VERSION: {
            "type": ["integer", "null"],
            "minimum": 0,
            "maximum": MAX_VERSION,
        },
        SectionFormat.REGISTRANT: {
            "type": "object",
            "properties": registrant,
            "additionalProperties": False,
        },
    }
    properties = {
        section.key: {"description": _about_in_request(section), **schemas.get(section.format, text)}
        for section in SECTIONS
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _about_in_request(section: Section) -> str:
    """The description, and when a submission needs the section. A draft may lack every section."""
    match section.required:
        case Required.NEVER:
            return _about(section)
        case Required.ALWAYS:
            return f"{_about(section)} A submission needs it."
        case _:
            return f"{_about(section)} A submission needs it {section.required}."


@extend_schema_field(sections_request_schema(text={"type": "string"}))
class SectionsField(serializers.JSONField):
    """The sections of the template. Omitted sections are empty."""


@extend_schema_field(sections_request_schema(text={"type": ["string", "null"]}))
class ChangedSectionsField(serializers.JSONField):
    """The sections to change. Null empties a section."""


class UnplacedLineSerializer(serializers.Serializer[UnplacedLine]):
    """A line that belongs to no section of the template, and the reason."""

    line = serializers.IntegerField()
    text = serializers.CharField()
    reason = serializers.CharField()


class ReadingRemarkSerializer(serializers.Serializer[ParserRemark]):
    """A remark on how a line was read."""

    line = serializers.IntegerField()
    message = serializers.CharField()


class TemplateReadingSerializer(serializers.Serializer[ParsedTemplate]):
    """How the plain text of a template was read: as the form of RFC 8141 or of RFC 3406.

    As a field it renders `reading` of the context. Without it, the member is omitted.
    """

    form = serializers.ChoiceField(choices=["8141", "3406"])
    unplaced = UnplacedLineSerializer(many=True, source="unplaced_notes", help_text="The first 300 lines.")
    left_out = serializers.IntegerField(help_text="The number of unplaced lines that are not listed.")
    remarks = ReadingRemarkSerializer(many=True)

    def get_attribute(self, instance: Any) -> ParsedTemplate:
        reading: ParsedTemplate | None = self.context.get("reading")
        if reading is None:
            raise SkipField
        return reading
