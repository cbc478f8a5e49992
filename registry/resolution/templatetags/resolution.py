"""Template tags for services: their kinds and languages in words, and addresses that resolve URNs."""

from django import template

from registry.resolution.request_target import path_of
from urnsyntax.profiles.services.service import KINDS

register = template.Library()

LANGUAGES = {
    "de": "German", "en": "English", "es": "Spanish", "fi": "Finnish", "fr": "French", "it": "Italian",
    "nb": "Norwegian", "nl": "Dutch", "no": "Norwegian", "pt": "Portuguese", "sv": "Swedish",
}  # fmt: skip


@register.filter
def kind_label(kind: str) -> str:
    """What a service returns, such as "the resource"."""
    return KINDS[kind]


@register.filter
def language_name(tag: str) -> str:
    """The English name of a language, or its tag."""
    name = LANGUAGES.get(tag.partition("-")[0].lower())
    return f"{name} ({tag})" if name and "-" in tag else name or tag


@register.simple_tag
def resolve_path(urn: object) -> str:
    """The path that resolves a URN."""
    return path_of(urn)
