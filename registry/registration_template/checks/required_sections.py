"""Checks that required sections are filled in."""

from collections.abc import Iterator

from registry.core.shortening import shortened
from registry.registration_template.checks.findings import CheckContext, Finding, advice, blocking
from registry.registration_template.checks.text_patterns import (
    has_no_documentation,
    has_no_substance,
    is_to_do,
)
from registry.registration_template.sections import SECTION_BY_KEY, TEXT_SECTIONS, Section, Substance


def check_required_sections(context: CheckContext) -> Iterator[Finding]:
    """Required text sections are filled in. In some, “none” is not enough."""
    for section in (SECTION_BY_KEY[key] for key in TEXT_SECTIONS):
        if not section.is_required(
            kind=context.kind, fast_track=context.fast_track, is_revision=context.is_revision
        ):
            continue
        text = getattr(context.template, section.key)
        if not text and context.older_form and not section.in_older_form:
            yield _explain_older_form(section)
        elif not text:
            yield blocking(section.key, "missing", f"{section.title} is empty. {section.instruction}")
        elif is_to_do(text) or (section.substance is Substance.REQUIRED and _says_none(section, text)):
            message = f"{section.title} contains only “{shortened(text)}”. {section.instruction}"
            yield blocking(section.key, "missing", message)


def _says_none(section: Section, text: str) -> bool:
    return has_no_documentation(text) if section.key == "documentation" else has_no_substance(text)


def _explain_older_form(section: Section) -> Finding:
    """A template in the form of RFC 3406 is complete without the sections that RFC 8141 added."""
    message = (
        f"The older form of RFC 3406 has no section {section.title}. "
        "Add this section to bring the template up to RFC 8141."
    )
    return advice(section.key, "not-in-older-form", message)
