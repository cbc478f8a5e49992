"""Read the template in a request: sections as JSON, or plain text."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from registry.api.schema.operations import with_problem_members
from registry.api.schema.problem_serializers import FieldErrorSerializer, ProblemSerializer
from registry.core.exceptions import RegistryError
from registry.registration_template.exceptions import InvalidTemplate, UnreadableTemplate
from registry.registration_template.parsing.parser import ParsedTemplate, parse_template
from registry.registration_template.template import RegistrationTemplate


class SectionsProblemSerializer(ProblemSerializer):
    """Sections that cannot be stored."""

    errors = FieldErrorSerializer(many=True)  # type: ignore[assignment]  # a serializer's own `errors` is not used


class TemplateProblemSerializer(ProblemSerializer):
    """A text that is not a template. `line` is null if the error is not in one line."""

    line = serializers.IntegerField(allow_null=True)


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
