"""The registration template in requests and responses: reading it as JSON or plain text, and comparing two."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from http import HTTPStatus
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import SkipField

from registry.api.framework.fields import QueryIntegerField
from registry.api.schema.operations import with_problem_members
from registry.api.schema.problems import ERRORS, FieldErrorSerializer, ProblemSerializer
from registry.core.exceptions import RegistryError
from registry.registration_template import SECTIONS, Registrant
from registry.registration_template.diff import Change as Difference
from registry.registration_template.diff import DiffLine
from registry.registration_template.exceptions import InvalidTemplate, UnreadableTemplate
from registry.registration_template.normal_form import MAX_VERSION
from registry.registration_template.parsing.parser import (
    ParsedTemplate,
    ParserRemark,
    UnplacedLine,
    parse_template,
)
from registry.registration_template.restoration.changes import Change, Kind
from registry.registration_template.sections import Required, Section, SectionFormat
from registry.registration_template.template import RegistrationTemplate

_BY_REGISTRY = "Set by the registry."


def _about(section: Section) -> str:
    """The description of a section."""
    place = section.rfc_section if section.rfc_section[0].isalpha() else f"Section {section.rfc_section}"
    remark = f" {_BY_REGISTRY}" if section.format is SectionFormat.VERSION else ""
    return f"The section “{section.title}” (RFC 8141, {place}).{remark}"


REGISTRANT = {
    "organization": "The organisation that registers the namespace.",
    "address": "The address of the registrant.",
    "contact_person": "The contact person, or a role.",
    "email": "The e-mail address.",
    "phone": "The phone number.",
    "postal_address": "The postal address.",
    "fast_track": "Whether the fast-track procedure is requested (RFC 8141, Section 6.3).",
    "other": "Further information on the registrant.",
}


class RegistrantSerializer(serializers.Serializer[Registrant]):
    """The Registrant section."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {
            each.name: (serializers.CharField if each.type is str else serializers.BooleanField)(
                help_text=REGISTRANT[each.name]
            )
            for each in fields(Registrant)
        }


