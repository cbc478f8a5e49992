"""A template that is sent: its sections as JSON, or the whole as plain text; and what was made of it."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from rest_framework.exceptions import ValidationError

from registry.core.exceptions import RegistryError
from registry.registration_template.diff import DiffLine, TemplateDiff
from registry.registration_template.exceptions import InvalidTemplate, UnreadableTemplate
from registry.registration_template.parsing.parser import ParsedTemplate, parse_template
from registry.registration_template.template import RegistrationTemplate


class SectionsRefused(RegistryError):
    """A section can't be kept: it holds something other than text, or a character or more than can be kept."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "These sections can't be kept"

    def __init__(self, fault: InvalidTemplate) -> None:
        super().__init__(str(fault))
        pointer = f"#/sections/{fault.section}" if fault.section else "#/sections"
        self.members = {"errors": [{"pointer": pointer, "detail": str(fault)}]}


class TemplateUnreadable(RegistryError):
    """The text is not one completed template; `line` says where that shows, if it shows in one place."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This can't be read as a template"

    def __init__(self, fault: UnreadableTemplate) -> None:
        super().__init__(str(fault))
        self.members = {"line": fault.line}


def read_sections(sections: Any) -> RegistrationTemplate:
    """Sections as JSON; absent ones are empty. Raises ValidationError or SectionsRefused."""
    if not isinstance(sections, Mapping):
        raise ValidationError({"sections": ["This has to be an object, with the sections of the template."]})
    try:
        return RegistrationTemplate.from_json(sections)
    except InvalidTemplate as fault:
        raise SectionsRefused(fault) from fault


def read_template(text: str) -> ParsedTemplate:
    """A template as plain text. Raises TemplateUnreadable or SectionsRefused."""
    try:
        return parse_template(text)
    except UnreadableTemplate as fault:
        raise TemplateUnreadable(fault) from fault
    except InvalidTemplate as fault:
        raise SectionsRefused(fault) from fault


def reading_to_json(parsed: ParsedTemplate) -> dict[str, Any]:
    """How a text was read: what has no place in the template, and what is worth knowing."""
    return {
        "form": parsed.form,
        "unplaced": [
            {"line": each.line, "text": each.text, "reason": each.reason} for each in parsed.unplaced
        ],
        "remarks": [{"line": each.line, "message": each.message} for each in parsed.remarks],
    }


def diff_to_json(difference: TemplateDiff) -> list[dict[str, Any]]:
    """The sections that differ, line by line."""
    return [
        {
            "section": section.key,
            "title": section.title,
            "change": section.change.value,
            "lines": [_line(each) for each in section.lines],
        }
        for section in difference.changed
    ]


def _line(line: DiffLine) -> dict[str, Any]:
    return {
        "change": line.change.value,
        "before": line.before_text,
        "after": line.after_text,
        "count": line.count,
    }
