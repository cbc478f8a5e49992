"""How pages show a namespace's texts and references, and an error of syntax."""

from collections.abc import Iterable, Mapping

from django import template
from django.utils.safestring import SafeString

from registry.namespaces.paragraphs import reading_html
from registry.namespaces.references import Reference, reference
from urnsyntax import InvalidIdentifier

register = template.Library()


@register.filter
def cited(references: Iterable[Mapping[str, str]]) -> list[Reference]:
    """`Namespace.references`, each as words and an address."""
    return [reference(stored) for stored in references]


@register.filter
def caret(error: InvalidIdentifier) -> str:
    """The text and, under its first wrong character, a caret; the reason is for a sentence of its own."""
    text, _, pointer = error.with_caret().rpartition("\n")
    return f"{text}\n{pointer.partition('^')[0]}^"


@register.filter
def for_reading(section: object) -> SafeString:
    """What a section says; the version is a number."""
    return reading_html(str(section))