class CommitmentSerializer(serializers.Serializer[Any]):
    """The salted digest of a field of the registrant. The salt is null if the field was erased."""

    salt = serializers.CharField(
        allow_null=True, help_text="The salt, in hexadecimal digits; null if the field was erased."
    )
    digest = serializers.CharField(help_text="The SHA-256 digest, in hexadecimal digits; see “Digests”.")


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
    registrant = {name: text | {"description": about} for name, about in REGISTRANT.items()} | {
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

    line = serializers.IntegerField(help_text="The number of the line, from 1.")
    text = serializers.CharField(help_text="The line.")
    reason = serializers.CharField(help_text="Why the line belongs to no section.")


class ReadingRemarkSerializer(serializers.Serializer[ParserRemark]):
    """A remark on how a line was read."""

    line = serializers.IntegerField(help_text="The number of the line, from 1.")
    message = serializers.CharField(help_text="What was found, and what to do.")


DAMAGES = [each.value for each in Kind]


class ReadingChangeSerializer(serializers.Serializer[Change]):
    """All damage of one kind that was undone before the text was read."""

    kind = serializers.ChoiceField(choices=DAMAGES, help_text="The kind of damage.")
    lines = serializers.ListField(
        child=serializers.IntegerField(), help_text="The lines of the text that was sent, from 1."
    )
    before = serializers.CharField(help_text="What was there, in one of the lines.")
    after = serializers.CharField(allow_blank=True, help_text="What it became; empty if it was removed.")
    is_certain = serializers.BooleanField(help_text="False if it may have been no damage. Check it.")
    message = serializers.CharField(help_text="What was done, and where.")


class TemplateReadingSerializer(serializers.Serializer[ParsedTemplate]):
    """How the plain text of a template was read: as the form of RFC 8141 or of RFC 3406.

    As a field it renders `reading` of the context. Without it, the member is omitted.
    """

    form = serializers.ChoiceField(
        choices=["8141", "3406"], help_text="The form of the template: that of RFC 8141 or of RFC 3406."
    )
    unplaced = UnplacedLineSerializer(many=True, source="unplaced_notes", help_text="The first 300 lines.")
    left_out = serializers.IntegerField(help_text="The number of unplaced lines that are not listed.")
    remarks = ReadingRemarkSerializer(many=True, help_text="Remarks on how lines were read.")
    changes = ReadingChangeSerializer(
        many=True,
        help_text="The damage that was undone, such as quote marks of a mail. Sections in JSON are taken as they are.",
    )

    def get_attribute(self, instance: Any) -> ParsedTemplate:
        reading: ParsedTemplate | None = self.context.get("reading")
        if reading is None:
            raise SkipField
        return reading


class SectionsProblemSerializer(ProblemSerializer):
    """Sections that cannot be stored."""

    # A serializer's own `errors` is not used.
    errors = FieldErrorSerializer(many=True, help_text=ERRORS)  # type: ignore[assignment]


class TemplateProblemSerializer(ProblemSerializer):
    """A text that is not a template. `line` is null if the error is not in one line."""

    line = serializers.IntegerField(allow_null=True, help_text="The number of the line, from 1.")


@with_problem_members(SectionsProblemSerializer)
class SectionsRefused(RegistryError):
    """A section cannot be stored: it is not a text, is too long, or contains an invalid character."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Invalid sections"

    def __init__(self, fault: InvalidTemplate) -> None:
        super().__init__(str(fault))
        pointer = f"#/sections/{fault.section}" if fault.section else "#/sections"
        self.members = {"errors": [{"pointer": pointer, "detail": str(fault)}]}


@with_problem_members(TemplateProblemSerializer)
class TemplateUnreadable(RegistryError):
    """The text is not one completed template. `line` is the line of the error, if it is in one line."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Unreadable template"

    def __init__(self, fault: UnreadableTemplate) -> None:
        super().__init__(str(fault))
        self.members = {"line": fault.line}


def read_sections(sections: Any) -> RegistrationTemplate:
    """The template with these sections. Raises ValidationError or SectionsRefused."""
    if not isinstance(sections, Mapping):
        raise ValidationError({"sections": ["This must be an object with the sections of the template."]})
    try:
        return RegistrationTemplate.from_json(sections)
    except InvalidTemplate as fault:
        raise SectionsRefused(fault) from fault


def read_template(text: str) -> ParsedTemplate:
    """The template in a plain text. Raises TemplateUnreadable or SectionsRefused."""
    try:
        return parse_template(text)
    except UnreadableTemplate as fault:
        raise TemplateUnreadable(fault) from fault
    except InvalidTemplate as fault:
        raise SectionsRefused(fault) from fault


CHANGES = [each.value for each in Difference]
Compared = TypeVar("Compared", bound=Model)


class ChangedLineSerializer(serializers.Serializer[DiffLine]):
    """A line of a comparison, or a paragraph, however it is wrapped. A folded line represents `count` unchanged ones."""

    change = serializers.ChoiceField(choices=CHANGES, help_text="How the texts differ here.")
    before = serializers.CharField(
        allow_blank=True, source="before_text", help_text="The line in the first text."
    )
    after = serializers.CharField(
        allow_blank=True, source="after_text", help_text="The line in the second text."
    )
    count = serializers.IntegerField(help_text="The number of lines that the entry represents.")


class ChangedSectionSerializer(serializers.Serializer[Any]):
    """A section that differs, line by line."""

    section = serializers.CharField(
        source="key", help_text="The section that contains the rule, or the key of a section of the template."
    )
    title = serializers.CharField(help_text="A short title.")
    change = serializers.ChoiceField(choices=CHANGES, help_text="How the texts differ here.")
    lines = ChangedLineSerializer(many=True, help_text="The lines of the section, with those that differ.")


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": MAX_VERSION})
class ComparedNumberField(QueryIntegerField):
    """The number of a version or of a round."""


class ComparisonQuerySerializer(serializers.Serializer[Any]):
    """The two that are compared; by default the latest two."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        texts = {
            "from": "The number of the text to begin with; by default the last but one. It may be greater than `to`: what was "
            "added is then removed, and the other way round.",
            "to": "The number of the text to end with; by default the last.",
        }
        return {
            name: ComparedNumberField(min_value=1, max_value=MAX_VERSION, required=False, help_text=text)
            for name, text in texts.items()
        }


class ComparisonSerializer(serializers.Serializer[Any]):
    """The differences from one text to another. `changes` contains the sections that differ."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {
            "from": serializers.IntegerField(
                source="older", help_text="The number of the text that the comparison begins with."
            ),
            "to": serializers.IntegerField(
                source="newer", help_text="The number of the text that it ends with."
            ),
            "changes": ChangedSectionSerializer(
                many=True,
                source="comparison.changed",
                help_text="The sections that differ, in the order of the template.",
            ),
        }


def chosen_pair(
    parameters: Mapping[str, int], rows: QuerySet[Compared], key: str, numbers: Sequence[int]
) -> tuple[Compared, Compared]:
    """The two rows that are compared; no other one is read. `numbers` are those in the column `key`, two at least.

    Raises KeyError with a number that is not among them.
    """
    chosen = parameters.get("from", numbers[-2]), parameters.get("to", numbers[-1])
    found = {getattr(row, key): row for row in rows.filter(**{f"{key}__in": chosen})}
    return found[chosen[0]], found[chosen[1]]
