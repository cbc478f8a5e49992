"""Advice about texts that do not describe what the RFC asks for."""

from collections.abc import Iterator

from registry.core.shortening import first_of, shortened
from registry.registration_template.checks.findings import CheckContext, Finding, advice
from registry.registration_template.checks.text_patterns import (
    NUMBERED_LINE,
    OTHER_DOCUMENT,
    SCOPE,
    SECTION_NUMBER,
    SECTION_REFERENCE,
    SENTENCE,
    STRUCTURE,
    THIS_DOCUMENT,
    has_no_substance,
)
from registry.registration_template.sections import SECTION_BY_KEY, TEXT_SECTIONS

_SHORT_PURPOSE = 60


def advise_purpose(context: CheckContext) -> Iterator[Finding]:
    """Purpose describes the resources, users and benefits, not only the scope (Section 6.4.1)."""
    text = " ".join(context.template.purpose.split())
    if has_no_substance(text):
        return
    if SCOPE.fullmatch(text):
        message = (
            f"Purpose contains only the scope: “{shortened(text)}”. Add the resources, users and benefits."
        )
        yield advice("purpose", "only-scope", message)
    elif len(text) < _SHORT_PURPOSE:
        message = (
            f"Purpose has only {len(text)} characters. Describe the resources, their users and the benefits."
        )
        yield advice("purpose", "too-short", message)


def advise_structure(context: CheckContext) -> Iterator[Finding]:
    """Syntax describes the structure of a name, or states that names are opaque (Section 6.4.2)."""
    text = context.template.syntax
    if not has_no_substance(text) and not STRUCTURE.search(text):
        message = "Syntax does not describe the structure of a name. Give a grammar, or state that names are opaque."
        yield advice("syntax", "no-structure", message, "RFC 8141, Section 6.4.2 (1)")


def advise_section_references(context: CheckContext) -> Iterator[Finding]:
    """A template can be read without the document from which it was taken (Section 6.2)."""
    texts = {
        key: getattr(context.template, key)
        for key in TEXT_SECTIONS
        if not SECTION_BY_KEY[key].is_change_history
    }
    own = {match[1] for text in texts.values() for match in NUMBERED_LINE.finditer(text)}
    for key, text in texts.items():
        missing = sorted(_referenced_sections(text) - own)
        if missing:
            noun, verb = ("Section", "is") if len(missing) == 1 else ("Sections", "are")
            message = (
                f"{SECTION_BY_KEY[key].title} refers to {noun} {first_of(missing)}, which {verb} not in the template. "
                "Name the document, or include the text."
            )
            yield advice(key, "section-not-found", message, "RFC 8141, Section 6.2")


def _referenced_sections(text: str) -> set[str]:
    """The numbers in “see Section 4.2”, from sentences that mention no other document."""
    return {
        number
        for sentence in SENTENCE.finditer(text)
        if not OTHER_DOCUMENT.search(THIS_DOCUMENT.sub(" ", SECTION_REFERENCE.sub(" ", sentence[0])))
        for match in SECTION_REFERENCE.finditer(sentence[0])
        for number in SECTION_NUMBER.findall(match[1])
    }
