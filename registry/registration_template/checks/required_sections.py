"""Checks that required sections are filled in."""

from collections.abc import Iterator

from registry.core.shortening import shortened
from registry.registration_template.checks.findings import CheckContext, Finding, blocking
from registry.registration_template.checks.text_patterns import has_no_substance
from registry.registration_template.sections import SECTION_BY_KEY, TEXT_SECTIONS, Substance


def check_required_sections(context: CheckContext) -> Iterator[Finding]:
    """Required text sections are filled in. In some, “none” is not enough."""
    for section in (SECTION_BY_KEY[key] for key in TEXT_SECTIONS):
        if not section.is_required(
            kind=context.kind, fast_track=context.fast_track, is_revision=context.is_revision
        ):
            continue
        text = getattr(context.template, section.key)
        if not text:
            yield blocking(section.key, "missing", f"{section.title} is empty. {section.instruction}")
        elif section.substance is Substance.REQUIRED and has_no_substance(text):
            message = f"{section.title} contains only “{shortened(text)}”. {section.instruction}"
            yield blocking(section.key, "missing", message)
