"""Template filters for texts and references of namespaces, and for syntax errors."""

from collections.abc import Iterable, Mapping

from django import template
from django.utils.safestring import SafeString

from registry.core.links import with_links, with_references
from registry.core.markdown import as_html
from registry.namespaces.references import Reference, reference
from registry.registration_template.paragraphs import rewrapped_html
from urnsyntax import URN, InvalidIdentifier
from urnsyntax.errors import with_caret

register = template.Library()


@register.filter
def cited(references: Iterable[Mapping[str, str]]) -> list[Reference]:
    """`Namespace.references`, each with text and URL."""
    return [reference(stored) for stored in references]


@register.filter
def caret(error: InvalidIdentifier) -> str:
    """The text, with a caret under the first wrong character. The reason is not included."""
    return caret_at(error.text, error.position)


@register.filter
def fault_for_people(error: InvalidIdentifier) -> str:
    """The reason with its place, counted from 1, as a sentence; the API and the library count from 0."""
    return f"At character {error.position + 1}, {error.reason}."


@register.filter
def caret_at(text: URN | str, position: int) -> str:
    """A URN or another text, with a caret under the character at a position."""
    return with_caret(str(text), position, "").rstrip()


@register.filter
def linked(text: object) -> SafeString:
    """A text that a person wrote, with what it refers to as links."""
    return with_references(str(text))


@register.filter
def with_web_links(text: object) -> SafeString:
    """A text that a person wrote, with its web addresses as links, for a page that is not of this registry alone."""
    return with_links(str(text))


@register.filter
def formatted(text: str) -> SafeString:
    """The CommonMark of a comment as HTML, in a block."""
    return as_html(text)


@register.filter
def for_reading(section: object) -> SafeString:
    """The content of a section as HTML. (The version is a number.)"""
    return rewrapped_html(str(section))
