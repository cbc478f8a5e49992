"""The registry with one more optional section in its declaration; run by `test_added_section`.

The arguments are files with templates; their digests are printed.
"""

import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

DECLARATION = """
    licensing: str = section(
        title="Licensing",
        rfc_section="6.4.7",
        required=Required.NEVER,
        guidance=("Which licence applies to the names?",),
        example="None applies.",
    )
"""
END_OF_DECLARATIONS = "\n\n\nSECTIONS = "


def declare_section() -> None:
    """Change how `sections.py` is read from now on."""
    original = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, name: str) -> CodeType | None:
        if name != "registry.registration_template.sections":
            return original(self, name)
        source = self.get_source(name) or ""
        assert source.count(END_OF_DECLARATIONS) == 1
        changed = source.replace(END_OF_DECLARATIONS, f"\n{DECLARATION}{END_OF_DECLARATIONS}")
        return self.source_to_code(changed, self.path)  # type: ignore[arg-type]

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


def check_values() -> None:
    """Text, difference, checks and JSON of a template with the section."""
    from registry.registration_template import (
        RegistrationTemplate,
        check_template,
        compare_templates,
        format_template,
        parse_template,
    )

    template = RegistrationTemplate(licensing="CC0, see RFC 2141.", namespace_identifier="wxn")  # type: ignore[call-arg]
    text = format_template(template)
    assert "\nLicensing:\n\nCC0" in text
    parsed = parse_template(text)
    assert (parsed.template, parsed.unplaced, parsed.form) == (template, (), "8141")
    assert RegistrationTemplate.from_json(template.to_json()) == template
    changed = compare_templates(RegistrationTemplate(namespace_identifier="wxn"), template).changed
    assert [each.key for each in changed] == ["licensing"]
    found = [each.code for each in check_template(template, kind="formal") if each.section == "licensing"]
    assert found == ["obsolete-reference"]


def check_form_and_api() -> None:
    """Fields of the draft's form, of responses and requests, and the constraints on section keys."""
    from registry.api.registration_template import SectionsSerializer, sections_request_schema
    from registry.cases.forms import drafts
    from registry.cases.models import ActionPoint, Case
    from registry.cases.workflow.declarations.parameters import SECTION_CHOICES
    from registry.namespaces.models import Kind

    drafts.open_points_of = lambda case: ()  # type: ignore[assignment]  # there is no database here
    assert "licensing" in drafts.DraftForm(case=Case(kind=Kind.FORMAL)).fields
    assert "licensing" in SectionsSerializer().fields
    assert "licensing" in sections_request_schema(text={"type": "string"})["properties"]
    assert ("licensing", "Licensing") in SECTION_CHOICES
    condition: Any = next(
        each for each in ActionPoint._meta.constraints if each.name == "action_point_section_is_known"
    )
    assert "licensing" in str(condition.condition)


def print_digests(paths: list[str]) -> None:
    """One line for each file."""
    from registry.registration_template.parsing.parser import parse_template

    for path in paths:
        template = parse_template(Path(path).read_text(encoding="utf-8")).template
        assert "licensing" in template.to_json()
        print(template.digest())


if __name__ == "__main__":
    declare_section()
    import django

    django.setup()
    check_values()
    check_form_and_api()
    print_digests(sys.argv[1:])
