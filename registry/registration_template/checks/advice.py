"""Checks that give advice: recommendations of RFC 8141 and of review practice."""

from collections.abc import Callable, Iterator

from registry.core.validators import shortened
from registry.registration_template.checks.damage import advise_damage
from registry.registration_template.checks.examples import (
    SECTIONS_WITH_EXAMPLES,
    find_examples,
    without_examples,
)
from registry.registration_template.checks.findings import CheckContext, Finding, advice
from registry.registration_template.checks.wording import (
    ABOUT_UNICODE,
    COMPONENTS,
    ELSEWHERE,
    JUSTIFICATION,
    NON_ASCII,
    OBSOLETE_RFC,
    OPENNESS,
    REFERENCE_TO_PAST,
    SENTENCE,
    UNIQUENESS,
    advise_continuity,
    advise_permanence,
    advise_purpose,
    advise_section_references,
    advise_structure,
    find_placeholders,
    has_no_documentation,
    has_no_substance,
    is_to_do,
)
from registry.registration_template.sections import SECTION_BY_KEY, SECTIONS, TEXT_SECTIONS, Substance

_CONTEXT_LENGTH = 120


def advise_specification(context: CheckContext) -> Iterator[Finding]:
    """A stable specification is recommended (Section 6.2)."""
    if not context.fast_track and has_no_documentation(context.template.documentation):
        message = "No specification is cited. Cite a stable document that defines the namespace."
        yield advice("documentation", "no-specification", message, "RFC 8141, Section 6.2")


def advise_substance(context: CheckContext) -> Iterator[Finding]:
    """“N/A” does not answer the questions of the RFC."""
    for section in SECTIONS:
        text = getattr(context.template, section.key)
        if section.substance is Substance.ADVISED and text and has_no_substance(text):
            message = f"{section.title} contains only “{shortened(text)}”. {section.guidance[0]}"
            yield advice(section.key, "says-nothing", message)


def advise_components(context: CheckContext) -> Iterator[Finding]:
    """The meaning of r-, q- and f-components is undefined unless described (Section 6.4.2, Appendix A)."""
    texts = (context.template.purpose, context.template.syntax, context.template.resolution)
    if context.template.syntax and not any(COMPONENTS.search(text) for text in texts):
        message = (
            "Syntax does not mention r-, q- and f-components. Define them, or state that they are undefined."
        )
        yield advice("syntax", "components-not-mentioned", message, "RFC 8141, Section 6.4.2 (5)")


def advise_characters(context: CheckContext) -> Iterator[Finding]:
    """Names should be ASCII unless there is a reason (Section 2.2)."""
    syntax = context.template.syntax
    if _has_non_ascii_names(syntax, context.template.namespace_identifier) and not JUSTIFICATION.search(
        syntax + context.template.purpose
    ):
        message = "Names seem to contain non-ASCII characters. Avoid them, or explain why they are necessary."
        yield advice("syntax", "non-ascii-names", message, "RFC 8141, Section 2.2")


def _has_non_ascii_names(syntax: str, nid: str) -> bool:
    """Whether names seem to contain other characters. Other namespaces, and sentences about Unicode, do not count."""
    own = (
        without_examples(syntax, lambda each: each.nid != nid and not each.is_placeholder) if nid else syntax
    )
    sentences = (match[0] for match in SENTENCE.finditer(own))
    return any(NON_ASCII.search(each) and not ABOUT_UNICODE.search(each) for each in sentences)


def advise_assignment(context: CheckContext) -> Iterator[Finding]:
    """The text describes who assigns names and what keeps them unique (Section 6.4.3)."""
    text = " ".join(context.template.assignment.split())
    if not text or has_no_substance(text) or ELSEWHERE.match(text):
        return
    if not OPENNESS.search(text):
        message = "State whether assignment is open, closed or delegated, and how to get a name."
        yield advice("assignment", "openness-not-stated", message, "RFC 8141, Section 6.4.3 (1)")
    if not UNIQUENESS.search(f"{text}\n{' '.join(context.template.syntax.split())}"):
        message = "Explain what prevents a name from being assigned twice, unless the text already does."
        yield advice("assignment", "uniqueness-not-explained", message, "RFC 8141, Section 6.4.3 (2)")


def advise_references(context: CheckContext) -> Iterator[Finding]:
    """RFC 2141, RFC 2611 and RFC 3406 are obsolete."""
    for key in (key for key in TEXT_SECTIONS if not SECTION_BY_KEY[key].is_change_history):
        text = getattr(context.template, key)
        cited = {
            match[1]
            for match in OBSOLETE_RFC.finditer(text)
            if not REFERENCE_TO_PAST.search(
                text[max(0, match.start() - _CONTEXT_LENGTH) : match.end() + _CONTEXT_LENGTH]
            )
        }
        for number in sorted(cited):
            message = (
                f"RFC {number} is obsolete. Cite RFC 8141 instead, or mention that RFC {number} is obsolete."
            )
            yield advice(key, "obsolete-reference", message, "RFC 8141")


def advise_placeholders(context: CheckContext) -> Iterator[Finding]:
    """The text contains no placeholders."""
    texts = {key: getattr(context.template, key) for key in TEXT_SECTIONS}
    registrant = context.template.registrant
    texts["registrant"] = "\n".join(
        value for value in registrant.to_json().values() if isinstance(value, str)
    )
    texts["date"] = context.template.date
    for key, text in texts.items():
        in_examples = (
            {example.nid for example in find_examples(text)} if key in SECTIONS_WITH_EXAMPLES else set()
        )
        for word in sorted(find_placeholders(text)):
            if word.lower() in in_examples or is_to_do(text):
                continue
            message = (
                f"“{shortened(word)}” in {SECTION_BY_KEY[key].title} looks like a placeholder. Replace it."
            )
            yield advice(key, "placeholder", message)


ADVICE_CHECKS: tuple[Callable[[CheckContext], Iterator[Finding]], ...] = (
    advise_specification,
    advise_substance,
    advise_purpose,
    advise_structure,
    advise_section_references,
    advise_components,
    advise_characters,
    advise_assignment,
    advise_permanence,
    advise_continuity,
    advise_references,
    advise_placeholders,
    advise_damage,
)
